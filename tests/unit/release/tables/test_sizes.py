"""How many counts a release will publish, before any data are read."""

from __future__ import annotations

from pathlib import Path

from epsilens.budget import ApproxDP, PureDP
from epsilens.release.tables.postprocessing import Choices
from epsilens.release.tables.question import Counting, Spending, TablesQuestion, Wanted
from epsilens.release.tables.release import released
from epsilens.release.tables.sizes import counts_of_tables
from epsilens.release.tables.tree import OrderedTree
from epsilens.release.terms import Payment
from epsilens.table import Schema
from tests.support.released_tables import SCHEMA


def asked(folder: Path, wanted: Wanted | None = None, **counting: object) -> TablesQuestion:
    schema = SCHEMA if not counting else Schema(["region", "sex"], "illness")
    what = Counting(schema, **counting)  # type: ignore[arg-type]
    payment = Payment(folder / "b.db", "survey", ApproxDP(10.0, 1e-3))
    return TablesQuestion(
        what, Spending(budget=PureDP(1.0)), what.person(True, "add-remove"), payment, wanted or Wanted()
    )


def test_every_declared_cell_is_a_count(people: Path, tmp_path: Path) -> None:
    for wanted in (Wanted(), Wanted(marginals=[["region", "sex"], ["illness"], []])):
        question = asked(tmp_path, wanted)
        drawn = released(question, people)
        assert counts_of_tables(question) == tuple(table.universe.n_cells for table in drawn.tables)
    assert counts_of_tables(asked(tmp_path)) == (12,)


def test_a_tree_has_the_ranges_of_its_depths(tmp_path: Path) -> None:
    what = Counting(Schema(["sex"], "age", universe={"sex": ["f", "m"], "age": ["1", "2", "3", "4"]}))
    question = TablesQuestion(
        what,
        Spending(budget=PureDP(1.0)),
        what.person(True, "add-remove"),
        Payment(tmp_path / "b.db", "survey", PureDP(10.0)),
        Wanted(tree=OrderedTree("age")),
        choices=Choices(consistent=True),
    )
    assert counts_of_tables(question) == (2, 4, 8)  # by sex


def test_a_threshold_leaves_it_open(tmp_path: Path) -> None:
    assert counts_of_tables(asked(tmp_path, threshold_delta=1e-6)) is None
