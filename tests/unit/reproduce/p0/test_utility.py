from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.utility import distances, draw
from epsilens.utility import marginal_distance
from tests.support.judged import CONFIRMED, FALSE, data_of, rows_of, verdicts, verdicts_anew


def test_verdicts(data_dir: Path) -> None:
    assert verdicts(rows_of("p0.utility", data_dir)) == {CONFIRMED: 11}


def test_only_the_formula_needs_no_data() -> None:
    rows = rows_of("p0.utility")
    assert [row.place for row in rows.values() if not row.needs] == ["footnote 8, total variation"]


def test_the_figure(data_dir: Path) -> None:
    data = data_of(data_dir)
    drawing = draw(data)
    assert len(drawing.panels) == 9
    assert [len(distances(data, "laplace", 1.0, None)[ways]) for ways in (1, 2, 3)] == [6, 15, 20]
    boxes = drawing.panels[8].series
    assert [len(series.x) for series in boxes] == [6 * 20] * 3
    assert "falls from 0.27" in drawing.says
    assert list(dict.fromkeys(drawing.panels[3].series[0].x)) == ["0.001", "0.01", "0.1", "1"]
    assert drawing.says.endswith("Under (epsilon, delta)-DP 0.999 stands for 1.")


def test_a_changed_distance_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    monkeypatch.setattr(marginal_distance, "_variation", lambda released, _: np.full(len(released), 0.1))
    changed = ("section 5.3, from .1 to 1", "section 5.3, from 1 to 10")
    assert verdicts_anew("p0.utility", *changed, data=Data(data_dir)) == {FALSE}
