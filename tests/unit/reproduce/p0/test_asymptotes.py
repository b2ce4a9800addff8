from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.data import Data
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, OTHER, departing, rows_of, verdicts, verdicts_anew

SUBSET = "of Bankruptcy subset, local over"


def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.asymptotes", data_dir)
    assert verdicts(rows) == {CONFIRMED: 24, OTHER: 4, MISPRINT: 1}
    assert departing(rows) == {"P0-8": {OTHER}, "P0-18": {MISPRINT}}
    low = rows[f"section 5.2, lower asymptote {SUBSET} people"]
    assert [low.published, low.as_published, low.exact] == pytest.approx([0.18, 0.17900, 0.18250], abs=1e-5)
    adult = rows["section 5.2, upper asymptote of Adult over people"]
    assert [adult.as_published, adult.exact] == pytest.approx([1.0, 11_112 / 27_504])


def test_only_the_formula_needs_no_data() -> None:
    rows = rows_of("p0.asymptotes")
    assert [row.place for row in rows.values() if not row.needs] == ["section 5.2, limit of the expected risk"]


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    right = published._mixed
    monkeypatch.setattr(published, "_mixed", lambda n, labels, noise: 1.5 * right(n, labels, noise))
    changed = [f"section 5.2, lower asymptote {SUBSET} {average}" for average in ("cells", "people")]
    assert verdicts_anew("p0.asymptotes", *changed, data=Data(data_dir)) == {FALSE}
