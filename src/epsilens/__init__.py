"""Epsilens: what does epsilon mean for the people in this table, and which one should we take?

Public names are imported on first use, so that ``import epsilens`` and ``epsilens --help`` stay fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from epsilens.version import __version__ as __version__

if TYPE_CHECKING:
    from epsilens import avoidance as avoidance
    from epsilens import homogeneity as homogeneity
    from epsilens import posterior as posterior
    from epsilens import sensitivity as sensitivity
    from epsilens import utility as utility
    from epsilens.accounting.composition import Composition as Composition
    from epsilens.accounting.composition import compose as compose
    from epsilens.accounting.composition import compose_parallel as compose_parallel
    from epsilens.budget import ZCDP as ZCDP
    from epsilens.budget import ApproxDP as ApproxDP
    from epsilens.budget import ProbabilisticDP as ProbabilisticDP
    from epsilens.budget import PureDP as PureDP
    from epsilens.choice import BudgetChoice as BudgetChoice
    from epsilens.choice import RiskCurve as RiskCurve
    from epsilens.choice import RiskProfile as RiskProfile
    from epsilens.choice import capped_profile as capped_profile
    from epsilens.choice import choose_budget as choose_budget
    from epsilens.choice import choose_delta as choose_delta
    from epsilens.choice import constant_profile as constant_profile
    from epsilens.choice import frontier_points as frontier_points
    from epsilens.choice import iso_risk as iso_risk
    from epsilens.choice import lever_effects as lever_effects
    from epsilens.choice import profile_budget as profile_budget
    from epsilens.choice import profile_noise as profile_noise
    from epsilens.choice import profile_rho as profile_rho
    from epsilens.choice import risk_curve as risk_curve
    from epsilens.choice import worst_case_of as worst_case_of
    from epsilens.choice.comparison import compare as compare
    from epsilens.choice.publication import assess_publication as assess_publication
    from epsilens.errors import EpsilensError as EpsilensError
    from epsilens.errors import EpsilensWarning as EpsilensWarning
    from epsilens.homogeneity import average as average
    from epsilens.noise import DiscreteGaussianNoise as DiscreteGaussianNoise
    from epsilens.noise import DiscreteLaplaceNoise as DiscreteLaplaceNoise
    from epsilens.noise import GaussianNoise as GaussianNoise
    from epsilens.noise import LaplaceNoise as LaplaceNoise
    from epsilens.noise import calibrate as calibrate
    from epsilens.release import release_table as release_table
    from epsilens.release.statistics import Covariance as Covariance
    from epsilens.release.statistics import CovarianceMatrix as CovarianceMatrix
    from epsilens.release.statistics import Mean as Mean
    from epsilens.release.statistics import PooledCovariance as PooledCovariance
    from epsilens.release.statistics import PooledVariance as PooledVariance
    from epsilens.release.statistics import Proportion as Proportion
    from epsilens.release.statistics import Proportions as Proportions
    from epsilens.release.statistics import ReleasedStatistics as ReleasedStatistics
    from epsilens.release.statistics import Variance as Variance
    from epsilens.release.statistics import release_statistics as release_statistics
    from epsilens.table import FrequencyTable as FrequencyTable
    from epsilens.table import Hierarchy as Hierarchy
    from epsilens.table import Quantiles as Quantiles
    from epsilens.table import Schema as Schema
    from epsilens.table import diagnose as diagnose
    from epsilens.table import read_table as read_table

_HOME = {
    "ApproxDP": "budget",
    "ProbabilisticDP": "budget",
    "PureDP": "budget",
    "ZCDP": "budget",
    "EpsilensError": "errors",
    "EpsilensWarning": "errors",
    "Composition": "accounting.composition",
    "compose": "accounting.composition",
    "compose_parallel": "accounting.composition",
    "FrequencyTable": "table",
    "Hierarchy": "table",
    "Quantiles": "table",
    "Schema": "table",
    "diagnose": "table",
    "read_table": "table",
    "DiscreteGaussianNoise": "noise",
    "DiscreteLaplaceNoise": "noise",
    "GaussianNoise": "noise",
    "LaplaceNoise": "noise",
    "calibrate": "noise",
    "average": "homogeneity",
    "RiskCurve": "choice",
    "BudgetChoice": "choice",
    "RiskProfile": "choice",
    "capped_profile": "choice",
    "choose_budget": "choice",
    "choose_delta": "choice",
    "constant_profile": "choice",
    "frontier_points": "choice",
    "iso_risk": "choice",
    "lever_effects": "choice",
    "profile_budget": "choice",
    "profile_noise": "choice",
    "profile_rho": "choice",
    "worst_case_of": "choice",
    "compare": "choice.comparison",
    "assess_publication": "choice.publication",
    "risk_curve": "choice",
    "release_table": "release",
    "release_statistics": "release.statistics",
    "ReleasedStatistics": "release.statistics",
    "Mean": "release.statistics",
    "Proportion": "release.statistics",
    "Proportions": "release.statistics",
    "Variance": "release.statistics",
    "Covariance": "release.statistics",
    "CovarianceMatrix": "release.statistics",
    "PooledVariance": "release.statistics",
    "PooledCovariance": "release.statistics",
}
_ROOMS = ("avoidance", "homogeneity", "posterior", "sensitivity", "utility")

__all__ = ["__version__", *_ROOMS, *_HOME]  # noqa: PLE0604, RUF100 - names are resolved lazily below


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"epsilens.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(f"epsilens.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'epsilens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
