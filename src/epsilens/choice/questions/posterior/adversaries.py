"""Which quantities of adversaries a chart shows."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.checks import one_of
from epsilens.errors import ParameterError

PANELS = {"posterior": "posterior", "ratio": "risk_ratio", "decision": "correct_decision"}
"""What the panels of a chart show, by the names that answers have for it."""


def checked_panels(names: Sequence[str]) -> tuple[str, ...]:
    """The panels, in the order given, each one once."""
    chosen = tuple(dict.fromkeys(one_of("chart", name, PANELS) for name in names))
    if not chosen:
        raise ParameterError("needs at least one panel", parameter="chart", remedy=f"there are {', '.join(PANELS)}")
    return chosen
