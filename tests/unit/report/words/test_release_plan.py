"""What a release would publish, in words."""

from __future__ import annotations

from pathlib import Path

from epsilens.budget import ApproxDP, PureDP
from epsilens.release.tables.question import Counting, Spending, TablesQuestion, Wanted
from epsilens.release.tables.sizes import counts_of_tables
from epsilens.release.terms import Payment, Person
from epsilens.report.words.common import Grid, Note, Text
from epsilens.report.words.release_plan import SHARES, plan_blocks, protected_sentence
from epsilens.table import Schema
from tests.support.released_tables import SCHEMA


def asked(folder: Path, wanted: Wanted | None = None, threshold: float | None = None) -> TablesQuestion:
    what = Counting(SCHEMA if threshold is None else Schema(["region"], "illness"), threshold_delta=threshold)
    payment = Payment(folder / "b.db", "survey", ApproxDP(10.0, 1e-3))
    person = what.person(True, "add-remove")
    return TablesQuestion(what, Spending(budget=PureDP(1.0)), person, payment, wanted or Wanted())


def test_one_table(tmp_path: Path) -> None:
    question = asked(tmp_path)
    said, grid, note = plan_blocks(question, counts_of_tables(question))
    assert said == Text(
        "One table of region, sex and illness would be published, with 12 counts: every cell that was declared, also "
        "where nobody is. The noise is discrete-laplace for epsilon = 1."
    )
    assert isinstance(grid, Grid)
    assert grid.headings[-1] == "95 % noise interval"
    # Var = 2 a / (1 - a)^2 with a = exp(-1); 19 of 20 draws of that noise lie within 3
    assert grid.rows == [("region x sex x illness", "12", "1", "epsilon = 1", "1.357", "± 3")]
    assert isinstance(note, Note)


def test_several_tables_say_what_a_share_is(tmp_path: Path) -> None:
    question = asked(tmp_path, Wanted(marginals=[["region"], ["illness"]], shares=[0.75, 0.25]))
    blocks = plan_blocks(question, counts_of_tables(question))
    assert blocks[-1] == Text(SHARES)
    grid = blocks[1]
    assert isinstance(grid, Grid)
    assert [row[:4] for row in grid.rows] == [
        ("region", "2", "0.75", "epsilon = 0.75"),
        ("illness", "2", "0.25", "epsilon = 0.25"),
    ]


def test_a_threshold_leaves_the_number_of_counts_open(tmp_path: Path) -> None:
    said = plan_blocks(asked(tmp_path, threshold=1e-6), None)[0]
    assert isinstance(said, Text)
    assert "with cells whose noisy count reaches a threshold" in said.text


def test_who_is_protected() -> None:
    assert protected_sentence(Person(None, 1, True)) == (
        "It protects a person: each person has one row, as you declared. Nobody can tell from it with certainty "
        "whether one person more or less is in the data."
    )
    assert "patient names a person, of whom at most 3 rows are counted" in protected_sentence(Person("patient", 3))
    assert "of whom at most one row is counted" in protected_sentence(Person("patient", 1, neighbours="substitute"))
