"""``release_statistics``: from microdata to published means, proportions, variances and covariances, in one call.

Bounds are declared, never read from the data; what lies outside is clamped, and counted in the internal report. One
budget pays for all statistics, in shares. Noise, ledger, crash safety and the sealed digest are those of
:func:`epsilens.release_table`.

**What a refusal tells.** Nothing about the people: whatever the records hold, the release is made. Records that do not
fit their declaration are dealt with by rule (``StatisticsQuestion.misfits``), and where there are fewer than the
declared n the statistics are those of n (:class:`epsilens.table.moments.Moments`). How many there were of either is in
the internal report; :func:`epsilens.release.preflight` tells beforehand, and publishes nothing.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from epsilens.accounting.cost import Cost
from epsilens.budget import Budget
from epsilens.checks import one_of
from epsilens.notebook import data_frame, listed
from epsilens.release.card_html import card_html
from epsilens.release.cards.frame import Standing
from epsilens.release.cards.internal import room_of_names
from epsilens.release.kind import Rooms
from epsilens.release.ledger.chain import Entry
from epsilens.release.ledger.ledger import WAIT_SECONDS
from epsilens.release.making import can_be_read_again, files_dict, made
from epsilens.release.planned import Planned
from epsilens.release.statistics.card import (
    COLUMNS,
    StatisticsRelease,
    internal_report,
    statistics_card,
    statistics_findings,
)
from epsilens.release.statistics.check import moments_fingerprint
from epsilens.release.statistics.kinds import Statistic
from epsilens.release.statistics.noise import NoisePlan
from epsilens.release.statistics.postprocessing import ReleasedStatistic, processed
from epsilens.release.statistics.question import Bounding, Records, StatisticsQuestion
from epsilens.release.statistics.words import statistics_card_text
from epsilens.release.terms import NOBODY, Output, Payment, Person, Watch
from epsilens.table.bins import BinSpec
from epsilens.table.conditions import Where
from epsilens.table.moments import Moments
from epsilens.table.reading.moments import Missing

ROOM = 65_536
ROW_ROOM = 2_048


@dataclass(frozen=True, eq=False)
class ReleasedStatistics:
    """What a release gave: the statistics, the publishable card, the internal report, and where they were written."""

    statistics: tuple[ReleasedStatistic, ...]
    card: dict[str, Any]
    internal: dict[str, Any]
    files: dict[str, Path]
    entry: Entry
    """The reservation in the ledger."""

    def __getitem__(self, name: str) -> ReleasedStatistic:
        """The statistic of that name, such as ``mean(age)``."""
        found = {statistic.name: statistic for statistic in self.statistics}
        return found[one_of("statistic", name, found)]

    def rows(self) -> list[dict[str, Any]]:
        """One plain row per number, as in the output file."""
        return [row for statistic in self.statistics for row in statistic.rows()]

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return data_frame(self.rows(), instead=".rows()")

    def to_dict(self) -> dict[str, Any]:
        """The publishable card and the names of the files, in plain values."""
        return {"card": self.card, "files": files_dict(self.files)}

    def __repr__(self) -> str:
        return f"ReleasedStatistics({len(self.rows())} numbers, entry {self.entry.number} of its ledger)"

    def _repr_html_(self) -> str:
        return card_html("Released statistics", self.card, listed(statistic.name for statistic in self.statistics))


def release_statistics(
    source: Any,
    statistics: Sequence[Statistic],
    budget: Budget | None = None,
    ledger: str | os.PathLike[str] | None = None,
    account: str | None = None,
    *,
    n: int | None = None,
    neighbours: str = "add-remove",
    one_row_per_person: bool = False,
    unit: str | None = None,
    max_rows_per_unit: int = 1,
    shares: Sequence[float] | None = None,
    bounding: str = "clamped",
    missing: Missing | None = None,
    missing_values: Sequence[str] = (),
    bins: Mapping[str, BinSpec] | None = None,
    where: Where = (),
    confidence: float = 0.95,
    total: Budget | None = None,
    composition: str | None = None,
    plan: Planned | Sequence[Planned] | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    table: str | None = None,
    wait: float = WAIT_SECONDS,
    notice: Callable[[str], None] | None = None,
    reached: Callable[[str], None] | None = None,
) -> ReleasedStatistics:
    """Release ``statistics`` of the people in ``source`` with secure noise, paid from an ``account`` of a ``ledger``.

    ``source`` is whatever :func:`epsilens.read_table` reads. The budget (``PureDP``) is split over the statistics
    equally or by ``shares``; epsilons add up. **n**: under add-remove the number of records is private, so a public
    lower bound is required; the statistics divide by the actual number, or by the bound where there are fewer, and the
    noise uses the bound. Under substitute n is the same for all neighbours and taken from the data, unless given.
    **The person**: ``unit`` and ``max_rows_per_unit`` (more than one under add-remove only), or the declaration
    ``one_row_per_person``.

    ``bounding``: values are ``"clamped"`` to the range that the statistic can have (free), left (``"none"``), or drawn
    again until inside (``"truncated"``, single numbers only, with more noise). Proportions are moved to shares that add
    up, covariance matrices are always made positive semidefinite. ``missing`` declares a public value for columns in
    which some may be missing. **Records that do not fit** (a value that is missing and has no public one in its place,
    cannot be read, or was not declared) are never refused: under add-remove they are left out of everything
    (``missing="exclude"`` says the same in words), under substitute they stay, in the middle of the bounds and with
    none of the levels. ``bins`` turn numbers into
    the levels of proportions and groups, by declared widths or edges: the levels are then ``[18, 65)`` and the like.
    ``where`` declares which rows are records, such as ``"age>=18"`` (:mod:`epsilens.table.conditions`); their number is
    then private, so it needs add-remove.

    ``total`` (with a ``composition`` rule: pure, approx, zcdp, approx-zcdp, or pld for a ``plan`` of releases) opens
    the account, as for :func:`epsilens.release_table`.

    With ``out`` (.csv or .parquet) the output, its card (.card.json, .card.md) and the internal report
    (.internal.json) are written; without, the release is returned only, and counts all the same. There is no seed.
    """
    question = StatisticsQuestion(
        statistics=statistics,
        budget=budget,
        person=Person(unit, max_rows_per_unit, one_row_per_person, neighbours),  # type: ignore[arg-type]  # checked there
        payment=Payment(ledger, account, total, composition, wait, plan),  # type: ignore[arg-type]  # none is refused there
        shares=shares,
        records=Records(n, missing, missing_values, table, bins or {}, where),
        choices=Bounding(bounding, confidence),
        output=Output(out, force),
    )
    return released(question, source, Watch(notice=notice, reached=reached))


def released(question: StatisticsQuestion, source: Any, watch: Watch = NOBODY) -> ReleasedStatistics:
    """The answer to ``question``: the people of ``source``, summed, paid for, drawn and written."""
    found = made(statistics_job(question, source), watch)
    return ReleasedStatistics(
        statistics=found.drawn.statistics,
        card=found.card,
        internal=found.internal,
        files=found.files,
        entry=found.entry,
    )


def statistics_job(question: StatisticsQuestion, source: Any, _watch: Watch = NOBODY) -> _Job:
    """The release of ``question`` from ``source``, whose people are summed; nothing is paid or drawn yet."""
    question.output.refuse_source(source)
    moments = question.read(source)
    size = question.public_size(moments)
    return _Job(question, source, moments, size, question.plans(size))


@dataclass(frozen=True, eq=False)
class _Job:
    """The release that answers a question, from this source."""

    question: StatisticsQuestion
    source: Any
    moments: Moments
    n: int
    """Public."""
    plans: tuple[NoisePlan, ...]

    @property
    def cost(self) -> Cost:
        """What the account is charged."""
        return self.question.cost

    @property
    def fingerprint(self) -> bytes:
        """The digest of what was summed."""
        return moments_fingerprint(self.moments)

    former_fingerprints: ClassVar[tuple[bytes, ...]] = ()

    @property
    def row_salt(self) -> str | None:
        """What chose the rows kept of people with too many."""
        return self.moments.row_salt

    @property
    def readable_again(self) -> bool:
        """Whether a second scan of the source finds the same."""
        return can_be_read_again(self.source)

    def recounted(self, row_salt: str) -> bytes:
        """The digest of the same sums with rows chosen by another salt."""
        return moments_fingerprint(self.question.read(self.source, row_salt))

    def facts(self) -> dict[str, Any]:
        """What the ledger says about the release: public words only."""
        return {
            "mechanism": "discrete-laplace",
            "statistics": [plan.statistic.to_dict() for plan in self.plans],
        }

    def drawn(self) -> StatisticsRelease:
        """Noise on every number, then post-processing."""
        confidence = self.question.choices.confidence
        return StatisticsRelease(
            question=self.question,
            cost=self.cost,
            n=self.n,
            plans=self.plans,
            statistics=tuple(
                processed(plan, plan.drawn(plan.statistic.exact(self.moments)), confidence) for plan in self.plans
            ),
            moments=self.moments,
        )

    @property
    def rooms(self) -> Rooms:
        """How many bytes the files may take."""
        names = sum(
            len(plan.statistic.name.encode()) + len(entry.encode())
            for plan in self.plans
            for entry in plan.statistic.entries
        )
        rows = sum(len(plan.statistic.entries) for plan in self.plans)
        room = ROOM + ROW_ROOM * rows + 8 * names
        said = room_of_names(*self.moments.query.columns, self.question.person.unit)
        return Rooms(output=room, card=room, text=room, internal=room + 8 * said)

    def findings(self) -> dict[str, Any]:
        """What only the data tell, before anything is drawn."""
        return statistics_findings(self.moments)

    def write(self, stream: BinaryIO, path: Path, drawn: StatisticsRelease) -> None:
        """The released numbers, in the format that ``path`` names."""
        _write_rows(stream, path, [row for found in drawn.statistics for row in found.rows()])

    def card(self, drawn: StatisticsRelease, standing: Standing) -> dict[str, Any]:
        """The publishable card."""
        return statistics_card(drawn, standing)

    def words(self, card: Mapping[str, Any]) -> str:
        """The card for people."""
        return statistics_card_text(card)

    def internal(self, drawn: StatisticsRelease, reservation: Entry) -> dict[str, Any]:
        """The internal report."""
        return internal_report(drawn, reservation)


def _write_rows(stream: BinaryIO, path: Path, rows: Sequence[dict[str, Any]]) -> None:
    if path.suffix.lower() == ".csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        stream.write(text.getvalue().encode())
        return
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(list(rows)), stream)
