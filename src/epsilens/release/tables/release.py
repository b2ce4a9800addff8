"""``release_table``: from people to published counts, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from epsilens.accounting.cost import Cost
from epsilens.arrays import IntArray
from epsilens.budget import Budget
from epsilens.errors import counted
from epsilens.notebook import data_frame, listed
from epsilens.release.card_html import card_html
from epsilens.release.cards.frame import Standing
from epsilens.release.cards.internal import room_of_names
from epsilens.release.fitting.tree import check_agreement
from epsilens.release.kind import Rooms
from epsilens.release.ledger.chain import Entry
from epsilens.release.ledger.ledger import WAIT_SECONDS
from epsilens.release.making import can_be_read_again, files_dict, made
from epsilens.release.planned import Planned
from epsilens.release.samplers import NumberArray
from epsilens.release.tables.card import (
    Release,
    expected_disclosure,
    internal_assessment,
    publishable_card,
    tables_findings,
)
from epsilens.release.tables.cells import content_fingerprint, counted_source, former_fingerprints
from epsilens.release.tables.declarations import released_columns
from epsilens.release.tables.output import arrow_table, room_for, write_tables
from epsilens.release.tables.plan import Plan
from epsilens.release.tables.postprocessing import Choices, ReleasedTable, processed
from epsilens.release.tables.question import Counting, Spending, TablesQuestion, Wanted
from epsilens.release.tables.tree import OrderedTree
from epsilens.release.tables.words import card_text
from epsilens.release.terms import NOBODY, Output, Payment, Watch
from epsilens.release.universe import (
    Paths,
    Universe,
    declared_universe,
    occupied_universe,
    table_universe,
)
from epsilens.table import FrequencyTable, Schema
from epsilens.table.cells import Cells, added_up

CARD_ROOM = 65_536
INTERNAL_ROOM, INTERNAL_PART = 8_192, 1_024
"""Bytes of an internal assessment: in any case, and for every rule and every table with every sensitive column."""


@dataclass(frozen=True, eq=False)
class Released:
    """What a release gave: the tables, the publishable card, the internal assessment, and where they were written."""

    tables: tuple[ReleasedTable, ...]
    columns: tuple[str, ...]
    card: dict[str, Any]
    internal: dict[str, Any]
    files: dict[str, Path]
    entry: Entry
    """The reservation in the ledger."""

    def to_dict(self) -> dict[str, Any]:
        """The publishable card and the names of the files, in plain values."""
        return {"card": self.card, "files": files_dict(self.files)}

    def to_arrow(self) -> Any:
        """The released tables as one Arrow table, as in the output file."""
        return arrow_table(self.columns, self.tables)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return data_frame(self.to_arrow().to_pydict(), instead=".to_arrow()")

    def __repr__(self) -> str:
        rows = sum(table.universe.n_cells for table in self.tables)
        return f"Released({counted(rows, 'count')}, entry {self.entry.number} of its ledger)"

    def _repr_html_(self) -> str:
        return card_html("Released table", self.card, listed(self.columns))


def release_table(
    source: Any,
    mechanism: str = "discrete-laplace",
    budget: Budget | None = None,
    ledger: str | os.PathLike[str] | None = None,
    account: str | None = None,
    *,
    schema: Schema | None = None,
    one_row_per_person: bool = False,
    cells_are_public: bool = False,
    paths: Paths | None = None,
    total: Budget | None = None,
    composition: str | None = None,
    plan: Planned | Sequence[Planned] | None = None,
    neighbours: str = "add-remove",
    marginals: Sequence[Sequence[str]] | None = None,
    levels: Sequence[str] | None = None,
    hierarchy: Sequence[str] | None = None,
    tree: str | None = None,
    branching: int = 2,
    public_total: int | None = None,
    shares: Sequence[float] | None = None,
    threshold_delta: float | None = None,
    rounded: bool = False,
    non_negative: bool = False,
    consistent: bool = False,
    confidence: float = 0.95,
    allow_continuous: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    table: str | None = None,
    count: str | None = None,
    wait: float = WAIT_SECONDS,
    notice: Callable[[str], None] | None = None,
    expects: Callable[[int], None] | None = None,
    progress: Callable[[int], None] | None = None,
    reached: Callable[[str], None] | None = None,
) -> Released:
    """Release ``source`` with secure noise, paid from an ``account`` of a ``ledger``.

    ``source`` is whatever :func:`epsilens.read_table` reads, or a frequency table that it read. **The universe**: all
    cells of the levels that ``schema`` declares (``universe``, bin edges, ``paths`` of columns that nest) are
    published, empty ones included, structural zeros not. A table of counts made by hand may declare with
    ``cells_are_public`` that its own cells are the universe. Without a universe, ``threshold_delta`` publishes occupied
    cells whose noisy count reaches a threshold, and adds that delta to the price. ``schema.where`` and
    ``schema.missing`` say which rows are counted; both are declared, and stand on the card. **The person**:
    ``schema.unit`` and ``schema.max_rows_per_unit``, or the declaration ``one_row_per_person``.

    ``total`` (with a ``composition`` rule: pure, approx, zcdp, approx-zcdp, pld) opens the account; afterwards it may
    be left out. All rules but pld hold however each release is chosen after seeing earlier ones. With pld ``plan``
    declares all of them when the account is opened: a number, for so many priced like this one, or a list of numbers
    and of releases as they are written, such as ``"3 x discrete-gaussian rho=0.05"``.
    ``marginals`` (lists of columns) or ``levels`` (columns that nest, lowest first) release several tables, the budget
    being split equally or by ``shares``, in their order; ``hierarchy`` is the older way to name levels, coarsest first.
    A ``tree`` over the declared levels of a column, in their order, releases the counts of all its ranges, each split
    into ``branching`` parts, and makes them agree: the universal histogram.
    ``rounded``, ``non_negative`` and ``consistent`` are post-processing. Under substitute the number of people is
    public: declared as ``public_total``, consistent counts add up to it.
    With ``out`` (.csv or .parquet) the output, its card (.card.json, .card.md) and the internal assessment
    (.internal.json) are written; without, the release is returned only, and counts all the same.

    **Rows that do not fit** what was declared (levels outside the universe, structural zeros, values that no bin holds,
    counts that are not numbers, rows of nobody) are not counted, and never refused: what a release does, says and
    writes must not depend on them. The internal assessment tells how many there were, and
    :func:`epsilens.release.preflight` tells beforehand.

    ``expects`` is told how many cells will get noise and ``progress`` how many more have it, unless a threshold stands
    in for the universe: that number is then a fact about people. ``notice`` is told that the ledger has to be waited
    for, ``reached`` each step of the protocol. There is no seed: noise comes from the operating system.
    """
    if schema is None and isinstance(source, FrequencyTable):
        schema = getattr(source, "schema", None)
    counting = Counting(
        schema=schema,
        columns=released_columns(source, None) if schema is None and isinstance(source, FrequencyTable) else (),
        paths=paths,
        cells_are_public=cells_are_public,
        threshold_delta=threshold_delta,
        count=count,
        table=table,
    )
    question = TablesQuestion(
        counting=counting,
        spending=Spending(mechanism, budget, allow_continuous),
        person=counting.person(one_row_per_person, neighbours),
        payment=Payment(ledger, account, total, composition, wait, plan),  # type: ignore[arg-type]  # none is refused there
        wanted=Wanted(marginals, levels, hierarchy, shares, None if tree is None else OrderedTree(tree, branching)),
        choices=Choices(rounded, non_negative, consistent or tree is not None, confidence, public_total),
        output=Output(out, force),
    )
    return released(question, source, Watch(notice, expects, progress, reached))


def released(question: TablesQuestion, source: Any, watch: Watch = NOBODY) -> Released:
    """The answer to ``question``: the people of ``source``, counted, paid for, drawn and written."""
    found = made(tables_job(question, source, watch), watch)
    return Released(
        tables=found.drawn.tables,
        columns=question.columns,
        card=found.card,
        internal=found.internal,
        files=found.files,
        entry=found.entry,
    )


@dataclass(frozen=True, eq=False)
class _Counted:
    """The data, counted: the occupied cells, the universe where one is declared, and what only the data tell."""

    cells: Cells
    universe: Universe | None
    published: Universe | None
    """The same cells with the columns of a tree's depths, where there is one."""
    disclosure: dict[str, Any]
    findings: dict[str, Any]


def tables_job(question: TablesQuestion, source: Any, watch: Watch = NOBODY) -> _Job:
    """The release of ``question`` from ``source``; nothing is paid or drawn yet."""
    question.refuse_source(source)
    return _Job(question, source, watch)


@dataclass(frozen=True, eq=False)
class _Job:
    """The release that answers a question, from this source."""

    question: TablesQuestion
    source: Any
    watch: Watch

    @property
    def plan(self) -> Plan:
        """What was decided before any data is read."""
        return self.question.plan

    @property
    def cost(self) -> Cost:
        """What the account is charged."""
        return self.plan.cost

    @cached_property
    def counted(self) -> _Counted:
        """Read and count the data."""
        asked = self.question.counting
        universe = None
        if not self._thresholded:
            public = asked.public
            universe = table_universe(self.source) if public is None else declared_universe(public, asked.paths)
        tree, choices = self.question.tree, self.question.choices
        published = universe if universe is None or tree is None else tree.extended(universe)
        if published is not None and choices.consistent:
            parts = [published.marginal(plan.columns)[0] for plan in self.plan.tables]
            check_agreement(published, parts, choices.non_negative, choices.public_total)
        # Risks do not depend on the draw. They come first, so that nothing of theirs can fail once budget is spent.
        disclosure = expected_disclosure(self.plan)
        counted = counted_source(self.source, asked.public, asked.table, asked.count)
        findings = tables_findings(counted, universe, self.plan, choices.public_total)
        return _Counted(counted.cells, universe, published, disclosure, findings)

    @property
    def _thresholded(self) -> bool:
        """Whether a threshold stands in for a universe: which cells there are is then a secret until they are drawn."""
        return self.plan.tables[0].threshold is not None

    def findings(self) -> dict[str, Any]:
        """What only the data tell, before anything is drawn."""
        return self.counted.findings

    def recounted(self, row_salt: str) -> bytes:
        """The fingerprint of the data with the rows of people with too many chosen by ``row_salt``."""
        asked = self.question.counting
        assert asked.public is not None  # a source that is read has one
        return content_fingerprint(self.source, asked.public, asked.table, asked.count, row_salt)

    @property
    def fingerprint(self) -> bytes:
        """The digest of the occupied cells."""
        return self.counted.cells.fingerprint

    @property
    def former_fingerprints(self) -> tuple[bytes, ...]:
        """Those of the same cells in ledgers that earlier versions wrote."""
        return former_fingerprints(self.counted.cells)

    @property
    def row_salt(self) -> str | None:
        """What chose the rows kept of people with too many."""
        return self.counted.cells.row_salt

    @property
    def readable_again(self) -> bool:
        """Whether a second scan finds the same: a counted table has no rows any more."""
        return not isinstance(self.source, FrequencyTable) and can_be_read_again(self.source)

    def facts(self) -> dict[str, Any]:
        """What the ledger says about the release: public words only."""
        return {
            "mechanism": self.plan.mechanism,
            "tables": [{"columns": list(table.public_columns)} for table in self.plan.tables],
        }

    def drawn(self) -> Release:
        """Noise on every cell, then post-processing."""
        counted = self.counted
        universes: list[Universe] = []
        truths: list[IntArray] = []
        noisy: list[NumberArray] = []
        joint = None if counted.universe is None else counted.universe.counts(counted.cells)
        # How many cells are occupied is a secret: then nobody is told how many there are, or how many have their noise.
        cells, progress = self.cells_to_draw, None if self._thresholded else self.watch.progress
        if cells is not None and self.watch.expects is not None:
            self.watch.expects(cells)
        for plan in self.plan.tables:
            if counted.published is None or joint is None:
                universe, truth = occupied_universe(counted.cells, plan.columns)
            else:
                universe, group = counted.published.marginal(plan.columns)
                truth = added_up(group, joint, universe.n_cells)
            drawn = plan.noise.added(truth, progress)
            if plan.threshold is not None:
                shown = drawn >= plan.threshold
                universe = universe.where(shown).sorted_by_text()
                truth, drawn = truth[shown], drawn[shown]
            universes.append(universe)
            truths.append(truth)
            noisy.append(drawn)
        tables, steps = processed(self.plan.tables, universes, noisy, self.question.choices, counted.published)
        if (tree := self.question.tree) is not None:
            tables = [replace(table, universe=tree.shown(table.universe)) for table in tables]
        return Release(
            question=self.question,
            universe=counted.universe,
            cells=counted.cells,
            disclosure=counted.disclosure,
            findings=counted.findings,
            tables=tuple(tables),
            steps=tuple(steps),
            true_counts=tuple(truths),
        )

    @property
    def cells_to_draw(self) -> int | None:
        """How many cells get noise, over all tables; nothing where that is a fact about people."""
        universe = self.counted.published
        if universe is None:
            return None
        return sum(universe.marginal(plan.columns)[0].n_cells for plan in self.plan.tables)

    @property
    def rooms(self) -> Rooms:
        """How many bytes the files may take, by what was declared; the shown rows of a thresholded release are not."""
        path, columns = self.question.output.path, self.question.columns
        assert path is not None  # asked where something is written
        universe, public = self.counted.universe, self.question.counting.public
        if universe is not None:
            declared = dict(zip(universe.columns, universe.levels, strict=True))
        else:
            declared = {} if public is None else public.universe_levels
        levels = {name: found for name, found in declared.items() if name in columns}
        if (tree := self.question.tree) is not None:
            levels[tree.column] = tree.range_labels
        names = sum(2 * len("".join(found).encode()) + 16 * len(found) for found in levels.values())
        output = room_for(path, levels, self.cells_to_draw or 0, several=len(self.plan.tables) > 1)
        zeros = 0 if public is None else len(public.impossible)
        rules = 3 * len(self.question.counting.columns) + zeros + 2
        parts = rules + len(self.plan.tables) * (len(columns) + 1)
        # A rule is named only where some row breaks it, so every name may be there or not, in every part.
        asked = self.question.counting
        said = room_of_names(*asked.columns, asked.count, self.question.person.unit, _place(self.source))
        internal = INTERNAL_ROOM + parts * (INTERNAL_PART + said)
        return Rooms(output=output, card=CARD_ROOM + names, text=CARD_ROOM, internal=internal)

    def write(self, stream: BinaryIO, path: Path, drawn: Release) -> None:
        """The released tables, in the format that ``path`` names."""
        write_tables(stream, path, self.question.columns, drawn.tables)

    def card(self, drawn: Release, standing: Standing) -> dict[str, Any]:
        """The publishable card."""
        return publishable_card(drawn, standing)

    def words(self, card: Mapping[str, Any]) -> str:
        """The card for people."""
        return card_text(card)

    def internal(self, drawn: Release, reservation: Entry) -> dict[str, Any]:
        """The internal assessment."""
        return internal_assessment(drawn, reservation)


def _place(source: Any) -> str | None:
    """Where the data are, which reasons for what is not computed may name."""
    return str(source) if isinstance(source, str | Path) else None
