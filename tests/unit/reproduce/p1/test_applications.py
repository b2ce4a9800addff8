from __future__ import annotations

from pathlib import Path

from epsilens.reproduce.data import Data
from epsilens.reproduce.p1.applications import FIGURES
from tests.support.judged import CONFIRMED, FALSE, OPEN, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p1.applications", data_dir)
    assert verdicts(rows) == {CONFIRMED: 9, OTHER: 3}
    assert departing(rows) == {"P0-8": {OTHER}, "P0-17": {OTHER}}
    assert rows["section 4, records of the Adult data"].exact == 32561


def test_without_data() -> None:
    rows = rows_of("p1.applications")
    assert verdicts(rows) == {OPEN: 12}
    assert {row.needs for row in rows.values()} == {"adult.csv", "adultcount.csv", "bankcount.csv"}


def test_the_histograms(data_dir: Path) -> None:
    first, second = (figure.draw(data_of(data_dir)) for figure in FIGURES)
    assert [sum(float(y) for y in panel.series[0].y) for panel in first.panels] == [5974, 5009]
    assert second.says == "Bankruptcy data: 103 sets, 29 of one person, the largest of 11."


def test_other_data_change_verdicts(tmp_path: Path) -> None:
    (tmp_path / "bankcount.csv").write_text("IR,MR,FF,CR,CO,OR,class,class\nA,A,A,A,A,A,NB,2\nA,A,A,A,A,A,B,1\n")
    named = ("people", "levels", "sets", "homogeneous sets")
    places = [f"section 4, {name} of the Bankruptcy data" for name in named]
    assert verdicts_anew("p1.applications", *places, data=Data(tmp_path)) == {FALSE}
