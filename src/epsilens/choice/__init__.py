"""Which budget? Risk curves and, from them, choices.

Names beyond the curve are imported on first use: an assessment needs none of the rooms that choices draw on.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from epsilens.choice.curve import RiskCurve, risk_curve

if TYPE_CHECKING:
    from epsilens.choice.budget_choice import BudgetChoice as BudgetChoice
    from epsilens.choice.choose import choose_budget as choose_budget
    from epsilens.choice.frontier import frontier_points as frontier_points
    from epsilens.choice.frontier import lever_effects as lever_effects
    from epsilens.choice.profile_mechanisms import profile_noise as profile_noise
    from epsilens.choice.profile_mechanisms import profile_rho as profile_rho
    from epsilens.choice.profiles import RiskProfile as RiskProfile
    from epsilens.choice.profiles import capped_profile as capped_profile
    from epsilens.choice.profiles import constant_profile as constant_profile
    from epsilens.choice.profiles import profile_budget as profile_budget
    from epsilens.choice.two_parameters import choose_delta as choose_delta
    from epsilens.choice.two_parameters import iso_risk as iso_risk
    from epsilens.choice.worst_case import WorstCase as WorstCase
    from epsilens.choice.worst_case import worst_case_of as worst_case_of

_HOME = {
    "BudgetChoice": "budget_choice",
    "choose_budget": "choose",
    "frontier_points": "frontier",
    "lever_effects": "frontier",
    "profile_noise": "profile_mechanisms",
    "profile_rho": "profile_mechanisms",
    "RiskProfile": "profiles",
    "capped_profile": "profiles",
    "constant_profile": "profiles",
    "profile_budget": "profiles",
    "choose_delta": "two_parameters",
    "iso_risk": "two_parameters",
    "WorstCase": "worst_case",
    "worst_case_of": "worst_case",
}

__all__ = ["RiskCurve", "risk_curve", *_HOME]  # noqa: PLE0604, RUF100 - names are resolved lazily below


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"epsilens.choice.{_HOME[name]}"), name)
    raise AttributeError(f"module 'epsilens.choice' has no attribute {name!r}")
