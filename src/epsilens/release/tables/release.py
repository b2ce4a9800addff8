"""``release_table``: from people to published counts, in one call."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from epsilens.accounting.account import Account
from epsilens.arrays import IntArray
from epsilens.budget import Budget
from epsilens.errors import EpsilensWarning, ParameterError
from epsilens.notebook import data_frame, listed
from epsilens.release.card_html import card_html
from epsilens.release.fitting.tree import check_agreement
from epsilens.release.ledger.chain import Chain, Entry
from epsilens.release.ledger.ledger import WAIT_SECONDS, Ledger, Request
from epsilens.release.ledger.protocol import OutputFile, publish
from epsilens.release.samplers import NumberArray
from epsilens.release.tables.card import (
    Release,
    expected_disclosure,
    homogeneity_risks,
    internal_assessment,
    publishable_card,
)
from epsilens.release.tables.cells import can_be_read_again, content_fingerprint, counted_source
from epsilens.release.tables.declarations import released_columns, rows_of_a_person, schema_with_public_levels
from epsilens.release.tables.output import arrow_table, check_output_path, room_for, write_tables
from epsilens.release.tables.plan import Plan, hierarchy_levels, make_plan
from epsilens.release.tables.postprocessing import Choices, ReleasedTable, processed
from epsilens.release.tables.universe import (
    Paths,
    Universe,
    declared_universe,
    occupied_universe,
    table_universe,
)
from epsilens.release.tables.words import card_text
from epsilens.table import FrequencyTable, Schema
from epsilens.table.cells import Cells

CARD_ROOM = 65_536


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

    def to_arrow(self) -> Any:
        """The released tables as one Arrow table, as in the output file."""
        return arrow_table(self.columns, self.tables)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return data_frame(self.to_arrow().to_pydict(), instead=".to_arrow()")

    def __repr__(self) -> str:
        rows = sum(table.universe.n_cells for table in self.tables)
        return f"Released({rows} counts, entry {self.entry.number} of its ledger)"

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
    neighbours: str = "add-remove",
    marginals: Sequence[Sequence[str]] | None = None,
    hierarchy: Sequence[str] | None = None,
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
    cells whose noisy count reaches a threshold, and adds that delta to the price. **The person**: ``schema.unit`` and
    ``schema.max_rows_per_unit``, or the declaration ``one_row_per_person``.

    ``total`` (with a ``composition`` rule: pure, approx, zcdp, pld) opens the account; afterwards it may be left out.
    ``marginals`` (lists of columns) or a ``hierarchy`` (columns that nest, coarsest first) release several tables, the
    budget being split equally or by ``shares``. ``rounded``, ``non_negative`` and ``consistent`` are post-processing.
    With ``out`` (.csv or .parquet) the output, its card (.card.json, .card.md) and the internal assessment
    (.internal.json) are written; without, the release is returned only, and counts all the same.

    ``expects`` is told how many cells will get noise, ``progress`` how many more have it, ``notice`` that the ledger
    has to be waited for, ``reached`` each step of the protocol. There is no seed: noise comes from the operating
    system.
    """
    if ledger is None or account is None:
        raise ParameterError("a release is paid from an account of a ledger; name both")
    book = Ledger(ledger, wait, notice)
    if schema is None and isinstance(source, FrequencyTable):
        schema = getattr(source, "schema", None)
    if schema is None and not isinstance(source, FrequencyTable):
        raise ParameterError("a release needs a schema that says which columns to count and what their levels are")
    cells_known = schema_with_public_levels(schema, paths, cells_are_public, threshold_delta)
    rows = rows_of_a_person(source, schema, one_row_per_person)
    columns = released_columns(source, schema)
    if hierarchy is not None:
        if marginals is not None:
            raise ParameterError("give marginals or a hierarchy, not both")
        marginals = hierarchy_levels(columns, hierarchy)
    plan = make_plan(
        columns,
        mechanism,
        budget,
        neighbours=neighbours,
        max_rows_per_unit=rows,
        marginals=marginals,
        shares=shares,
        threshold_at=threshold_delta,
        allow_continuous=allow_continuous,
    )
    choices = Choices(rounded, non_negative, consistent, confidence)
    choices.check(len(plan.tables), plan.tables[0].noise.law.integer_valued)
    output = None if out is None else Path(out)
    if output is not None:
        check_output_path(output, source)
    opening = None if total is None else Account.opened(account, total, neighbours, composition)
    unit = None if schema is None else schema.unit
    job = _Job(source, cells_known, paths, plan, choices, output, unit, table, count, expects, progress)
    counted = job.counted()
    request = Request(
        account,
        neighbours,
        plan.cost,
        job.facts(),
        counted.cells.fingerprint,
        opening,
        counted.cells.row_salt,
        job.recounted if can_be_read_again(source) else None,
    )
    published = publish(book, request, lambda: job.drawn(counted), job.files(counted), force, reached)
    release = published.drawn
    return Released(
        release.tables,
        release.columns,
        publishable_card(release, published.reservation, published.chain, published.hashes),
        internal_assessment(release, published.reservation),
        {} if output is None else output_paths(output),
        published.reservation,
    )


def output_paths(output: Path) -> dict[str, Path]:
    """The files of a release, by role: the output, its card twice, the internal assessment."""
    return {
        "output": output,
        "card": output.with_suffix(".card.json"),
        "card-text": output.with_suffix(".card.md"),
        "internal": output.with_suffix(".internal.json"),
    }


@dataclass(frozen=True, eq=False)
class _Counted:
    """The data, counted: the occupied cells, the universe where one is declared, and the risks."""

    cells: Cells
    universe: Universe | None
    disclosure: dict[str, Any]
    homogeneity: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class _Job:
    """One call of :func:`release_table`, after its checks."""

    source: Any
    schema: Schema | None
    paths: Paths | None
    plan: Plan
    choices: Choices
    output: Path | None
    unit: str | None
    table: str | None
    count: str | None
    expects: Callable[[int], None] | None
    progress: Callable[[int], None] | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that some released table has, in the order of the data."""
        known = self.source if isinstance(self.source, FrequencyTable) else None
        given = released_columns(known, self.schema)
        return tuple(name for name in given if any(name in table.columns for table in self.plan.tables))

    def counted(self) -> _Counted:
        """Read and count the data."""
        thresholded = self.plan.tables[0].threshold is not None
        if self.schema is None:
            universe = None if thresholded else table_universe(self.source)
        else:
            universe = None if thresholded else declared_universe(self.schema, self.paths)
        counted = counted_source(self.source, self.schema, self.table, self.count)
        cells = counted.cells
        if universe is not None:
            universe.counts(cells)  # people outside the universe are found before anything is spent
            if self.choices.consistent:
                parts = [universe.marginal(plan.columns)[0] for plan in self.plan.tables]
                check_agreement(universe, parts, self.choices.non_negative)
        # Risks do not depend on the draw. They come first, so that nothing of theirs can fail once budget is spent.
        homogeneity = [] if counted.table is None else homogeneity_risks(counted.table, self.plan)
        return _Counted(cells, universe, expected_disclosure(self.plan), homogeneity)

    def recounted(self, row_salt: str) -> bytes:
        """The fingerprint of the data with the rows of people with too many chosen by ``row_salt``."""
        assert self.schema is not None  # a source that is read has one
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EpsilensWarning)  # said when the data were read first
            return content_fingerprint(self.source, self.schema, self.table, self.count, row_salt)

    def facts(self) -> dict[str, Any]:
        """What the ledger says about the release: public words only."""
        return {
            "mechanism": self.plan.mechanism,
            "neighbours": self.plan.neighbours,
            "tables": [{"columns": list(table.columns)} for table in self.plan.tables],
            "unit": self.unit,
            "rows_per_person": self.plan.max_rows_per_unit,
            "output": None if self.output is None else self.output.name,
        }

    def drawn(self, counted: _Counted) -> Release:
        """Noise on every cell, then post-processing."""
        universes: list[Universe] = []
        truths: list[IntArray] = []
        noisy: list[NumberArray] = []
        joint = None if counted.universe is None else counted.universe.counts(counted.cells)
        if self.expects is not None:
            self.expects(self.cells_to_draw(counted))
        for plan in self.plan.tables:
            if counted.universe is None or joint is None:
                universe, truth = occupied_universe(counted.cells, plan.columns)
            else:
                universe, group = counted.universe.marginal(plan.columns)
                truth = np.zeros(universe.n_cells, dtype=np.int64)
                np.add.at(truth, group, joint)
            drawn = plan.noise.added(truth, self.progress)
            if plan.threshold is not None:
                shown = drawn >= plan.threshold
                universe = universe.where(shown).sorted_by_text()
                truth, drawn = truth[shown], drawn[shown]
            universes.append(universe)
            truths.append(truth)
            noisy.append(drawn)
        tables, steps = processed(self.plan.tables, universes, noisy, self.choices, counted.universe)
        return Release(
            self.plan,
            self.choices,
            self.columns,
            self.schema,
            self.count,
            self.paths,
            {"protects": "a person", "column": self.unit, "max_rows_per_person": self.plan.max_rows_per_unit},
            counted.universe,
            counted.cells,
            counted.disclosure,
            tuple(counted.homogeneity),
            tuple(tables),
            tuple(steps),
            tuple(truths),
            self.output,
        )

    def cells_to_draw(self, counted: _Counted) -> int:
        """How many cells get noise, over all tables; of a thresholded release at most."""
        if counted.universe is None:
            return len(counted.cells.counts)
        return sum(counted.universe.marginal(plan.columns)[0].n_cells for plan in self.plan.tables)

    def files(self, counted: _Counted) -> list[OutputFile[Release]]:
        """The output and its companions, with the room they may take."""
        if self.output is None:
            return []
        paths, columns, output = output_paths(self.output), self.columns, self.output
        several = len(self.plan.tables) > 1
        known = (counted.cells if counted.universe is None else counted.universe).domain
        levels = {name: found for name, found in zip(known.columns, known.levels, strict=True) if name in columns}
        rows = self.cells_to_draw(counted)
        card_room = CARD_ROOM + sum(2 * len(level.encode()) + 16 for found in levels.values() for level in found)

        def write_output(stream: BinaryIO, release: Release, _e: Entry, _c: Chain, _h: dict[str, str]) -> None:
            write_tables(stream, output, columns, release.tables)

        def write_card(stream: BinaryIO, release: Release, entry: Entry, chain: Chain, hashes: dict[str, str]) -> None:
            stream.write(_json(publishable_card(release, entry, chain, hashes)))

        def write_text(stream: BinaryIO, release: Release, entry: Entry, chain: Chain, hashes: dict[str, str]) -> None:
            stream.write(card_text(publishable_card(release, entry, chain, hashes)).encode())

        def write_internal(stream: BinaryIO, release: Release, entry: Entry, _c: Chain, _h: dict[str, str]) -> None:
            stream.write(_json(internal_assessment(release, entry)))

        return [
            OutputFile("output", paths["output"], write_output, room_for(output, levels, rows, several)),
            OutputFile("card", paths["card"], write_card, card_room),
            OutputFile("card-text", paths["card-text"], write_text, CARD_ROOM),
            OutputFile("internal", paths["internal"], write_internal, CARD_ROOM, private=True),
        ]


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
