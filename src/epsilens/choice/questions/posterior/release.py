"""Everybody who is unique or rare in a hierarchical release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.checks import finite, probability, whole
from epsilens.choice.questions.posterior.adversaries import told
from epsilens.choice.questions.posterior.budgets import rhos_of_levels
from epsilens.choice.spread import Spread, spread
from epsilens.errors import ParameterError
from epsilens.posterior.attacks import attack_named
from epsilens.posterior.noises import family_size
from epsilens.posterior.release_risk import ReleaseRisk, checked_rare, refuse_several_rows, release_risk
from epsilens.table.bins import BinSpec
from epsilens.table.conditions import Where
from epsilens.table.hierarchy import Codes, Situations
from epsilens.table.to_read import HierarchyToRead


@dataclass(frozen=True)
class Question:
    """Which columns name the groups, lowest first, and which make people alike; with what noise; and which attack.

    ``family`` people who are alike are the target together; ``rare`` is then at least that many, and by default
    just that many.
    """

    levels: tuple[str, ...]
    by: tuple[str, ...]
    count: str | None = None
    codes: Codes = "unique"
    rho: tuple[float, ...] = ()
    preset: str | None = None
    prior: float = 0.5
    attack: str = "unique-levels"
    rare: int | None = None
    thresholds: tuple[float, ...] = (1.1, 1.3)
    bins: str | Sequence[str] | Mapping[str, BinSpec] = ()
    unit: str | None = None
    max_rows_per_unit: int = 1
    missing: str | Sequence[str] | Mapping[str, object] = "level"
    missing_values: str | Sequence[str] = ()
    where: Where = ()
    copies: str | Sequence[str] | Mapping[str, str] = ()
    family: int = 1

    def __post_init__(self) -> None:
        rhos_of_levels(self.rho, self.preset)
        if not self.levels or not self.by:
            raise ParameterError("`levels` and `by` are needed: the columns of the groups, and what makes people alike")
        if self.preset is None and len(self.rho) != len(self.levels):
            raise ParameterError(f"needs one budget per level ({len(self.levels)})", parameter="rho", got=len(self.rho))
        if len(self._all_budgets()) < len(self.levels):
            raise ParameterError(
                f"has {len(self._all_budgets())} levels, `levels` names {len(self.levels)}", parameter="preset"
            )
        self._data(None)
        refuse_several_rows(self.max_rows_per_unit)
        probability("prior", self.prior)
        members = family_size(self.family)
        most = members if self.rare is None else whole("rare", self.rare, 1, "nobody is in an empty cell")
        object.__setattr__(self, "rare", checked_rare(most, members))
        for threshold in self.thresholds:
            finite("thresholds", threshold)
        if len(self.levels) < (needed := attack_named(self.attack).levels_needed):
            raise ParameterError(f"`attack={self.attack}` needs at least {needed} `levels`", got=len(self.levels))

    def _all_budgets(self) -> tuple[float, ...]:
        return rhos_of_levels(self.rho, self.preset)

    @property
    def budgets(self) -> tuple[float, ...]:
        """One rho per level, lowest first."""
        return self._all_budgets()[: len(self.levels)]

    def read(self, source: Any, table: str | None = None) -> Situations:
        """The situations of the people in ``source`` who are rare enough."""
        return self._data(source, table).read(self.most)

    @property
    def most(self) -> int:
        """The largest count of people who are alike that is assessed."""
        return self.family if self.rare is None else self.rare

    def _data(self, source: Any, table: str | None = None) -> HierarchyToRead:
        return HierarchyToRead(
            source,
            self.levels,
            self.by,
            table,
            self.count,
            self.codes,
            self.bins,
            self.unit,
            self.max_rows_per_unit,
            self.missing,
            self.missing_values,
            self.where,
            self.copies,
        )


@dataclass(frozen=True)
class Above:
    """How many people have a ratio above a threshold: by their expected ratio, and in one release on average."""

    threshold: float
    people_expected_ratio: int
    expected_people: float


@dataclass(frozen=True, eq=False)
class Answer:
    """The risk of everybody rare. Internal: it is computed from true data."""

    question: Question
    risk: ReleaseRisk
    above: tuple[Above, ...]

    @property
    def mean_posterior(self) -> float:
        """The expected posterior, averaged over people."""
        return self.risk.mean_ratio * self.risk.prior

    @property
    def spread(self) -> Spread:
        """How the expected posterior is spread over people."""
        return spread(self.risk.posterior, self.risk.people)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        risk = self.risk
        return {
            "label": "internal",
            "attack": self.question.attack,
            "prior": self.question.prior,
            **told(self.question.family),
            "people": risk.n_people,
            "situations": len(risk.people),
            "mean_ratio": risk.mean_ratio,
            "quantiles": risk.quantiles(),
            "mean_posterior": self.mean_posterior,
            "spread": self.spread.to_dict(),
            "above": [dict(vars(line)) for line in self.above],
        }


def answer(question: Question, situations: Situations) -> Answer:
    """The risk of everybody in those situations."""
    risk = release_risk(
        situations, question.budgets, question.prior, question.attack, question.most, family=question.family
    )
    above = tuple(Above(t, risk.people_above(t), risk.expected_people_above(t)) for t in question.thresholds)
    return Answer(question, risk, above)
