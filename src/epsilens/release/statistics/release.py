"""``release_statistics``: from microdata to published means, proportions, variances and covariances, in one call.

Bounds are declared, never read from the data; what lies outside is clamped, and counted in the internal report. One
budget pays for all statistics, in shares. Noise, ledger, crash safety and the sealed digest are those of
:func:`epsilens.release_table`.

**What a refusal tells.** Data that do not fit their declaration (fewer records than the declared n, an undeclared
level, a group of one) are refused before anything is spent. Such an error is for the curator, who may see the data:
the promise about neighbours holds among data sets that fit the declaration, and the error itself must not be published.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from epsilens.accounting.account import Account
from epsilens.accounting.amounts import decimal, pure_rho
from epsilens.accounting.cost import Cost
from epsilens.accounting.events import PureEvent
from epsilens.budget import NEIGHBOURS, Budget, Neighbours, PureDP
from epsilens.checks import one_of, probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import data_frame, listed
from epsilens.release.card_html import card_html
from epsilens.release.ledger.chain import Chain, Entry
from epsilens.release.ledger.ledger import WAIT_SECONDS, Ledger, Request
from epsilens.release.ledger.protocol import OutputFile, publish
from epsilens.release.statistics.card import COLUMNS, StatisticsRelease, internal_report, statistics_card
from epsilens.release.statistics.kinds import Statistic
from epsilens.release.statistics.noise import NoisePlan, noise_plan, refuse_plan, split
from epsilens.release.statistics.postprocessing import ReleasedStatistic, processed
from epsilens.release.statistics.spread import (
    KINDS,
)
from epsilens.release.statistics.words import statistics_card_text
from epsilens.release.tables.cells import can_be_read_again, moments_fingerprint
from epsilens.release.tables.declarations import person_is_declared
from epsilens.release.tables.output import check_output_path
from epsilens.release.tables.release import output_paths
from epsilens.table.moments import Moments, merged
from epsilens.table.reading.moments import Missing, read_moments

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
    missing: Missing = "refuse",
    missing_values: Sequence[str] = (),
    confidence: float = 0.95,
    total: Budget | None = None,
    composition: str | None = None,
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
    lower bound is required; the statistics divide by the actual number, the noise uses the bound. Under substitute n is
    the same for all neighbours and taken from the data, unless given. **The person**: ``unit`` and
    ``max_rows_per_unit`` (more than one under add-remove only), or the declaration ``one_row_per_person``.

    ``bounding``: values are ``"clamped"`` to the range that the statistic can have (free), left (``"none"``), or drawn
    again until inside (``"truncated"``, single numbers only, with more noise). Proportions are moved to shares that add
    up, covariance matrices are always made positive semidefinite. ``missing`` values are refused, or ``"exclude"``
    leaves such records out (add-remove only), or a public value is declared for each column.

    With ``out`` (.csv or .parquet) the output, its card (.card.json, .card.md) and the internal report
    (.internal.json) are written; without, the release is returned only, and counts all the same. There is no seed.
    """
    if ledger is None or account is None:
        raise ParameterError("a release is paid from an account of a ledger; name both")
    book = Ledger(ledger, wait, notice)
    wanted = _checked(statistics)
    one_of("neighbours", neighbours, NEIGHBOURS)
    side: Neighbours = "add-remove" if neighbours == "add-remove" else "substitute"
    parts = split(budget, len(wanted), shares)
    assert isinstance(budget, PureDP)  # split refuses any other
    confidence = probability("confidence", confidence)
    rows = _rows_of_a_person(unit, max_rows_per_unit, one_row_per_person)
    if side == "substitute" and missing == "exclude":
        raise ParameterError(
            "leaving out records makes their number private, so it needs neighbours add-remove; declare a public value "
            "in place of missing ones instead"
        )
    if n is not None:
        n = whole("n", n, 1, "a statistic needs a record")
    elif side == "add-remove":
        raise ParameterError(
            "under add-remove the number of records is private: give n, a public lower bound of it, never the count of "
            "the data; or use neighbours substitute"
        )

    def plans_for(size: int) -> tuple[NoisePlan, ...]:
        return tuple(
            noise_plan(statistic, share, part, size, side, rows, bounding)
            for statistic, (share, part) in zip(wanted, parts, strict=True)
        )

    # What can be refused without the data is refused without the data.
    for statistic, (_, part) in zip(wanted, parts, strict=True):
        refuse_plan(statistic, part, side, rows, bounding)
    plans = None if n is None else plans_for(n)
    output = None if out is None else Path(out)
    if output is not None:
        check_output_path(output, source)
    opening = None if total is None else Account.opened(account, total, side, composition)

    def read(row_salt: str | None = None) -> Moments:
        return read_moments(
            source,
            merged([statistic.query for statistic in wanted]),
            table=table,
            unit=unit,
            max_rows_per_unit=rows,
            missing=missing,
            missing_values=missing_values,
            row_salt=row_salt,
        )

    moments = read()
    size = _public_size(n, moments, side)
    for statistic in wanted:
        statistic.refuse(moments)
    job = _Job(
        budget,
        side,
        size,
        {"protects": "a person", "column": unit, "max_rows_per_person": rows},
        _plain(missing),
        tuple(map(str, missing_values)),
        confidence,
        plans if plans is not None else plans_for(size),
        moments,
        output,
    )
    request = Request(
        account,
        side,
        job.cost,
        job.facts(),
        moments_fingerprint(moments),
        opening,
        moments.row_salt,
        (lambda salt: moments_fingerprint(read(salt))) if can_be_read_again(source) else None,
    )
    published = publish(book, request, job.drawn, job.files(), force, reached)
    release = published.drawn
    return ReleasedStatistics(
        release.statistics,
        statistics_card(release, published.reservation, published.chain, published.hashes),
        internal_report(release, published.reservation),
        {file.role: file.path for file in job.files()},
        published.reservation,
    )


@dataclass(frozen=True, eq=False)
class _Job:
    """One call of :func:`release_statistics`, after its checks."""

    budget: PureDP
    neighbours: Neighbours
    n: int
    unit: dict[str, Any]
    missing: Missing
    missing_values: tuple[str, ...]
    confidence: float
    plans: tuple[NoisePlan, ...]
    moments: Moments
    output: Path | None

    @property
    def cost(self) -> Cost:
        """The whole budget; each statistic is an event of its own for the convolution of privacy losses."""
        events = tuple(PureEvent(decimal(plan.budget.epsilon)) for plan in self.plans)
        epsilon = decimal(self.budget.epsilon)
        return Cost(epsilon, decimal(0), pure_rho(epsilon), events)

    def facts(self) -> dict[str, Any]:
        """What the ledger says about the release: public words only."""
        return {
            "mechanism": "discrete-laplace",
            "neighbours": self.neighbours,
            "statistics": [plan.statistic.to_dict() for plan in self.plans],
            "unit": self.unit["column"],
            "rows_per_person": self.unit["max_rows_per_person"],
            "output": None if self.output is None else self.output.name,
        }

    def drawn(self) -> StatisticsRelease:
        """Noise on every number, then post-processing."""
        found = tuple(
            processed(plan, plan.drawn(plan.statistic.exact(self.moments)), self.confidence) for plan in self.plans
        )
        return StatisticsRelease(
            self.budget,
            self.cost,
            self.neighbours,
            self.n,
            self.unit,
            self.missing,
            self.missing_values,
            self.confidence,
            self.plans,
            found,
            self.moments,
            self.output,
        )

    def files(self) -> list[OutputFile[StatisticsRelease]]:
        """The output, its card and the internal report, with the room they may take."""
        if self.output is None:
            return []
        output, paths = self.output, output_paths(self.output)
        names = sum(
            len(plan.statistic.name.encode()) + len(entry.encode())
            for plan in self.plans
            for entry in plan.statistic.entries
        )
        rows = sum(len(plan.statistic.entries) for plan in self.plans)
        room = ROOM + ROW_ROOM * rows + 8 * names

        def write_output(stream: BinaryIO, drawn: StatisticsRelease, _e: Entry, _c: Chain, _h: dict[str, str]) -> None:
            _write_rows(stream, output, [row for found in drawn.statistics for row in found.rows()])

        def write_card(
            stream: BinaryIO, drawn: StatisticsRelease, entry: Entry, chain: Chain, hashes: dict[str, str]
        ) -> None:
            stream.write(_json(statistics_card(drawn, entry, chain, hashes)))

        def write_text(
            stream: BinaryIO, drawn: StatisticsRelease, entry: Entry, chain: Chain, hashes: dict[str, str]
        ) -> None:
            stream.write(statistics_card_text(statistics_card(drawn, entry, chain, hashes)).encode())

        def write_internal(stream: BinaryIO, drawn: StatisticsRelease, e: Entry, _c: Chain, _h: dict[str, str]) -> None:
            stream.write(_json(internal_report(drawn, e)))

        return [
            OutputFile("output", paths["output"], write_output, room),
            OutputFile("card", paths["card"], write_card, room),
            OutputFile("card-text", paths["card-text"], write_text, room),
            OutputFile("internal", paths["internal"], write_internal, room, private=True),
        ]


def _checked(statistics: Sequence[Statistic]) -> tuple[Statistic, ...]:
    """At least one statistic, each once."""
    if not isinstance(statistics, list | tuple) or not statistics:
        raise ParameterError("list the statistics to release, such as [Mean('age', 0, 100)]; got none")
    for statistic in statistics:
        if type(statistic) not in KINDS.values():
            raise ParameterError(
                f"a statistic is one of {', '.join(kind.__name__ for kind in KINDS.values())}; got a "
                f"{type(statistic).__name__}"
            )
    names = [statistic.name for statistic in statistics]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ParameterError(f"{twice[0]} is asked for twice; a statistic is released once")
    return tuple(statistics)


def _rows_of_a_person(unit: str | None, most: int, one_row_per_person: bool) -> int:
    person_is_declared(unit, one_row_per_person)
    rows = whole("max_rows_per_unit", most, 1, "a person without rows is not in the data")
    if unit is None and rows > 1:
        raise ParameterError("several rows per person need the column that names people (unit)")
    return rows


def _plain(missing: Missing) -> Missing:
    """The rule for missing values as it can be written down: nothing may fail once noise was drawn."""
    if isinstance(missing, str):
        return missing
    return {str(name): value if isinstance(value, str | int | float) else str(value) for name, value in missing.items()}


def _public_size(n: int | None, moments: Moments, neighbours: Neighbours) -> int:
    """The public n. Under add-remove the actual number must not be told, so an error does not tell it either."""
    if neighbours == "substitute":
        if n is not None and n != moments.n:
            raise DataError(f"n is {n}, the data have {moments.n} records; under substitute they must agree")
        return moments.n
    assert n is not None  # refused before the data were read
    if moments.n < n:
        raise DataError(
            f"the data have fewer than the declared n = {n} records, which must be a lower bound of their number; "
            "declare a smaller one that is public"
        )
    return n


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


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
