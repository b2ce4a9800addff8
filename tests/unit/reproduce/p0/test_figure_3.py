from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.figure_3 import draw, panels
from tests.support.judged import CONFIRMED, FALSE, OPEN, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.figure_3", data_dir)
    assert verdicts(rows) == {CONFIRMED: 25, OTHER: 2, FALSE: 1}
    assert departing(rows) == {"P0-8": {OTHER}, "P0-9": {FALSE}}
    assert rows["section 5, observation 2, shape of the Adult data over people"].verdict == FALSE


def test_letters_are_those_of_print() -> None:
    drawn = list(panels())
    assert len(drawn) == 24
    assert "".join(panel.letter for panel in drawn if panel.mechanism == "gaussian") == "behknqtw"


def test_without_data() -> None:
    assert verdicts(rows_of("p0.figure_3")) == {OPEN: 28}


def test_the_figure(data_dir: Path) -> None:
    drawing = draw(data_of(data_dir))
    assert (len(drawing.panels), drawing.columns) == (24, 3)
    assert [len(panel.series) for panel in drawing.panels[:3]] == [2, 4, 4]
    assert drawing.panels[0].title == "(a) Adult (pairs), over cells, Laplace"
    assert [series.name for series in drawing.panels[0].series] == ["as printed", "exact, by six attributes"]
    assert drawing.panels[6].title.startswith("(g) Bankruptcy, over cells")
    assert "0.400 over people at epsilon = .001" in drawing.says
    assert max(map(float, drawing.panels[1].series[0].x)) < 1.0


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.5 + 0.0 * n)
    changed = [f"Figure 3, panel ({letter})" for letter in "gj"]
    assert verdicts_anew("p0.figure_3", *changed, data=Data(data_dir)) == {FALSE}
