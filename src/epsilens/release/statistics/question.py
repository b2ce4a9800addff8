"""A release of statistics, asked for: which ones, of which records, with which noise, on which terms.

The question is frozen and made without the data: what can be refused without them is refused at construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from epsilens.accounting.cost import Cost
from epsilens.budget import Budget, PureDP
from epsilens.checks import one_of, probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.release.pricing import statistics_cost
from epsilens.release.statistics.kinds import Statistic
from epsilens.release.statistics.noise import BOUNDING, NoisePlan, noise_plan, refuse_plan, split
from epsilens.release.statistics.spread import KINDS
from epsilens.release.terms import Output, Payment, Person
from epsilens.release.universe import refuse_quantiles
from epsilens.table.bins import BinSpec, Quantiles, bin_rule, rule_text
from epsilens.table.conditions import Condition, Where, conditions
from epsilens.table.moments import Moments, MomentsQuery, merged
from epsilens.table.reading.misfits import Misfits
from epsilens.table.reading.moments import Missing, bin_rules, read_moments, refuse_unused, replacements


@dataclass(frozen=True, eq=False)
class Records:
    """Which records are summed: their public number, what stands for missing values, and where they are."""

    n: int | None = None
    """Under add-remove a public lower bound of their number; under substitute the number, or nothing."""
    missing: Missing | None = None
    """Public values in the place of missing ones, by column; what has none is dealt with by rule: see ``misfits``."""
    missing_values: Sequence[str] = ()
    table: str | None = None
    """The table to read, where the source is a database."""
    bins: Mapping[str, BinSpec] = field(default_factory=dict)
    """How numbers become the levels that are counted or grouped by: declared widths or edges."""
    where: Where = ()
    """Conditions on rows, declared like everything else: only rows that pass are records."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", conditions(self.where))
        rules = {name: bin_rule(name, spec) for name, spec in self.bins.items()}
        refuse_quantiles([name for name, rule in rules.items() if isinstance(rule, Quantiles)])
        object.__setattr__(self, "bins", rules)
        if self.n is not None:
            object.__setattr__(self, "n", whole("n", self.n, 1, "a statistic needs a record"))
        if "refuse" in self._rules_of_missing:
            raise ParameterError(
                "must be 'exclude' or a value for each column: to refuse would tell that somebody's value is missing",
                parameter="missing",
                remedy="leave it out, and look for missing values beforehand with `check`, which publishes nothing",
            )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions on rows, all of which must hold."""
        return conditions(self.where)

    @property
    def plain_bins(self) -> dict[str, str]:
        """The bins as the command line spells them: ``{"age": "0|18|65"}``."""
        return {name: rule_text(bin_rule(name, spec)) for name, spec in self.bins.items()}

    @property
    def replacements(self) -> Mapping[str, object]:
        """The public values in the place of missing ones, by column; where "exclude" stands there is none."""
        given = self.missing if isinstance(self.missing, Mapping) else {}
        return {name: value for name, value in given.items() if value != "exclude"}

    @property
    def asks_to_exclude(self) -> bool:
        """Whether records with missing values are left out by request, all or those of some column."""
        return "exclude" in self._rules_of_missing

    @property
    def _rules_of_missing(self) -> list[object]:
        """What was asked for, of all columns or of some."""
        return list(self.missing.values()) if isinstance(self.missing, Mapping) else [self.missing]

    @property
    def plain_replacements(self) -> dict[str, str | int | float]:
        """The same as they can be written down: nothing may fail once noise was drawn."""
        return {
            str(name): value if isinstance(value, str | int | float) else str(value)
            for name, value in self.replacements.items()
        }


@dataclass(frozen=True)
class Bounding:
    """What is done with noisy numbers: kept in their range or not, and the confidence of their intervals."""

    bounding: str = "clamped"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        one_of("bounding", self.bounding, BOUNDING)
        object.__setattr__(self, "confidence", probability("confidence", self.confidence))


@dataclass(frozen=True, eq=False)
class StatisticsQuestion:
    """Statistics to be released, on which terms. One budget pays for all, in ``shares``."""

    statistics: Sequence[Statistic]
    budget: Budget | None
    person: Person
    payment: Payment
    shares: Sequence[float] | None = None
    records: Records = field(default_factory=Records)
    choices: Bounding = field(default_factory=Bounding)
    output: Output = field(default_factory=Output)
    parts: tuple[tuple[Decimal, PureDP], ...] = field(init=False)
    """The share of each statistic and its part of the budget."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "statistics", _checked(self.statistics))
        object.__setattr__(self, "parts", tuple(split(self.budget, len(self.statistics), self.shares)))
        self._refuse_records()
        rows = self.person.max_rows_per_unit
        for statistic, (_, part) in zip(self.statistics, self.parts, strict=True):
            refuse_plan(statistic, part, self.person.neighbours, rows, self.choices.bounding)
        if self.records.n is not None:
            self.plans(self.records.n)
        self.payment.refuse(self.person.neighbours, self.cost)

    @property
    def cost(self) -> Cost:
        """What the account is charged."""
        return statistics_cost(self.whole, len(self.statistics), self.shares)

    @property
    def _query(self) -> MomentsQuery:
        return merged([statistic.query for statistic in self.statistics])

    def _refuse_records(self) -> None:
        """Refuse records whose number would be told, or is not, and bins of columns that have no levels here."""
        rules = bin_rules(self.records.bins, self._query)
        if isinstance(given := self.records.missing, Mapping):
            refuse_unused(given, self._query)
            replacements(self.records.replacements, self._query, rules)
        elif given is not None:
            replacements(given, self._query, rules)
        if self.person.neighbours == "substitute":
            if self.records.asks_to_exclude:
                raise ParameterError(
                    "leaving out records makes their number private, so it needs `neighbours=add-remove`",
                    remedy="declare a public value in place of missing ones instead (`missing`)",
                )
            if self.records.conditions:
                raise ParameterError(
                    "chooses rows by what is in them, which makes the number of records private, so it needs "
                    "`neighbours=add-remove`",
                    parameter="where",
                )
        elif self.records.n is None:
            raise ParameterError(
                "under add-remove the number of records is private: give `n`, a public lower bound of it, never the "
                "count of the data",
                remedy="or use `neighbours=substitute`",
            )

    @property
    def whole(self) -> PureDP:
        """The budget, which is an epsilon."""
        assert isinstance(self.budget, PureDP)  # split refuses any other
        return self.budget

    def plans(self, n: int) -> tuple[NoisePlan, ...]:
        """The noise of each statistic where ``n`` is the public number of records."""
        neighbours, rows = self.person.neighbours, self.person.max_rows_per_unit
        return tuple(
            noise_plan(statistic, share, part, n, neighbours, rows, self.choices.bounding)
            for statistic, (share, part) in zip(self.statistics, self.parts, strict=True)
        )

    @property
    def misfits(self) -> Misfits:
        """What becomes of records that do not fit, which no refusal may tell of.

        Under add-remove they are left out. Under substitute the number of records is public and must not depend on
        them, so they stay, in the middle of the bounds.
        """
        return policy(self.person.neighbours)

    def read(self, source: object, row_salt: str | None = None) -> Moments:
        """What has to be summed of the people in ``source``. Nothing that their records hold is refused."""
        found = read_moments(
            source,
            self._query,
            table=self.records.table,
            unit=self.person.unit,
            max_rows_per_unit=self.person.max_rows_per_unit,
            missing=self.records.replacements,
            missing_values=self.records.missing_values,
            row_salt=row_salt,
            bins=self.records.bins,
            misfits=self.misfits,
            where=self.records.where,
        )
        return replace(found, least=self.records.n or 0) if self.person.neighbours == "add-remove" else found

    def public_size(self, moments: Moments) -> int:
        """The public n. Under add-remove it is the declared one, however many records there are.

        Under substitute it is the number of records, which all neighbours share, so that an error may tell it.
        """
        n = self.records.n
        if self.person.neighbours == "substitute":
            if not moments.n:
                raise DataError("the data have no records, and under substitute their number is public")
            if n is not None and n != moments.n:
                raise DataError(
                    f"is {n}, the data have {moments.n} records; under substitute they must agree", parameter="n"
                )
            return moments.n
        assert n is not None  # refused before the data were read
        return n


def policy(neighbours: str) -> Misfits:
    """What becomes of records that do not fit, by what neighbours are."""
    return "neutral" if neighbours == "substitute" else "leave-out"


def _checked(statistics: Sequence[Statistic]) -> tuple[Statistic, ...]:
    """At least one statistic, each once."""
    if not isinstance(statistics, list | tuple) or not statistics:
        raise ParameterError("list the statistics to release (`statistics`), such as the mean of a column; got none")
    for statistic in statistics:
        if type(statistic) not in KINDS.values():
            raise ParameterError(
                f"a statistic is one of {', '.join(kind.__name__ for kind in KINDS.values())}; got a "
                f"{type(statistic).__name__}"
            )
    names = [statistic.name for statistic in statistics]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ParameterError(f"{twice[0]} is asked for twice", remedy="a statistic is released once")
    return tuple(statistics)
