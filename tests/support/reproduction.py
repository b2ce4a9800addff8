"""A small answer with every verdict and every kind of panel, from claims made up."""

from __future__ import annotations

from epsilens.reproduce.claims import Finding, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Panel, Series
from epsilens.reproduce.printed import Printed
from epsilens.reproduce.question import Answer, Question
from epsilens.reproduce.verdicts import judged


def number(where: str, printed: str, stated: float, **more: object) -> Number:
    return Number(Place("P3", where, f"the number of {where}", "P3-a"), Printed(printed), lambda _: stated, **more)  # type: ignore[arg-type]


CLAIMS = (
    number("Table 1, row 1", ".50", 0.5),
    number("Table 1, row 2", ".50", 0.52, error=lambda _: 0.01),
    number("Table 1, row 3", ".50", 0.7, readings=(Reading("with the other sign", lambda _: 0.5, slip=True),)),
    number("Figure 1, first", ".50", 0.7, readings=(Reading("from another chain", lambda _: 0.5),)),
    number("Figure 1, second", ".50", 0.7),
    Number(Place("P3", "Table 2, row 1", "a number of data"), Printed("1"), lambda data: float(data.file("a.csv"))),
    Statement(Place("P3", "section 1", "a trend"), "it rises", lambda _: Finding(False, "from 2 to 1 at 3")),
)
LINE = Series("a", [0.1, 1.0, 10.0], [1.0, 2.0, 3.0], low=[0.5, 1.0, 2.0], high=[1.5, 3.0, 4.0])
PANELS = (
    Panel(
        "lines", "epsilon", "risk", [LINE, Series("b", [0.1, 1.0], [2.0, 1.0])], log_x=True, verticals=[("now", 1.0)]
    ),
    Panel("steps", "x", "y", [Series("a", [0, 1, 2], [1, 3, 2])], "step", horizontals=[("half", 2.0)]),
    Panel("points", "x", "y", [Series("a", [0, 1, 2], [1, 3, 2])], "point", log_y=True),
    Panel("bars", "size", "cells", [Series("a", [1, 2, 3], [5, 3, 1]), Series("b", [1, 2, 3], [4, 2, 1])], "bar"),
    Panel("boxes", "epsilon", "distance", [Series("a", ["1", "1", "2", "2"], [0.1, 0.2, 0.3, 0.5])], "box"),
    Panel("map", "x2", "y1", [Series("", [0, 0, 1, 1], [0, 1, 0, 1], ["there", "not", "not", "there"])], "map"),
    Panel("shades", "x2", "y1", [Series("", [0, 0, 1, 1], [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])], "map", legend="risk"),
)


def drawing(columns: int = 2) -> Drawing:
    return Drawing("P3", "Figure 1", "every kind of panel", PANELS, "The lines rise from 1 to 3.", columns)


def answer(*verdicts: str) -> Answer:
    question = Question(("P3",), verdicts=verdicts)
    rows = tuple(judged(claim, Data()) for claim in CLAIMS)
    return Answer(question, rows, (drawing(),), (("P3", "Figure 2", "b.csv"),))
