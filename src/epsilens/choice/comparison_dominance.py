"""Which lines of a comparison are dominated: another one is at least as private and at least as good on everything.

A difference counts where it exceeds two standard errors of what was simulated, and rounding error of what is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

PRIVACY = ("epsilon", "delta", "homogeneity_risk", "posterior_risk")
"""By which a line may be more private than another: less is more; no epsilon at all is least. Risks are averages."""
USEFULNESS = ("bias_l1", "l1_error", "fairness", "group_fairness", "rmse", "tvd_1", "tvd_2", "tvd_3", "accuracy")
"""By which a line may be better than another: less is better, but for the accuracy."""
_ROUNDING = 1e-9


def dominated_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The dominated lines, each with those that dominate it.

    A line is dominated by one that is worse in nothing, neither in privacy nor in usefulness, and better in some
    usefulness. A line whose delta is not known is left out. ``worst_off_better`` says whether the worst-off person of
    a dominated line is nevertheless at less risk than that of every line that dominates it.
    """
    known = [row for row in rows if row["delta"] is not None]
    found = []
    for row in known:
        by = [other for other in known if other is not row and _dominates(other, row)]
        if by:
            better = all(_gain(row, other, "worst_risk") > 0 for other in by if "worst_risk" in other)
            found.append(
                _named(row)
                | {"by": [_named(other) for other in by], "worst_off_better": better and "worst_risk" in row}
            )
    return found


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("system", "label", "epsilon")}


def _dominates(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if any(_gain(row, other, name) < 0 for name in PRIVACY):
        return False
    gains = [_gain(row, other, name) for name in USEFULNESS if row.get(name) is not None]
    return min(gains) >= 0 and max(gains) > 0


def _gain(row: Mapping[str, Any], other: Mapping[str, Any], name: str) -> int:
    """1 where the first is better, -1 where it is worse, 0 where they cannot be told apart."""
    mine, yours = (math.inf if side[name] is None else float(side[name]) for side in (row, other))
    if mine == yours or math.isinf(mine) or math.isinf(yours):
        return (mine < yours) - (mine > yours)  # of epsilon alone
    error = 2.0 * math.hypot(*(side.get(f"{name}_se") or 0.0 for side in (row, other)))
    gain = (mine - yours) if name == "accuracy" else (yours - mine)
    if abs(gain) <= max(error, _ROUNDING * max(abs(mine), abs(yours))):
        return 0
    return 1 if gain > 0 else -1
