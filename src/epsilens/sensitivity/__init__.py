"""Global sensitivities: how far a statistic can move between neighbours, in the l1 norm unless ``norm=2`` is asked.

Each function returns a float and carries its formula, source and assumption; ``describe`` says them, ``verify``
searches small data sets exhaustively, ``published`` holds what P3 prints where that differs.
"""

from epsilens.sensitivity import published
from epsilens.sensitivity.catalogue import STATISTICS, Description, describe
from epsilens.sensitivity.checker import Verification, verify
from epsilens.sensitivity.counts import count, histogram, histogram_tree, proportion, proportions
from epsilens.sensitivity.moments import covariance, mean, variance
from epsilens.sensitivity.pooled import pooled_covariance, pooled_variance
from epsilens.sensitivity.ranges import (
    covariance_range,
    pooled_covariance_range,
    pooled_variance_range,
    variance_range,
)

__all__ = [
    "STATISTICS",
    "Description",
    "Verification",
    "count",
    "covariance",
    "covariance_range",
    "describe",
    "histogram",
    "histogram_tree",
    "mean",
    "pooled_covariance",
    "pooled_covariance_range",
    "pooled_variance",
    "pooled_variance_range",
    "proportion",
    "proportions",
    "published",
    "variance",
    "variance_range",
    "verify",
]
