from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity.models import fits
from epsilens.homogeneity.models.sizes import PoissonSize
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.experiments import histograms, larger_than, sizes
from tests.support.judged import CONFIRMED, FALSE, OPEN, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.experiments", data_dir)
    assert verdicts(rows) == {CONFIRMED: 17, OTHER: 7}
    assert departing(rows) == {"P0-8": {OTHER}, "P0-17": {OTHER}}
    cells = rows["section 5.1, cells of the Adult data"]
    assert (cells.published, cells.as_published, cells.exact) == (5974, 5974, 5009)
    bins = rows["section 5.1, bins of the Adult data"]
    assert (bins.verdict, bins.as_published, bins.exact) == (OTHER, 5974, 6184)
    means = [rows[f"footnote 6, {name}"] for name in ("Bankruptcy data", "subset")]
    assert [row.exact for row in means] == pytest.approx([2.42718, 3.20513], abs=5e-6)


def test_without_data_every_row_names_its_file() -> None:
    rows = rows_of("p0.experiments")
    assert {row.verdict for row in rows.values()} == {OPEN}
    assert {row.needs for row in rows.values()} == {"adult.csv", "adultcount.csv", "bankcount.csv", "FFcount.csv"}


def test_the_sizes_of_figure_2(data_dir: Path) -> None:
    data = data_of(data_dir)
    assert (larger_than(data, tables.pairs, 120), larger_than(data, tables.adult, 120)) == (6, 21)
    assert sizes(data, tables.subset).to_dict()["histogram"]["2"] == 23
    drawing = histograms(data)
    assert [sum(float(y) for y in panel.series[0].y) for panel in drawing.panels] == [5974, 5009, 103, 78]
    assert "5,009 of up to 308" in drawing.says


def test_other_data_and_a_changed_fit_change_verdicts(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "bankcount.csv").write_text("IR,MR,FF,CR,CO,OR,class,class\nA,A,A,A,A,A,NB,2\nA,A,A,A,A,A,B,1\n")
    places = ("section 5.1, cells of the Bankruptcy data", "section 5.1, homogeneous cells of the Bankruptcy data")
    assert verdicts_anew("p0.experiments", *places, data=Data(tmp_path)) == {FALSE}
    monkeypatch.setattr(fits, "PoissonSize", lambda rate: PoissonSize(1.1 * rate))
    changed = ("footnote 6, Bankruptcy data", "footnote 6, subset", "footnote 6, Adult data")
    assert verdicts_anew("p0.experiments", *changed, data=data_of(data_dir)) == {FALSE}
