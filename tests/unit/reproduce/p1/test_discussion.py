from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.data import Data
from epsilens.reproduce.p1.discussion import FIGURES
from tests.support.judged import CONFIRMED, FALSE, OPEN, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


@pytest.mark.slow
def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p1.discussion", data_dir)
    assert verdicts(rows) == {CONFIRMED: 5, OTHER: 5}
    assert departing(rows) == {"P0-8": {OTHER}}
    assert verdicts(rows_of("p1.discussion")) == {OPEN: 10}


@pytest.mark.slow
def test_the_figure_is_that_of_the_supplement(data_dir: Path) -> None:
    (figure,) = FIGURES
    drawing = figure.draw(data_of(data_dir))
    assert (drawing.paper, drawing.place, len(drawing.panels)) == ("P1", "Figure 6", 2)


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.9 * right(n, labels, noise))
    place = "section 5, what is captured of the Bankruptcy data"
    assert verdicts_anew("p1.discussion", place, data=Data(data_dir)) == {FALSE}
