from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from epsilens.avoidance.suppression import Suppression
from epsilens.reproduce.claims import Claim
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import figure_1
from epsilens.reproduce.p2.figure_1 import (
    CELLS,
    CLAIMS,
    HISTOGRAM,
    LISTED,
    PEOPLE,
    SWAPPED,
    anonymous,
    draw,
    exchanged,
    table,
)
from epsilens.reproduce.verdicts import Row, judged

MODEL = "follows from another model than stated"


def _judged(claim: Claim) -> Row:
    return judged(claim, Data())


def test_the_histogram_is_that_of_the_listed_people() -> None:
    by_cell = dict(zip(CELLS, np.asarray(table().counts).ravel(), strict=True))
    assert [int(by_cell[cell]) for cell in LISTED] == [*HISTOGRAM]


def test_rows_and_verdicts() -> None:
    rows = [judged(claim, Data()) for claim in CLAIMS]
    assert len(rows) == 31
    assert Counter(row.verdict for row in rows) == {"confirmed": 28, MODEL: 2, "misprint": 1}
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
    assert anonymous(("block", "gender")) == figure_1.ANONYMOUS
    why = next(row for row in map(_judged, CLAIMS) if row.what == "why gender is generalised")
    assert (why.verdict, why.departs) == (MODEL, "P2-11")


def test_the_counts_of_either_gender_are_sums_of_the_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [claim for claim in CLAIMS if "(e) M-F" in claim.place.where]
    assert [_judged(claim).verdict for claim in places] == ["confirmed"] * 4
    monkeypatch.setattr(figure_1, "PEOPLE", (*PEOPLE, ("M", "2", "Yes")))
    assert [_judged(claim).verdict for claim in places] == ["confirmed", "confirmed", "false", "confirmed"]


def test_the_line_without_gender_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = [claim for claim in CLAIMS if claim.place.what == "how many lines of (a) it counts"]
    row = _judged(line)
    assert (row.verdict, row.departs) == ("misprint", "P2-11")
    assert str(row.exact) == "(a) has 8 lines, and the counts of (b) add up to 7"
    monkeypatch.setattr(figure_1, "HISTOGRAM", (*HISTOGRAM[:-1], 1))
    assert _judged(line).verdict == "confirmed"


def test_suppression_that_moves_moves_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suppression, "_suppressed", lambda self, counts: counts + 1.0)
    found = [judged(claim, Data()).verdict for claim in CLAIMS if "(c)" in claim.place.where]
    assert found.count("false") == len(figure_1.SUPPRESSED) - 3  # three cells without people are right by chance


def test_the_drawing_has_the_four_histograms() -> None:
    drawing = draw(Data())
    assert [len(panel.series[0].x) for panel in drawing.panels] == [8, 8, 8, 4]
    assert [sum(panel.series[0].y) for panel in drawing.panels] == [7, 10, 7, 7]  # type: ignore[arg-type]
    assert drawing.says.startswith("Of 7 people suppression shows 10")
