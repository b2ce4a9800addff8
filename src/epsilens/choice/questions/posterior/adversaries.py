"""Which quantities of adversaries a chart shows, and how large the families are that they are after."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.posterior.noises import family_size

PANELS = {"posterior": "posterior", "ratio": "risk_ratio", "decision": "correct_decision"}
"""What the panels of a chart show, by the names that answers have for it."""


def checked_panels(names: Sequence[str]) -> tuple[str, ...]:
    """The panels, in the order given, each one once."""
    chosen = tuple(dict.fromkeys(one_of("chart", name, PANELS) for name in names))
    if not chosen:
        raise ParameterError("needs at least one panel", parameter="chart", remedy=f"there are {', '.join(PANELS)}")
    return chosen


def told(family: int) -> dict[str, int]:
    """The size of a family as JSON says it: nothing where the target is one person."""
    return {} if family == 1 else {"family": family}


def checked_families(families: Sequence[int], priors: Sequence[float]) -> tuple[int, ...]:
    """The sizes of families, each one once; several of them go with one prior, so that a line has one meaning."""
    sizes = tuple(family_size(family) for family in families)
    if not sizes:
        raise ParameterError("needs at least one number", parameter="family")
    if len(set(sizes)) != len(sizes):
        raise ParameterError("names a size twice", parameter="family")
    if len(sizes) > 1 and len(priors) > 1:
        raise ParameterError("may be several where there is one `prior`, not several", parameter="family")
    return sizes
