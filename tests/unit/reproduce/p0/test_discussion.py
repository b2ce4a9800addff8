from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from epsilens.homogeneity import printed
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.discussion import end, threshold_drawing
from tests.support.judged import CONFIRMED, FALSE, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


@pytest.mark.slow
def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.discussion", data_dir)
    assert verdicts(rows) == {CONFIRMED: 8, FALSE: 1, OTHER: 5}
    assert departing(rows) == {"P0-8": {OTHER}, "P0-19": {FALSE}, "P0-20": {OTHER}}
    steepness = rows["section 6, soft thresholding"].why
    assert "0.258 (homogeneity alone), 0.162 (hard thresholding), 0.169 (soft thresholding)" in steepness
    assert "0.202 (homogeneity alone), 0.125 (hard thresholding), 0.110 (soft thresholding)" in steepness
    low = [rows[f"section 6, lower asymptote with hard thresholding over {each}"] for each in ("cells", "people")]
    assert [row.verdict for row in low] == [CONFIRMED, OTHER]
    assert "as stated: it is 0.2343" in low[1].why
    assert "0.2100 under geometric noise" in rows["section 6, accuracy and heterogeneous cells"].why


def test_the_ends_of_thresholding(data_dir: Path) -> None:
    data = data_of(data_dir)
    assert end("hard", tables.pairs, True, False, data) == pytest.approx(0.3766, abs=5e-5)
    counts = tables.adult(data).counts
    plurality = float((counts.max(axis=1) / counts.sum(axis=1)).mean())
    assert end("hard", tables.adult, False, True, data) == pytest.approx(plurality, abs=1e-9)


def test_the_figure(data_dir: Path) -> None:
    drawing = threshold_drawing("P0", "Figure S1")(data_of(data_dir))
    assert [len(panel.series) for panel in drawing.panels] == [2, 2]
    assert drawing.says.startswith("As printed the risk rises from 0.377 to 1.00 with hard")


def test_a_changed_guess_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    monkeypatch.setattr(printed, "threshold_of", lambda block, *_: lambda _noise: np.zeros(len(block)))
    place = "section 6, lower asymptote with hard thresholding over cells"
    assert verdicts_anew("p0.discussion", place, data=Data(data_dir)) == {FALSE}
