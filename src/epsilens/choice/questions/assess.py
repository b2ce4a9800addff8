"""``assess``, the main job: what is at risk in a table today, and what at each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any, get_args

from epsilens.budget import Budget
from epsilens.checks import one_of, probability, whole
from epsilens.choice.beside_risks import BesideRisks, beside_attribute
from epsilens.choice.curve import RiskCurve, risk_curves
from epsilens.choice.published_attributes import PublishedAttribute, prepare_overall, published_attributes
from epsilens.choice.publishing import BudgetOf, Publish, checked_publish, published_cells
from epsilens.choice.questions.axes import (
    AVERAGES,
    DEFAULT_DELTAS,
    DEFAULT_EPSILONS,
    Knees,
    check_axis,
    families,
    knees_of,
)
from epsilens.errors import ParameterError, counted
from epsilens.homogeneity.belief import Belief, belief
from epsilens.homogeneity.empirical import STATISTICS, Simulation, empirical
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.measures import MEASURES, measures_named
from epsilens.homogeneity.models.fits import check_size_fit
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.repeated.attributes import Overall
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.noise.mechanisms import refuse_needless_delta
from epsilens.notebook import brief, by_role, one_line, rows_html
from epsilens.table import Diagnostics, FrequencyTable, cell_sizes, diagnose, homogeneity_classes
from epsilens.table.declared_cells import DeclaredCells
from epsilens.table.to_read import TableToRead


@dataclass(frozen=True)
class Question:
    """What to assess: mechanisms x epsilons x deltas, measures, and how to average.

    ``delta`` is the one of ``deltas``, and ``weighted`` says whether the first of ``weightings`` is over people: give
    one or several.
    """

    mechanisms: tuple[str, ...] = ("laplace",)
    epsilons: tuple[float, ...] = ()
    delta: float | None = None
    measures: tuple[str, ...] = ("local",)
    match: str | None = None  # each measure's own default: a cell for local and its kin, a person for hard and soft
    size_model: str | None = None
    size_fit: str | None = None
    alpha: str | tuple[float, ...] | None = None
    weighted: bool = True
    neighbours: str = "add-remove"
    repeats: int = 0  # of a simulation beside the exact risks
    seed: int = 2026
    scenarios: bool = False  # whether to say what becomes of a cell, by P0's eight scenarios
    riskiest: int = 0  # how many of the riskiest cells to list
    data: TableToRead | None = None
    """Where the table is, unless it is given."""
    deltas: tuple[float, ...] = ()
    weightings: tuple[str, ...] = ()
    """Averages over ``people``, over ``cells``, or over both in turn."""
    axis: str = "epsilon"
    """What curves run along: epsilon (one per delta), delta (one per epsilon), or both, which makes a surface."""
    epsilon_range: tuple[float, float] | None = None
    delta_range: tuple[float, float] | None = None
    """Where curves begin and end."""
    knee: bool = False
    """Whether to look for the epsilon at which each risk starts to rise faster."""
    publish: Publish | None = None
    """Several sensitive attributes: one joint table or separate ones; None: each in its own, all in a joint one."""
    budget_of: BudgetOf | None = None
    """Of separate tables: the budget is that of each, the default, or of all together."""

    def __post_init__(self) -> None:
        self._settle_several()
        for name, values in (("mechanism", self.mechanisms), ("measure", self.measures)):
            if not values:
                raise ParameterError(f"name at least one {name}")
        for mechanism in self.mechanisms:
            one_of("mechanism", mechanism, MECHANISMS)
        check_axis(self)
        if self.deltas:
            for delta in self.deltas:
                probability("delta", delta)
            refuse_needless_delta(self.mechanisms)
        for mechanism in self.mechanisms:
            for epsilon in self.epsilons:  # a budget that cannot be honoured must fail before any data is read
                for each in self.deltas_of(mechanism):
                    calibrate(mechanism, MECHANISMS[mechanism].budget(epsilon, each), self.neighbours)
            self.budgets(mechanism, DEFAULT_EPSILONS)
        object.__setattr__(self, "measures", measures_named(self.measures))
        check_size_fit(self.size_model or "poisson", self.size_fit)
        if self.match is not None:
            one_of("match", self.match, get_args(Match))
        self._refuse_idle("alpha", "the shrinkage measures", "shrinkage")
        self._refuse_idle("size_model", "the marginal measures", "marginal")
        self._refuse_idle("size_fit", "the marginal measures", "marginal")
        if whole("riskiest", self.riskiest, 0):
            self.check_cells()
        if not self.repeats:  # a simulation takes it too
            self._refuse_idle("match", "measures of what a cell shows", "local")
        whole("seed", self.seed, 0)
        self._check_publishing()
        if self.repeats:
            whole("repeats", self.repeats, 2, "that many make a standard error")

    def _settle_several(self) -> None:
        """Make one and several mean the same; both of them, and different, are refused."""
        if self.delta is not None and self.deltas not in ((), (self.delta,)):
            raise ParameterError("is given beside `deltas`; give one of the two", parameter="delta")
        deltas = tuple(dict.fromkeys(self.deltas or (() if self.delta is None else (self.delta,))))
        if not deltas and self.axis in ("delta", "both"):
            deltas = DEFAULT_DELTAS
        for weighting in self.weightings:
            one_of("weighting", weighting, AVERAGES)
        if self.weightings and not self.weighted and self.weightings[0] != "cells":
            raise ParameterError("says how to average already; leave out `unweighted`", parameter="weighting")
        weightings = tuple(dict.fromkeys(self.weightings)) or (AVERAGES[0] if self.weighted else AVERAGES[1],)
        for name, value in (
            ("deltas", deltas),
            ("delta", deltas[0] if len(deltas) == 1 else None),
            ("weightings", weightings),
            ("weighted", weightings[0] == "people"),
        ):
            object.__setattr__(self, name, value)

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
        if self.scenarios:
            raise ParameterError("are those of one table at a time; leave out `publish`", parameter="scenarios")

    def _refuse_idle(self, option: str, whose: str, example: str) -> None:
        """Refuse an option that none of the measures takes: it would be ignored."""
        if getattr(self, option) is not None and not any(option in MEASURES[name].options for name in self.measures):
            raise ParameterError(f"belongs to {whose}: add `measure={example}`, or leave it out", parameter=option)

    @property
    def by_cell(self) -> tuple[str, ...]:
        """The measures that have a risk for every cell, and not one for the whole table."""
        return tuple(name for name in self.measures if not MEASURES[name].one_risk)

    def check_cells(self) -> None:
        """Refuse to list cells where every measure has a single risk, or where it is not clear of which table."""
        if self.publish is not None:
            raise ParameterError("are those of one table at a time; leave out `publish`", parameter="cells")
        if not self.by_cell:
            raise ParameterError(
                f"{self.measures[0]} is one risk for the whole table, so no cell is riskier than another",
                remedy="add a measure that has a risk for each cell, such as `measure=local`",
            )

    def options(self, measure: str) -> dict[str, Any]:
        """Those options that this measure takes."""
        given = {"match": self.match, "size_model": self.size_model, "size_fit": self.size_fit, "alpha": self.alpha}
        takes = MEASURES[measure].options
        return {name: value for name, value in given.items() if name in takes and value is not None}

    def deltas_of(self, mechanism: str) -> tuple[float | None, ...]:
        """The deltas that go with the mechanism: one that has none is asked for once."""
        return (self.deltas or (None,)) if MECHANISMS[mechanism].has_delta else (None,)

    def budgets(self, mechanism: str, epsilons: Sequence[float]) -> list[Budget]:
        """The budgets of those epsilons that the mechanism can honour, delta by delta."""
        return [
            MECHANISMS[mechanism].budget(epsilon, delta)
            for delta in self.deltas_of(mechanism)
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
    averages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The risks for every average that was asked for, ``people`` or ``cells``; ``risks`` are those of the first."""
    simulations: Mapping[str, Simulation] = field(default_factory=dict)
    """The same of the simulation."""
    published: Publish | None = None
    """Of several attributes: whether this one is read off a joint table, or off tables of their own."""

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, self.mechanism, repr(self.budget), f"{len(self.risks)} risks")

    @property
    def epsilon(self) -> float:
        """The budget's epsilon."""
        return float(vars(self.budget)["epsilon"])

    @property
    def called(self) -> dict[str, Any]:
        """Mechanism and budget."""
        return {"mechanism": self.mechanism, **vars(self.budget)}

    @property
    def delta(self) -> float | None:
        """The budget's delta, where it has one."""
        return vars(self.budget).get("delta")

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
            "simulation": {} if self.simulation is None else _simulated(self.simulation),
            "error": expected_absolute_error(self.noise),
            **({} if self.published is None else {"published": self.published}),
            **self._by_average(),
        }

    def _by_average(self) -> dict[str, Any]:
        """Where averages are taken in several ways, the risks of each."""
        if len(self.averages) < 2:
            return {}
        plain: dict[str, Any] = {"averages": {name: dict(risks) for name, risks in self.averages.items()}}
        if self.simulations:
            plain["simulations"] = {name: _simulated(drawn) for name, drawn in self.simulations.items()}
        return plain


def _simulated(drawn: Simulation) -> dict[str, dict[str, float]]:
    parts = ("mean", "sd", "standard_error")
    return {name: dict(zip(parts, drawn[name], strict=True)) for name in STATISTICS}


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

    @property
    def delta(self) -> float | None:
        """The budget's delta, where it has one."""
        return vars(self.budget).get("delta")

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
    rows_not_selected: int = 0
    """Rows that conditions on rows, or missing values, left out."""
    beside: BesideRisks = field(default_factory=BesideRisks)
    """Sizes of cells, homogeneity, scenarios, laws, bounds, the riskiest cells."""
    knees: Knees = ()
    """Where each risk starts to rise faster, if that was asked for."""
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
            **({"averages": list(self.question.weightings)} if len(self.question.weightings) > 1 else {}),
            **({"deltas": list(self.question.deltas)} if len(self.question.deltas) > 1 else {}),
            "match": self.question.match,
            "dropped_rows": self.dropped_rows,
            "rows_not_selected": self.rows_not_selected,
            **self.beside.to_dict(),
            "today": [
                {"sensitive": a.sensitive, "labels": a.labels, "guessing": a.belief.guessing, **a.diagnostics.to_dict()}
                for a in self.today
            ],
            "budgets": [
                line.to_dict() | ({} if more is None else more.to_dict())
                for line, more in zip_longest(self.lines, self.beside.budgets)
            ],
            **({"knees": [knee.to_dict() for knee in self.knees]} if self.question.knee else {}),
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
    today, lines, beside, knees, by_name = [], [], [], [], {}
    for part in _parts(table, asked):
        name, attribute = part.name, part.table
        today.append(AttributeToday(name, attribute.n_labels, diagnose(attribute), belief(attribute), part.combined))
        prepared = {measure: part.prepare(measure, **asked.options(measure)) for measure in asked.measures}
        by_name[name] = prepared
        for mechanism in asked.mechanisms:
            for budget in asked.budgets(mechanism, asked.epsilons or DEFAULT_EPSILONS):
                noise = part.noise(mechanism, budget, asked.neighbours)
                averages = {by: _averages(prepared, noise, by) for by in asked.weightings}
                drawn = {
                    by: empirical(
                        attribute, mechanism, [budget], asked.repeats, asked.seed, asked.neighbours, by == "people"
                    ).simulations[0]
                    for by in (asked.weightings if asked.repeats else ())
                }
                first = asked.weightings[0]
                lines.append(
                    BudgetLine(
                        name,
                        mechanism,
                        budget,
                        noise,
                        part.belief(noise),
                        averages[first],
                        drawn.get(first),
                        averages=averages,
                        simulations=drawn,
                        published=part.published if len(table.sensitive) > 1 else None,
                    )
                )
                if progress is not None:
                    progress(1)
        noises = [(line.called, line.noise) for line in lines if line.sensitive == name]
        beside.append(
            beside_attribute(attribute, name, prepared, noises, asked.weighted, asked.scenarios, asked.riskiest)
        )
        if asked.knee:
            knees += knees_of(asked, part, prepared)
    return Assessment(
        table.n_records,
        table.n_cells,
        table.quasi_identifiers,
        asked,
        tuple(today),
        tuple(lines),
        table.dropped_rows,
        table.max_rows_per_unit,
        table.rows_not_selected,
        BesideRisks(tuple(beside), cell_sizes(table), homogeneity_classes(table)),
        tuple(knees),
        tuple(_overall(table, asked, by_name)) if len(table.sensitive) > 1 else (),
        published_cells(table, asked.publish),
    )


def _averages(prepared: Mapping[str, PreparedMeasure], noise: Noise, by: str) -> dict[str, float]:
    return {measure: ready.average(noise, by == "people") for measure, ready in prepared.items()}


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
    deltas = sum(len(question.deltas_of(mechanism)) for mechanism in question.mechanisms)
    return _tables(attributes) * deltas * len(question.epsilons or DEFAULT_EPSILONS)


def assessment_curves(
    table: FrequencyTable, question: Question, progress: Callable[[int], None] | None = None
) -> list[tuple[str, RiskCurve]]:
    """(attribute, curve) for every attribute, mechanism, measure and average, over a fine grid of the axis.

    Along epsilon there is a curve for every delta, along delta one for every epsilon; where both are axes, one has the
    budgets of the whole surface, epsilon by epsilon.
    """
    weightings = [by == "people" for by in question.weightings]
    curves = []
    for part in _parts(table, question):
        name, attribute = part.name, part.table
        for mechanism in question.mechanisms:
            for measure in question.measures:
                for budgets in families(question, mechanism):
                    found = risk_curves(
                        attribute,
                        mechanism,
                        budgets,
                        measure,
                        weightings,
                        question.neighbours,
                        progress,
                        part,
                        **question.options(measure),
                    )
                    curves += [(name, curve) for curve in found]
    return curves


def curve_steps(question: Question, attributes: int) -> int:
    """How often :func:`assessment_curves` calls ``progress`` at most."""
    budgets = sum(len(family) for mechanism in question.mechanisms for family in families(question, mechanism))
    return _tables(attributes) * len(question.measures) * budgets


def _tables(attributes: int) -> int:
    """Each attribute alone and, where there are several, all of them jointly."""
    return attributes + (attributes > 1)


def _table(question: Question, table: FrequencyTable | None) -> FrequencyTable:
    if table is not None:
        return table
    if question.data is None:
        raise ParameterError("there is no table to assess: give one, or say in `data` where it is")
    return question.data.read()
