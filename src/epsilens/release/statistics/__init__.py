"""Released statistics: means, proportions, variances and covariances of microdata."""

from epsilens.release.statistics.kinds import Mean, Proportion, Proportions, Statistic
from epsilens.release.statistics.postprocessing import ReleasedStatistic
from epsilens.release.statistics.release import ReleasedStatistics, release_statistics
from epsilens.release.statistics.spread import (
    KINDS,
    Covariance,
    CovarianceMatrix,
    PooledCovariance,
    PooledVariance,
    Variance,
    statistic_from,
)

__all__ = [
    "KINDS",
    "Covariance",
    "CovarianceMatrix",
    "Mean",
    "PooledCovariance",
    "PooledVariance",
    "Proportion",
    "Proportions",
    "ReleasedStatistic",
    "ReleasedStatistics",
    "Statistic",
    "Variance",
    "release_statistics",
    "statistic_from",
]
