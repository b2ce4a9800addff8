from __future__ import annotations

import pytest

from epsilens.table import diagnostics
from tests.support.judged import CONFIRMED, FALSE, OTHER, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.cells")
    assert verdicts(rows) == {CONFIRMED: 10, OTHER: 1}
    assert departing(rows) == {"P0-12": {OTHER}}
    assert rows["Table 1, homogeneous cells"].exact == 1.0


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looked at the first attribute only would take every cell for completely homogeneous or not at all."""
    right = diagnostics._of_attribute
    monkeypatch.setattr(diagnostics, "_of_attribute", lambda vectors, table, _: right(vectors, table, 0))
    assert verdicts_anew("p0.cells", "Definition 4, partially homogeneous") == {FALSE}
