"""Which budget? Risk curves and, from them, choices."""

from epsilens.choice.curve import RiskCurve, risk_curve

__all__ = ["RiskCurve", "risk_curve"]
