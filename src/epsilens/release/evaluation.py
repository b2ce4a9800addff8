"""Anybody's release against the truth, and what a card says of one of ours.

``choice.questions.evaluate`` compares two tables and tests what is claimed of the noise. A release card states the
claim in full: which noise every table got, what was done to it afterwards, which rows were counted and how. So with a
card nothing needs to be said twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.checks import whole
from epsilens.choice.claimed_noise import Claim
from epsilens.choice.questions.evaluate import FurtherTable, PublishedToRead, Question, answer, compared
from epsilens.choice.questions.evaluation import Evaluation
from epsilens.errors import ParameterError, SourceError
from epsilens.release.card_files import read_card
from epsilens.release.ledger.protocol import file_hash
from epsilens.release.tables.card import CARD_FORMAT
from epsilens.release.tables.check import table_budget_problem
from epsilens.release.tables.output import column_names
from epsilens.table.bins import BinSpec
from epsilens.table.conditions import EQUAL, Condition, Where
from epsilens.table.frequency import FrequencyTable
from epsilens.table.harm import Declared
from epsilens.table.published import PublishedCounts
from epsilens.table.reading.filters import columns_to_find
from epsilens.table.reading.sources import opened_source, refuse_table
from epsilens.table.schema import Schema
from epsilens.table.to_read import TableToRead

_BUDGETS: dict[str, type[Budget]] = {kind.__name__: kind for kind in (PureDP, ApproxDP, ProbabilisticDP, ZCDP)}
ADDED_UP = (
    "the card says that counts were made to add up (consistency): each is a mixture of the noise of many, and no law "
    "of noise is left to test"
)


def evaluate(
    published: Any,
    truth: Any,
    quasi_identifiers: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    *,
    count: str | None = None,
    truth_count: str | None = None,
    claimed: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    neighbours: str | None = None,
    rounded: bool | None = None,
    clipped: bool | None = None,
    card: str | os.PathLike[str] | None = None,
    bins: str | Sequence[str] | Mapping[str, BinSpec] = (),
    universe: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    structural_zeros: str | os.PathLike[str] | Sequence[Mapping[str, object]] | None = None,
    missing: str | Sequence[str] | Mapping[str, object] = "level",
    missing_values: str | Sequence[str] = (),
    where: Where = (),
    copies: str | Sequence[str] | Mapping[str, str] = (),
    unit: str | None = None,
    max_rows_per_unit: int = 1,
    harmful: Declared = (),
    published_where: Where = (),
    published_table: str | None = None,
    truth_table: str | None = None,
    seed: int = 0,
) -> Evaluation:
    """What a ``published`` table, or synthetic people, gives away of the people in ``truth``, and how good it is.

    Both are paths, database URLs or data frames with the columns of ``quasi_identifiers`` and ``sensitive``. With
    ``count`` the published table has a row per cell and label and a count in it, which may be negative, fractional or
    blank; without it every row is a person. Either may be a ready frequency table instead; beside one, ``published``
    may be a matrix of numbers, cells x labels. ``claimed`` names the mechanism that is said to have made the noise,
    with its ``epsilon`` (and ``delta``) or ``rho``; or ``card`` is the release card, which says all of this. The other
    arguments say how ``truth`` is read, as for ``read_table``.

    The result is computed from true data: internal, not for publication.
    """
    if isinstance(truth, FrequencyTable):
        stated = {"bins": bins, "universe": universe, "structural_zeros": structural_zeros, "where": where}
        stated |= {"missing_values": missing_values, "copies": copies, "unit": unit, "truth_count": truth_count}
        stated |= {"truth_table": truth_table, "card": card, "missing": None if missing == "level" else missing}
        if idle := [name for name, value in stated.items() if value not in (None, (), {}, [])]:
            raise ParameterError("says how the truth is read, and it is a table already", parameter=idle[0])
        table = truth.with_harm(harmful) if harmful else truth
        own = {"neighbours": neighbours, "rounded": rounded, "clipped": clipped}
        known: dict[str, Any] = {name: value for name, value in own.items() if value is not None}
        if claimed is not None:
            known["max_rows_per_unit"] = truth.max_rows_per_unit
        claim = Claim.of(claimed, epsilon, delta, rho, **known)
        to_read = PublishedToRead(published, published_table, count, published_where)
        return compared(table, _ready(to_read, table, quasi_identifiers, sensitive), claim, whole("seed", seed, 0))
    asked = question(
        published,
        truth,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        count=count,
        truth_count=truth_count,
        claimed=claimed,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        neighbours=neighbours,
        rounded=rounded,
        clipped=clipped,
        card=card,
        bins=bins,
        universe=universe,
        structural_zeros=structural_zeros,
        missing=missing,
        missing_values=missing_values,
        where=where,
        copies=copies,
        unit=unit,
        max_rows_per_unit=max_rows_per_unit,
        harmful=harmful,
        published_where=published_where,
        published_table=published_table,
        truth_table=truth_table,
        seed=seed,
    )
    return answered(with_the_count_of_both(asked))


def _ready(
    published: PublishedToRead,
    truth: FrequencyTable,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str],
) -> PublishedCounts:
    """The published counts of a ready truth: a table, a matrix, or a source that is read by the truth's columns."""
    for name, given, own in (
        ("quasi_identifiers", quasi_identifiers, truth.quasi_identifiers),
        ("sensitive", sensitive, truth.sensitive),
    ):
        if given and tuple(_names(given)) != own:
            raise ParameterError(f"must be those of the true table, {', '.join(own)}", parameter=name)
    source = published.source
    if isinstance(source, FrequencyTable) or is_matrix(source):
        if published.count is not None or published.where:
            said = "count" if published.count is not None else "published_where"
            raise ParameterError("belongs to a published table that is read, and it is one already", parameter=said)
        return PublishedCounts.of(source, truth)
    if not truth.quasi_identifiers:
        raise ParameterError("must be a matrix or a table: the cells of the truth have no names", parameter="published")
    return published.read(truth.schema or Schema(truth.quasi_identifiers, truth.sensitive))


def is_matrix(source: Any) -> bool:
    """Whether counts are given as they are: an array, or lists of numbers."""
    return isinstance(source, np.ndarray | list | tuple)


@dataclass(frozen=True)
class Asked:
    """The question, and whether rows of the truth that do not fit are left out, as the release left them out."""

    question: Question
    as_released: bool = False


def answered(asked: Asked) -> Evaluation:
    """The answer."""
    return answer(asked.question, true_table(asked))


def true_table(asked: Asked) -> FrequencyTable:
    """The truth, counted."""
    data = asked.question.data
    return _counted_as_released(data) if asked.as_released else data.read()


def with_the_count_of_both(asked: Asked) -> Asked:
    """The same question, where the truth has the column of published counts as well: then it is a table of counts too.

    Whoever adds noise to a table of counts leaves its columns as they are.
    """
    question = asked.question
    name, data = question.published.count, question.data
    if name is None or data.count is not None or data.schema.unit is not None or name in data.schema.columns:
        return asked
    wanted = columns_to_find(data.schema.columns, data.schema.conditions, data.schema.copies)
    with opened_source(data.source, wanted, data.table, [name]) as opened:
        there = name in opened.columns
    if not there:
        return asked
    note = f"The truth has a column {name!r} of counts as well, and is read as a table of counts."
    own = replace(question, data=replace(data, count=name), skipped=(*question.skipped, note))
    return replace(asked, question=own)


def question(
    published: Any,
    truth: Any,
    *,
    quasi_identifiers: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    count: str | None = None,
    truth_count: str | None = None,
    claimed: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    neighbours: str | None = None,
    rounded: bool | None = None,
    clipped: bool | None = None,
    card: str | os.PathLike[str] | None = None,
    published_where: Where = (),
    published_table: str | None = None,
    truth_table: str | None = None,
    seed: int = 0,
    **reading: Any,
) -> Asked:
    """The question that these plain values ask, checked before any data are read."""
    if truth is None:
        raise ParameterError("is missing: say where the true data are", parameter="truth")
    refuse_table(truth, truth_table, "truth_table")
    terms = {"epsilon": epsilon, "delta": delta, "rho": rho, "neighbours": neighbours}
    terms |= {"rounded": rounded, "clipped": clipped}
    if card is not None:
        stated = {"claimed": claimed, **terms}
        for name, value in stated.items():
            if value is not None:
                raise ParameterError("is on the card already", parameter=name, remedy="leave it out, or the `card`")
        return _of_card(
            Path(card),
            PublishedToRead(published, published_table, count, published_where),
            truth,
            quasi_identifiers,
            sensitive,
            truth_count,
            truth_table,
            seed,
            reading,
        )
    rows = reading.get("max_rows_per_unit") or 1
    further = {name: value for name, value in terms.items() if name in ("neighbours", "rounded", "clipped")}
    known = {name: value for name, value in further.items() if value is not None}
    if claimed is not None:
        known["max_rows_per_unit"] = rows
    claim = Claim.of(claimed, epsilon, delta, rho, **known)
    data = TableToRead.of(truth, quasi_identifiers, sensitive, table=truth_table, count=truth_count, **reading)
    return Asked(Question(PublishedToRead(published, published_table, count, published_where), data, claim, seed=seed))


def _of_card(
    path: Path,
    published: PublishedToRead,
    truth: Any,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str],
    truth_count: str | None,
    truth_table: str | None,
    seed: int,
    reading: Mapping[str, Any],
) -> Asked:
    card, _ = read_card(path)
    if card["format"] != CARD_FORMAT:
        raise ParameterError("is one of statistics, and a table of counts is evaluated", parameter="card")
    plain = card["schema"] or {}
    known = tuple(_names(quasi_identifiers)) or tuple(plain.get("quasi_identifiers", ()))
    private = tuple(_names(sensitive)) or tuple(plain.get("sensitive", ()))
    given = {name: value for name, value in reading.items() if value not in ((), None, "level", 1)}
    declared = {} if given.keys() - {"harmful"} or not plain else _declared(card, (*known, *private))
    data = TableToRead.of(
        truth,
        known,
        private,
        table=truth_table,
        count=truth_count if truth_count is not None else plain.get("count"),
        **{**declared, **given},
    )
    tables = {table["name"]: table for table in card["mechanism"]["tables"]}
    columns = {table["name"]: tuple(table["columns"]) for table in card["release"]["tables"]}
    mine = [name for name, own in columns.items() if set(own) == {*known, *private}]
    if not mine:
        listed = "; ".join(", ".join(own) or "the total" for own in columns.values())
        raise ParameterError(f"has no table of these columns; it has: {listed}", parameter="card")
    label, numbers = column_names([name for own in columns.values() for name in own], len(tables) > 1)
    if published.count is None:
        published = replace(published, count=numbers[0])
    skipped = list[str]()
    further = []
    for name, own in columns.items():
        if name == mine[0]:
            continue
        if not own or not {*own} <= {*known, *private}:
            skipped.append(f"The table {name!r} of the same release is not looked at: it has other columns.")
            continue
        further.append(FurtherTable(name, own, _rows_of(label, name), _claim(card, tables[name])))
    if (problem := table_budget_problem(card)) is not None:
        skipped.append(f"The card does not hold: {problem}. What it says of the noise was tested all the same.")
    if (changed := _changed(card, published.source)) is not None:
        skipped.append(changed)
    own_rows = (*_conditions(published.where), *_rows_of(label, mine[0]))
    return Asked(
        Question(
            replace(published, where=own_rows),
            data,
            _claim(card, tables[mine[0]]),
            tuple(further),
            seed,
            tuple(skipped),
        ),
        as_released=bool(declared),
    )


def _names(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) and given else given


def _conditions(where: Where) -> tuple[Any, ...]:
    from epsilens.table.conditions import conditions

    return conditions(where)


def _rows_of(label: str | None, name: str) -> tuple[Condition, ...]:
    """The rows of one of several tables in a file."""
    return () if label is None else (Condition(label, EQUAL, (name,)),)


def _claim(card: Mapping[str, Any], table: Mapping[str, Any]) -> Claim:
    """What the card says of the noise of one of its tables."""
    mechanism, steps = card["mechanism"], {step["step"] for step in card["post_processing"]}
    budget = dict(table["budget"])
    kind = _BUDGETS[budget.pop("kind")]
    size = next(value for name, value in table["law"].items() if name != "name")
    return Claim(
        mechanism["name"],
        kind(**budget),
        mechanism["neighbours"],
        card["unit"]["max_rows_per_person"],
        rounded="rounding" in steps,
        clipped="non-negativity" in steps,
        threshold=table["threshold"],
        size=float(size),
        untestable=ADDED_UP if "consistency" in steps else None,
    )


def _declared(card: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """How the card says that people were counted; nested columns have no universe that could be written as levels."""
    schema = Schema.from_dict(card["schema"])
    levels = schema.universe_levels if card["universe"]["declared"] and not card["universe"]["paths"] else {}
    return {
        "bins": {name: rule for name, rule in schema.bin_rules.items() if name in columns},
        "universe": {name: found for name, found in levels.items() if name in columns} or None,
        "structural_zeros": [dict(rule) for rule in schema.impossible if set(rule) <= set(columns)] or None,
        "missing": schema.missing,
        "missing_values": tuple(schema.missing_values),
        "where": schema.conditions,
        "copies": dict(schema.copies),
        "unit": schema.unit,
        "max_rows_per_unit": schema.max_rows_per_unit,
    }


def _changed(card: Mapping[str, Any], source: Any) -> str | None:
    """A sentence where the published file is not the one that the card was written for."""
    if card["output"] is None or not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return None
    try:
        same = file_hash(Path(source)) == card["output"]["sha256"]
    except OSError as problem:
        raise SourceError(f"cannot read {source}: {problem.strerror or type(problem).__name__}") from None
    return None if same else "The published file is not the one that the card was written for: it was changed since."


def _counted_as_released(data: TableToRead) -> FrequencyTable:
    """The truth as a release counts it: rows that do not fit what was declared are left out, not refused."""
    from epsilens.table.reading.levels import FIXED_ROW_SALT
    from epsilens.table.reading.people import read_people
    from epsilens.table.reading.tables import table_of

    people = read_people(
        data.source, data.schema, data.table, data.count, FIXED_ROW_SALT, assessed=True, misfits="leave-out"
    )
    table = table_of(people)
    people.close()
    return table.with_harm(data.harmful) if data.harmful else table
