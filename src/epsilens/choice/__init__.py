"""Which budget? Risk curves and, from them, choices.

Names beyond the curve are imported on first use: an assessment needs none of the rooms that choices draw on.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from epsilens.choice.curve import RiskCurve, risk_curve

if TYPE_CHECKING:
    from epsilens.choice.beside.frontier import frontier_points as frontier_points
    from epsilens.choice.beside.frontier import lever_effects as lever_effects
    from epsilens.choice.beside.profile_mechanisms import profile_noise as profile_noise
    from epsilens.choice.beside.profile_mechanisms import profile_rho as profile_rho
    from epsilens.choice.beside.profiles import RiskProfile as RiskProfile
    from epsilens.choice.beside.profiles import capped_profile as capped_profile
    from epsilens.choice.beside.profiles import constant_profile as constant_profile
    from epsilens.choice.beside.profiles import profile_budget as profile_budget
    from epsilens.choice.beside.worst_case import WorstCase as WorstCase
    from epsilens.choice.beside.worst_case import worst_case_of as worst_case_of
    from epsilens.choice.choose.budget_choice import BudgetChoice as BudgetChoice
    from epsilens.choice.choose.choosing import choose_budget as choose_budget
    from epsilens.choice.choose.two_parameters import choose_delta as choose_delta
    from epsilens.choice.choose.two_parameters import iso_risk as iso_risk

_HOME = {
    "BudgetChoice": "epsilens.choice.choose.budget_choice",
    "choose_budget": "epsilens.choice.choose.choosing",
    "frontier_points": "epsilens.choice.beside.frontier",
    "lever_effects": "epsilens.choice.beside.frontier",
    "profile_noise": "epsilens.choice.beside.profile_mechanisms",
    "profile_rho": "epsilens.choice.beside.profile_mechanisms",
    "RiskProfile": "epsilens.choice.beside.profiles",
    "capped_profile": "epsilens.choice.beside.profiles",
    "constant_profile": "epsilens.choice.beside.profiles",
    "profile_budget": "epsilens.choice.beside.profiles",
    "choose_delta": "epsilens.choice.choose.two_parameters",
    "iso_risk": "epsilens.choice.choose.two_parameters",
    "WorstCase": "epsilens.choice.beside.worst_case",
    "worst_case_of": "epsilens.choice.beside.worst_case",
}

__all__ = ["RiskCurve", "risk_curve", *_HOME]  # noqa: PLE0604, RUF100 - names are resolved lazily below


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'epsilens.choice' has no attribute {name!r}")
