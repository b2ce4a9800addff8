"""What an assessment says of the population behind a sample, beside what it says of the sample's own people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from epsilens.arrays import as_floats
from epsilens.budget import Budget, OfBudget
from epsilens.errors import ParameterError, counted
from epsilens.homogeneity.fit import Fit
from epsilens.homogeneity.models.dirichlet_fits import DirichletShares, resolved_shares
from epsilens.homogeneity.samples.attackers import ReIdentification, re_identification
from epsilens.homogeneity.samples.population import KnownBy, checked_fraction, population_of
from epsilens.homogeneity.samples.risks import PopulationRisk, PreparedPopulation, label_shares, prepare_population
from epsilens.homogeneity.samples.uniques import PopulationUniques, population_uniques
from epsilens.homogeneity.samples.values import check_measure
from epsilens.noise.law import AnyNoise
from epsilens.notebook import one_line
from epsilens.table.frequency import FrequencyTable
from epsilens.table.to_read import TableToRead


@dataclass(frozen=True, eq=False)
class PopulationLine(OfBudget):
    """One sensitive attribute of the population under one noise."""

    sensitive: str
    mechanism: str
    budget: Budget
    risks: Mapping[str, PopulationRisk]
    """By measure."""

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, self.mechanism, repr(self.budget))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        risks = {measure: risk.to_dict() for measure, risk in self.risks.items()}
        return {"sensitive": self.sensitive, "mechanism": self.mechanism, **vars(self.budget), "risks": risks}


@dataclass(frozen=True, eq=False)
class AssessedPopulation:
    """The population behind a sample: who is in it, who is alone in it, and what is at risk."""

    people: float
    """How many the sample stands for."""
    sample: int
    known_by: KnownBy
    unseen: float
    """How many of them are in cells with nobody of the sample."""
    published_empty: bool | None
    """Whether such cells are published too, because a universe is declared; None where it is not known how."""
    today: Mapping[str, PopulationRisk]
    """By sensitive attribute: what is at risk where the sample is published as it is."""
    lines: tuple[PopulationLine, ...]
    uniques: PopulationUniques
    attackers: ReIdentification
    partly_harmful: tuple[str, ...] = ()
    """The sensitive attributes of which only some values harm."""
    laws: Mapping[str, Fit[DirichletShares]] = field(default_factory=dict)
    """By sensitive attribute: the law of label shares that predicts those who are not in the sample."""
    gaps: Mapping[str, float] = field(default_factory=dict)
    """By sensitive attribute, where people have weights: by how much the share of a label in the population differs at
    most, from what these weights say of those who have it."""

    def __repr__(self) -> str:
        return one_line(
            self, f"{counted(self.sample, 'person')} of {self.people:.6g}", counted(len(self.lines), "line")
        )

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.sample / self.people

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "people": self.people,
            "sample": self.sample,
            "fraction": self.fraction,
            "known_by": self.known_by,
            "unseen": self.unseen,
            "unseen_share": self.unseen / self.people,
            "published_empty": self.published_empty,
            "today": [{"sensitive": name, **risk.to_dict()} for name, risk in self.today.items()],
            "budgets": [line.to_dict() for line in self.lines],
            "rest": [
                {"sensitive": name, "alpha": list(law.model.alpha), "method": law.method, "message": law.message}
                | ({"gap": self.gaps[name]} if name in self.gaps else {})
                for name, law in self.laws.items()
            ],
            "uniques": self.uniques.to_dict(),
            "attackers": self.attackers.to_dict(),
        }


def check_sample(
    fraction: float | None,
    weight: str | None,
    data: TableToRead | None,
    measures: Iterable[str],
    match: str | None,
    publish: str | None,
) -> bool:
    """Whether a question is about a sample; refused where it cannot be answered, before any data are read."""
    weight = weight or (None if data is None else data.weight)
    if fraction is None and weight is None:
        return False
    if fraction is not None:
        checked_fraction(fraction)
        if weight is not None:
            raise ParameterError(
                "says already how many a person stands for; leave out `sampling_fraction`", parameter="weight"
            )
    whose = "sampling_fraction" if weight is None else "weight"
    if data is not None and data.schema.unit is not None and data.schema.max_rows_per_unit > 1:
        raise ParameterError(
            "is that of people, and a person may have several rows here",
            parameter=whose,
            remedy="leave `max_rows_per_unit` out, so that one row of each person is counted",
        )
    if publish is not None:
        raise ParameterError("is that of one table at a time; leave out `publish`", parameter=whose)
    for measure in measures:
        check_measure(measure, match)
    return True


class AskedOfSample(Protocol):
    """What a question about a sample says."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of risk."""
        ...

    @property
    def sampling_fraction(self) -> float | None:
        """The share of the population that is in the sample; None: the table has survey weights."""
        ...

    @property
    def alpha(self) -> str | tuple[float, ...] | None:
        """Dirichlet parameters of the label shares."""
        ...

    @property
    def match(self) -> str | None:
        """Whether anybody of a cell counts, besides a person."""
        ...

    def options(self, measure: str) -> dict[str, Any]:
        """Those options that the measure takes."""
        ...


def prepared_populations(
    table: FrequencyTable, asked: AskedOfSample, alpha: Sequence[float]
) -> dict[str, PreparedPopulation]:
    """Every measure that is asked for, of the population behind the table of one attribute; ``alpha`` is its law."""
    ready = {}
    for measure in asked.measures:
        own = {name: value for name, value in asked.options(measure).items() if name not in ("alpha", "match")}
        ready[measure] = prepare_population(table, measure, asked.sampling_fraction, alpha, asked.match, **own)
    return ready


def assessed_population(
    table: FrequencyTable,
    attributes: Iterable[tuple[str, FrequencyTable]],
    noises: Sequence[tuple[str, str, Budget, AnyNoise]],
    asked: AskedOfSample,
) -> AssessedPopulation:
    """The population behind ``table``; ``noises`` are (attribute, mechanism, budget, noise), as they are assessed."""
    fraction = asked.sampling_fraction
    population = population_of(table, fraction)
    today, lines, published_empty, partly, laws, gaps = {}, [], None, [], {}, {}
    for name, attribute in attributes:
        if not attribute.label_weights.all():
            partly.append(name)
        laws[name] = resolved_shares(attribute, asked.alpha)
        alpha = laws[name].model.alpha
        if (gap := _gap(attribute, alpha)) is not None:
            gaps[name] = gap
        ready = prepared_populations(attribute, asked, alpha)
        plain = ready.get("local") or prepare_population(attribute, "local", fraction, alpha, asked.match)
        today[name], published_empty = plain.risk(None), plain.published_empty
        for sensitive, mechanism, budget, noise in noises:
            if sensitive == name:
                risks = {measure: one.risk(noise) for measure, one in ready.items()}
                lines.append(PopulationLine(name, mechanism, budget, risks))
    return AssessedPopulation(
        population.people,
        population.sample,
        population.known_by,
        population.unseen,
        published_empty,
        today,
        tuple(lines),
        population_uniques(table, fraction),
        re_identification(table, fraction),
        tuple(partly),
        laws,
        gaps,
    )


def _gap(table: FrequencyTable, alpha: Sequence[float]) -> float | None:
    """How far the shares of labels that cells predict are from those that the weights of people say.

    If within every cell being asked has nothing to do with the label, the two estimate the same shares.
    """
    weighted = table.weighted_cells
    if weighted is None or weighted.by_label is None:
        return None
    predicted = label_shares(population_of(table), as_floats(alpha))
    return float(np.abs(predicted - weighted.by_label / weighted.by_label.sum()).max())
