"""``evaluate``: a table or synthetic people that somebody has published, against the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from epsilens.checks import whole
from epsilens.choice.claimed_noise import Claim
from epsilens.choice.claims import noise_verdict
from epsilens.choice.questions.evaluation import Evaluation, Reading
from epsilens.errors import ParameterError
from epsilens.table.cells import Cells
from epsilens.table.conditions import Condition, Where, conditions
from epsilens.table.declared_cells import declared_levels_of
from epsilens.table.frequency import FrequencyTable
from epsilens.table.published import PublishedCounts, marginal_beside, side_by_side
from epsilens.table.reading.published import read_published
from epsilens.table.schema import Schema
from epsilens.table.to_read import TableToRead
from epsilens.utility.released import released_distances, ways_within_reach

ROWS_DRAWN = (
    "people have more rows than are counted, and which of them are kept is drawn at random: the release had other true "
    "counts than those that are counted here, so that no law of noise can be tested"
)

_LEVELS_NAMED = 5


@dataclass(frozen=True)
class PublishedToRead:
    """Where a published table is: a file, a database, a data frame."""

    source: Any
    table: str | None = None
    """The table to read, where ``source`` is a database."""
    count: str | None = None
    """The column of published counts; without it every row is a (synthetic) person."""
    where: Where = ()
    """Which of its rows are read."""

    def __post_init__(self) -> None:
        conditions(self.where)

    def read(self, schema: Schema) -> PublishedCounts:
        """Its counts by the columns of ``schema``."""
        return read_published(self.source, schema, self.table, self.count, self.where)


@dataclass(frozen=True)
class FurtherTable:
    """Another table of the same publication: which rows of the file it is, its columns, and what is claimed of it."""

    name: str
    columns: tuple[str, ...]
    where: tuple[Condition, ...]
    claim: Claim


@dataclass(frozen=True)
class Question:
    """What was published, what is true, and what is claimed."""

    published: PublishedToRead
    data: TableToRead
    """The truth; its schema says what the columns of both tables mean."""
    claim: Claim | None = None
    further: tuple[FurtherTable, ...] = ()
    seed: int = 0
    """Another seed, other draws where the test of noise splits counts that several draws could have given."""
    skipped: tuple[str, ...] = ()
    """What a card tells and cannot be looked at here, in sentences."""

    def __post_init__(self) -> None:
        whole("seed", self.seed, 0)
        if self.data.schema.read_from_data:
            raise ParameterError(
                f"the quantile bins of {', '.join(map(repr, self.data.schema.read_from_data))} depend on who is "
                "counted, and two tables count different people",
                remedy="declare edges with `bins` instead, such as 0, 18 and 65",
            )


def answer(question: Question, truth: FrequencyTable | None = None) -> Evaluation:
    """The published table against ``truth``, or against the one that the question says where to read."""
    schema = question.data.schema
    published = question.published.read(schema)
    true = question.data.read() if truth is None else truth
    further = []
    for table in question.further:
        own = replace(question.published, where=table.where).read(_marginal_schema(schema, table.columns))
        further.append(
            noise_verdict(marginal_beside(true, own), table.claim, question.seed, levels=False, name=table.name)
        )
    found = compared(true, published, question.claim, question.seed, question.skipped)
    return replace(found, further=tuple(further), harm_declared=bool(question.data.harmful))


def compared(
    truth: FrequencyTable,
    published: PublishedCounts,
    claim: Claim | None = None,
    seed: int = 0,
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Two tables, compared."""
    side = side_by_side(truth, published)
    if claim is not None and truth.dropped_rows:
        claim = replace(claim, untestable=ROWS_DRAWN)
    ways = ways_within_reach(len(side.cells) + len(side.sensitive))
    distances = released_distances(side.known, side.truth, side.cells, side.label_values, side.sensitive, ways)
    return Evaluation(
        Reading.of(published, side),
        side,
        tuple(distances),
        None if claim is None else noise_verdict(side, claim, seed),
        harm_declared=bool(truth.harm.weights),
        notes=(*_strange_levels(truth, published), *notes),
    )


def _strange_levels(truth: FrequencyTable, published: PublishedCounts) -> Iterator[str]:
    """Which levels of the published table nobody of the truth has and nobody declared, in sentences."""
    people, declared = Cells.of(truth).domain, declared_levels_of(truth)
    for name in published.domain.columns:
        known = {*people.levels_of(name), *declared.get(name, ())}
        strange = [level for level in published.domain.levels_of(name) if level not in known]
        if strange:
            more = len(strange) - _LEVELS_NAMED
            shown = ", ".join(strange[:_LEVELS_NAMED]) + (f" and {more} more" if more > 0 else "")
            yield f"Published levels of {name} that nobody of the truth has: {shown}. Are they spelt alike in both?"


def _marginal_schema(schema: Schema, columns: tuple[str, ...]) -> Schema:
    """The schema of a table of some of the columns, all of which name its cells."""
    return replace(
        schema,
        quasi_identifiers=columns,
        sensitive=(),
        bins={name: rule for name, rule in schema.bins.items() if name in columns},
        universe=None,
        structural_zeros=None,
        missing="level",
        copies={},
    )
