from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from epsilens.avoidance.suppression import Suppression
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import figure_1
from epsilens.reproduce.p2.figure_1 import CELLS, CLAIMS, HISTOGRAM, LISTED, SWAPPED, anonymous, draw, exchanged, table
from epsilens.reproduce.verdicts import judged

MODEL = "follows from another model than stated"


def test_the_histogram_is_that_of_the_listed_people() -> None:
    by_cell = dict(zip(CELLS, np.asarray(table().counts).ravel(), strict=True))
    assert [int(by_cell[cell]) for cell in LISTED] == [*HISTOGRAM]


def test_rows_and_verdicts() -> None:
    rows = [judged(claim, Data()) for claim in CLAIMS]
    assert len(rows) == 30
    assert Counter(row.verdict for row in rows) == {"confirmed": 25, MODEL: 5}
    assert {row.departs for row in rows if not row.holds} == {"P2-11", "P2-14"}
    swap = next(row for row in rows if row.what == "two rows are swapped")
    assert "keeps 4 men, and 2 are shown" in str(swap.exact)
    assert swap.as_published == "M 2 No and F 2 No exchange their gender"


def test_two_cells_exchange_their_gender() -> None:
    after = exchanged("cells", CELLS.index(("M", "2", "No")), CELLS.index(("F", "2", "No")))
    assert tuple(after[CELLS.index(cell)] for cell in LISTED) == SWAPPED
    one_each = exchanged("rows", CELLS.index(("M", "1", "Yes")), CELLS.index(("F", "1", "Yes")))
    assert one_each == tuple(np.asarray(table().counts).ravel())  # they exchange places


def test_gender_is_generalised_only_beside_the_block() -> None:
    assert sum(anonymous(("gender",)).values()) == 0
    assert anonymous(("block", "gender")) == {("1", "Yes"): 3, ("1", "No"): 0, ("2", "Yes"): 2, ("2", "No"): 2}


def test_suppression_that_moves_moves_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suppression, "_suppressed", lambda self, counts: counts + 1.0)
    found = [judged(claim, Data()).verdict for claim in CLAIMS if "(c)" in claim.place.where]
    assert found.count("false") == len(figure_1.SUPPRESSED) - 3  # three cells without people are right by chance


def test_the_drawing_has_the_four_histograms() -> None:
    drawing = draw(Data())
    assert [len(panel.series[0].x) for panel in drawing.panels] == [8, 8, 8, 4]
    assert [sum(panel.series[0].y) for panel in drawing.panels] == [7, 10, 7, 7]  # type: ignore[arg-type]
    assert drawing.says.startswith("Of 7 people suppression shows 10")
