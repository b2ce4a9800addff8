from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from epsilens.homogeneity.models import expected
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, OTHER, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.measures")
    assert verdicts(rows) == {CONFIRMED: 6, FALSE: 1, OTHER: 1, MISPRINT: 1}
    assert departing(rows) == {"P0-3": {FALSE}, "P0-4": {MISPRINT}, "P0-14": {OTHER}}
    assert "0.3198 and 0.4113" in rows["section 3.3, shrinkage and expected risk"].why


def scaled(prepare: Callable[..., Callable[[Any], Any]]) -> Callable[..., Callable[[Any], Any]]:
    return lambda *arguments: lambda noise: 1.001 * prepare(*arguments)(noise)


def test_changed_formulas_change_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fixed_sizes", "with_random_size", "dirichlet_sizes"):
        monkeypatch.setattr(expected, name, scaled(getattr(expected, name)))
    changed = ("Eq. (8), expected risk", "Eq. (10), marginal risk", "Eq. (11), marginal shrinkage risk")
    assert verdicts_anew("p0.measures", *changed) == {FALSE}
    assert verdicts_anew("p0.measures", "Eq. (12), averages") == {CONFIRMED}
