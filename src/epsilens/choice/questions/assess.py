"""``assess``, the main job: what is at risk in a table today, and what at each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from epsilens.budget import Budget, log_grid
from epsilens.checks import one_of, probability, whole
from epsilens.choice.curve import RiskCurve, risk_curve
from epsilens.choice.published_attributes import PublishedAttribute, prepare_overall, published_attributes
from epsilens.choice.publishing import BudgetOf, Publish, checked_publish, published_cells
from epsilens.errors import ParameterError, counted
from epsilens.homogeneity.belief import Belief, belief
from epsilens.homogeneity.empirical import STATISTICS, Simulation, empirical
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.measures import MEASURES
from epsilens.homogeneity.models.sizes import SIZE_MODELS
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.repeated.attributes import Overall
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.noise.mechanisms import refuse_needless_delta
from epsilens.notebook import brief, by_role, one_line, rows_html
from epsilens.table import Diagnostics, FrequencyTable, diagnose
from epsilens.table.declared_cells import DeclaredCells
from epsilens.table.to_read import TableToRead

DEFAULT_EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)
CURVE_EPSILONS = (1e-3, 1e2, 101)


@dataclass(frozen=True)
class Question:
    """What to assess: mechanisms x epsilons, measures, and how to average."""

    mechanisms: tuple[str, ...] = ("laplace",)
    epsilons: tuple[float, ...] = ()
    delta: float | None = None
    measures: tuple[str, ...] = ("local",)
    match: str | None = None  # each measure's own default: a cell for local and its kin, a person for hard and soft
    size_model: str | None = None
    alpha: str | tuple[float, ...] | None = None
    weighted: bool = True
    neighbours: str = "add-remove"
    repeats: int = 0  # of a simulation beside the exact risks
    seed: int = 2026
    data: TableToRead | None = None
    """Where the table is, unless it is given."""
    publish: Publish | None = None
    """Several sensitive attributes: one joint table or separate ones; None: each in its own, all in a joint one."""
    budget_of: BudgetOf | None = None
    """Of separate tables: the budget is that of each, the default, or of all together."""

    def __post_init__(self) -> None:
        for name, values in (("mechanism", self.mechanisms), ("measure", self.measures)):
            if not values:
                raise ParameterError(f"name at least one {name}")
        for mechanism in self.mechanisms:
            one_of("mechanism", mechanism, MECHANISMS)
        if self.delta is not None:
            probability("delta", self.delta)
            refuse_needless_delta(self.mechanisms)
        for mechanism in self.mechanisms:
            for epsilon in self.epsilons:  # a budget that cannot be honoured must fail before any data is read
                calibrate(mechanism, MECHANISMS[mechanism].budget(epsilon, self.delta), self.neighbours)
            self.budgets(mechanism, DEFAULT_EPSILONS)
        for measure in self.measures:
            one_of("measure", measure, MEASURES)
        if self.size_model is not None:
            one_of("size_model", self.size_model, SIZE_MODELS)
        if self.match is not None:
            one_of("match", self.match, get_args(Match))
        self._refuse_idle("alpha", "the shrinkage measures", "shrinkage")
        self._refuse_idle("size_model", "the marginal measures", "marginal")
        if not self.repeats:  # a simulation takes it too
            self._refuse_idle("match", "measures of what a cell shows", "local")
        whole("seed", self.seed, 0)
        self._check_publishing()
        if self.repeats:
            whole("repeats", self.repeats, 2, "that many make a standard error")

    def _check_publishing(self) -> None:
        """Refuse what is not known of attributes in a joint table, or of their combination in separate ones."""
        attributes = None if self.data is None else len(self.data.schema.sensitive_columns)
        checked_publish(self.publish, self.budget_of, attributes)
        if self.budget_of is not None and self.publish != "separate":
            raise ParameterError(
                "is about several tables; add `publish=separate`, or leave it out", parameter="budget_of"
            )
        if self.publish is None:
            return
        for measure in self.measures:
            if self.publish == "joint" and not MEASURES[measure].by_attribute:
                known = " and ".join(repr(name) for name, one in MEASURES.items() if one.by_attribute)
                raise ParameterError(
                    f"`publish=joint` is known for measure {known} only: a value is hidden there where all its "
                    f"combinations are; measure {measure!r} is of tables with one attribute"
                )
        if self.repeats:
            raise ParameterError("a simulation is of one table at a time; leave out `publish`, or `repeats`")

    def _refuse_idle(self, option: str, whose: str, example: str) -> None:
        """Refuse an option that none of the measures takes: it would be ignored."""
        if getattr(self, option) is not None and not any(option in MEASURES[name].options for name in self.measures):
            raise ParameterError(f"belongs to {whose}: add `measure={example}`, or leave it out", parameter=option)

    def options(self, measure: str) -> dict[str, Any]:
        """Those options that this measure takes."""
        given = {"match": self.match, "size_model": self.size_model, "alpha": self.alpha}
        takes = MEASURES[measure].options
        return {name: value for name, value in given.items() if name in takes and value is not None}

    def budgets(self, mechanism: str, epsilons: Sequence[float]) -> list[Budget]:
        """The budgets of those epsilons that the mechanism can honour."""
        return [
            MECHANISMS[mechanism].budget(epsilon, self.delta)
            for epsilon in epsilons
            if epsilon < MECHANISMS[mechanism].below
        ]


@dataclass(frozen=True, eq=False)
class BudgetLine:
    """One sensitive attribute under one noise."""

    sensitive: str
    mechanism: str
    budget: Budget
    noise: Noise
    belief: Belief
    risks: dict[str, float]
    """Average risk by measure."""
    simulation: Simulation | None = None
    published: Publish | None = None
    """Of several attributes: whether this one is read off a joint table, or off tables of their own."""

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, self.mechanism, repr(self.budget), f"{len(self.risks)} risks")

    @property
    def epsilon(self) -> float:
        """The budget's epsilon."""
        return float(vars(self.budget)["epsilon"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "sensitive": self.sensitive,
            "mechanism": self.mechanism,
            **vars(self.budget),
            "noise": {"law": type(self.noise).__name__, **asdict(self.noise)},  # type: ignore[call-overload]
            "risks": self.risks,
            "right": self.belief.right,
            "wrong": self.belief.wrong,
            "precision": self.belief.precision,
            "guessing": self.belief.guessing,
            "simulation": self._simulated(),
            "error": expected_absolute_error(self.noise),
            **({} if self.published is None else {"published": self.published}),
        }

    def _simulated(self) -> dict[str, dict[str, float]]:
        parts = ("mean", "sd", "standard_error")
        drawn = self.simulation
        return {} if drawn is None else {name: dict(zip(parts, drawn[name], strict=True)) for name in STATISTICS}


@dataclass(frozen=True, eq=False)
class OverallLine:
    """All sensitive attributes under one noise: the largest and the sum of their risks, cell by cell, averaged."""

    mechanism: str
    budget: Budget
    published: Publish
    largest: dict[str, float]
    """By measure: the bounded overall risk."""
    total: dict[str, float]
    """By measure: the unbounded one, which may exceed 1."""

    __repr__ = brief

    @property
    def epsilon(self) -> float:
        """The budget's epsilon."""
        return float(vars(self.budget)["epsilon"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "mechanism": self.mechanism,
            **vars(self.budget),
            "published": self.published,
            "max": self.largest,
            "sum": self.total,
        }


@dataclass(frozen=True, eq=False)
class AttributeToday:
    """One sensitive attribute of the unprotected table."""

    sensitive: str
    labels: int
    diagnostics: Diagnostics
    belief: Belief
    combined: bool = False
    """Whether it is the combination of several attributes."""

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Assessment:
    """The whole answer. It contains exact risks of true data: internal, not for publication."""

    people: int
    """Records counted; people, unless a person may have several rows."""
    cells: int
    quasi_identifiers: tuple[str, ...]
    question: Question
    today: tuple[AttributeToday, ...]
    lines: tuple[BudgetLine, ...]
    dropped_rows: int = 0
    max_rows_per_unit: int = 1
    overall: tuple[OverallLine, ...] = ()
    """Of several sensitive attributes: their risks taken together."""
    universe: DeclaredCells | None = None
    """The cells and counts that a release adds noise to; None where no universe is declared."""

    def __repr__(self) -> str:
        return one_line(
            self,
            by_role(self.quasi_identifiers, [a.sensitive for a in self.today]),
            self._counted,
            counted(len(self.lines), "budget"),
        )

    def _repr_html_(self) -> str:
        rows = [
            {
                "sensitive": line.sensitive,
                "mechanism": line.mechanism,
                **vars(line.budget),
                **{f"{measure} risk": risk for measure, risk in line.risks.items()},
                "shown, theirs": line.belief.right,
                "shown, wrong": line.belief.wrong,
            }
            for line in self.lines
        ]
        return rows_html(f"Assessment of {self._counted}", rows, internal=True)

    @property
    def _counted(self) -> str:
        whose = "person" if self.whom == "people" else "row"
        return f"{counted(self.people, whose)} in {counted(self.cells, 'cell')}"

    @property
    def left_out(self) -> dict[str, tuple[float, ...]]:
        """For every mechanism that is proved for small epsilon only, the usual epsilons that it cannot honour."""
        asked = self.question.epsilons or DEFAULT_EPSILONS
        by_mechanism = {
            name: tuple(epsilon for epsilon in asked if epsilon >= MECHANISMS[name].below)
            for name in self.question.mechanisms
        }
        return {name: values for name, values in by_mechanism.items() if values}

    @property
    def whom(self) -> str:
        """What is counted: people, or rows where a person may have several."""
        return "people" if self.max_rows_per_unit == 1 else "rows"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        left_out = {name: list(values) for name, values in self.left_out.items()}
        return {
            "label": "internal",
            **({"left_out": left_out} if left_out else {}),
            "people": self.people,
            "rows_per_person": self.max_rows_per_unit,
            "cells": self.cells,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": [attribute.sensitive for attribute in self.today],
            "neighbours": self.question.neighbours,
            "average": "people" if self.question.weighted else "cells",
            "match": self.question.match,
            "dropped_rows": self.dropped_rows,
            "today": [
                {"sensitive": a.sensitive, "labels": a.labels, "guessing": a.belief.guessing, **a.diagnostics.to_dict()}
                for a in self.today
            ],
            "budgets": [line.to_dict() for line in self.lines],
            "universe": None if self.universe is None else self.universe.to_dict(),
            **self._several(),
        }

    def _several(self) -> dict[str, Any]:
        """What is said of several sensitive attributes only."""
        if not self.overall:
            return {}
        return {
            "publish": self.question.publish,
            "budget_of": self.question.budget_of or "each",
            "overall": [line.to_dict() for line in self.overall],
        }


def attribute_tables(table: FrequencyTable) -> Iterator[tuple[str, FrequencyTable]]:
    """Each sensitive attribute alone and, where there are several, all of them jointly."""
    for name in table.sensitive:
        yield name, table.attribute(name)
    if len(table.sensitive) > 1:
        yield " x ".join(table.sensitive), table


def answer(
    question: Question, table: FrequencyTable | None = None, progress: Callable[[int], None] | None = None
) -> Assessment:
    """The assessment of ``table``, or of the table that the question says where to read."""
    return assess(_table(question, table), question, progress)


def assess(
    table: FrequencyTable, question: Question | None = None, progress: Callable[[int], None] | None = None
) -> Assessment:
    """What is at risk today, and at each budget asked for; ``progress`` is called with 1 after each budget."""
    asked = question or Question()
    checked_publish(asked.publish, asked.budget_of, len(table.sensitive))
    today, lines, by_name = [], [], {}
    for part in _parts(table, asked):
        name, attribute = part.name, part.table
        today.append(AttributeToday(name, attribute.n_labels, diagnose(attribute), belief(attribute), part.combined))
        prepared = {measure: part.prepare(measure, **asked.options(measure)) for measure in asked.measures}
        by_name[name] = prepared
        for mechanism in asked.mechanisms:
            for budget in asked.budgets(mechanism, asked.epsilons or DEFAULT_EPSILONS):
                noise = part.noise(mechanism, budget, asked.neighbours)
                risks = {measure: ready.average(noise, asked.weighted) for measure, ready in prepared.items()}
                drawn = (
                    empirical(
                        attribute, mechanism, [budget], asked.repeats, asked.seed, asked.neighbours, asked.weighted
                    ).simulations[0]
                    if asked.repeats
                    else None
                )
                published = part.published if len(table.sensitive) > 1 else None
                lines.append(BudgetLine(name, mechanism, budget, noise, part.belief(noise), risks, drawn, published))
                if progress is not None:
                    progress(1)
    return Assessment(
        table.n_records,
        table.n_cells,
        table.quasi_identifiers,
        asked,
        tuple(today),
        tuple(lines),
        table.dropped_rows,
        table.max_rows_per_unit,
        tuple(_overall(table, asked, by_name)) if len(table.sensitive) > 1 else (),
        published_cells(table, asked.publish),
    )


def _parts(table: FrequencyTable, asked: Question) -> Iterator[PublishedAttribute]:
    """What is assessed; the combination of separate tables only where every measure knows it."""
    known = all(MEASURES[measure].by_attribute for measure in asked.measures)
    for part in published_attributes(table, asked.publish, asked.budget_of):
        if part.own_table or known:
            yield part


def _overall(
    table: FrequencyTable, asked: Question, ready: Mapping[str, Mapping[str, PreparedMeasure]]
) -> Iterator[OverallLine]:
    """The risks of all attributes taken together, at every budget."""
    first = next(published_attributes(table, asked.publish, asked.budget_of))
    together: dict[str, dict[Overall, PreparedMeasure]] = {}
    for measure in asked.measures:
        own = {name: ready[name][measure] for name in table.sensitive}
        match = asked.match or "any"
        together[measure] = {
            kind: prepare_overall(table, kind, asked.publish, measure, own, match) for kind in get_args(Overall)
        }
    for mechanism in asked.mechanisms:
        for budget in asked.budgets(mechanism, asked.epsilons or DEFAULT_EPSILONS):
            noise = first.noise(mechanism, budget, asked.neighbours)
            largest, total = (
                {measure: kinds[kind].average(noise, asked.weighted) for measure, kinds in together.items()}
                for kind in get_args(Overall)
            )
            yield OverallLine(mechanism, budget, first.published, largest, total)


def steps(question: Question, attributes: int) -> int:
    """How often :func:`assess` calls ``progress`` at most, for a table of so many sensitive attributes."""
    return _tables(attributes) * len(question.mechanisms) * len(question.epsilons or DEFAULT_EPSILONS)


def assessment_curves(
    table: FrequencyTable, question: Question, progress: Callable[[int], None] | None = None
) -> list[tuple[str, RiskCurve]]:
    """(attribute, curve) for every attribute, mechanism and measure asked for, over a fine grid of epsilon."""
    curves = []
    for part in _parts(table, question):
        name, attribute = part.name, part.table
        for mechanism in question.mechanisms:
            budgets = question.budgets(mechanism, log_grid(*CURVE_EPSILONS))
            for measure in question.measures:
                curve = risk_curve(
                    attribute,
                    mechanism,
                    budgets,
                    measure,
                    question.weighted,
                    question.neighbours,
                    progress,
                    part,
                    **question.options(measure),
                )
                curves.append((name, curve))
    return curves


def curve_steps(question: Question, attributes: int) -> int:
    """How often :func:`assessment_curves` calls ``progress`` at most."""
    return _tables(attributes) * len(question.mechanisms) * len(question.measures) * CURVE_EPSILONS[2]


def _tables(attributes: int) -> int:
    """Each attribute alone and, where there are several, all of them jointly."""
    return attributes + (attributes > 1)


def _table(question: Question, table: FrequencyTable | None) -> FrequencyTable:
    if table is not None:
        return table
    if question.data is None:
        raise ParameterError("there is no table to assess: give one, or say in `data` where it is")
    return question.data.read()
