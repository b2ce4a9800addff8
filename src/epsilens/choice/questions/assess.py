"""``assess``, the main job: what is at risk in a table today, and what at each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args

from epsilens.arrays import FloatArray
from epsilens.budget import Budget
from epsilens.choice.beside_risks import BesideRisks, beside_attribute
from epsilens.choice.curve import RiskCurve, risk_curves
from epsilens.choice.population_risks import AssessedPopulation, assessed_population
from epsilens.choice.published_attributes import PublishedAttribute, prepare_overall, published_attributes
from epsilens.choice.publishing import checked_publish, published_cells
from epsilens.choice.questions.assess_question import Question as Question
from epsilens.choice.questions.assessment import Assessment, AttributeToday, BudgetLine, OverallLine
from epsilens.choice.questions.axes import DEFAULT_EPSILONS, families, knees_of
from epsilens.choice.spread import Spread, spread
from epsilens.choice.values import measures_by_value, prepare_values, values_today
from epsilens.errors import ParameterError
from epsilens.homogeneity.belief import Belief, belief
from epsilens.homogeneity.by_value import ShownValue
from epsilens.homogeneity.empirical import Simulation, empirical
from epsilens.homogeneity.measures import MEASURES
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.repeated.attributes import Overall
from epsilens.noise import Noise
from epsilens.table import FrequencyTable, cell_sizes, diagnose, homogeneity_classes
from epsilens.threads import GoOn, meanwhile

_MANY_SIGNATURES = 100_000


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
    today, lines, beside, knees, by_name = list[AttributeToday](), list[BudgetLine](), [], [], {}
    for part in assessed_parts(table, asked):
        name, attribute = part.name, part.table
        laws = [
            (mechanism, budget, part.noise(mechanism, budget, asked.neighbours))
            for mechanism in asked.mechanisms
            for budget in asked.budgets(mechanism, asked.epsilons or DEFAULT_EPSILONS)
        ]
        noises = [noise for _, _, noise in laws]
        with meanwhile(partial(_people_shown, part, asked, noises), _is_long(part, asked)) as people_shown:
            prepared = {measure: part.prepare(measure, **asked.options(measure)) for measure in asked.measures}
            by_name[name] = prepared
            found = []
            for mechanism, budget, noise in laws:
                found.append(_risks(part, asked, prepared, mechanism, budget, noise))
                if progress is not None:
                    progress(1)
            now = _today(part)
            by_value, beliefs = people_shown()
        today.append(now)
        lines += [
            BudgetLine(
                name,
                mechanism,
                budget,
                noise,
                believed,
                risks.averages[asked.weightings[0]],
                risks.simulations.get(asked.weightings[0]),
                averages=risks.averages,
                simulations=risks.simulations,
                published=part.published if len(table.sensitive) > 1 else None,
                by_value_of=shown,
                spreads=risks.spreads,
            )
            for (mechanism, budget, noise), risks, shown, believed in zip(laws, found, by_value, beliefs, strict=True)
        ]
        called = [(line.called, line.noise) for line in lines if line.sensitive == name]
        beside.append(
            beside_attribute(attribute, name, prepared, called, asked.weighted, asked.scenarios, asked.riskiest)
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
        _population(table, asked, lines),
    )


@dataclass(frozen=True)
class _Risks:
    """What the measures say at one budget."""

    averages: dict[str, dict[str, float]]
    """By who is averaged over, then by measure."""
    simulations: dict[str, Simulation]
    spreads: dict[str, Spread]


def _risks(
    part: PublishedAttribute,
    asked: Question,
    prepared: Mapping[str, PreparedMeasure],
    mechanism: str,
    budget: Budget,
    noise: Noise,
) -> _Risks:
    risks = {measure: ready.risks(noise) for measure, ready in prepared.items()}
    simulations = {
        by: empirical(
            part.table, mechanism, [budget], asked.repeats, asked.seed, asked.neighbours, by == "people"
        ).simulations[0]
        for by in (asked.weightings if asked.repeats else ())
    }
    return _Risks(
        {by: _averages(prepared, risks, by) for by in asked.weightings},
        simulations,
        {measure: _spread(prepared[measure], risks[measure]) for measure in asked.by_cell},
    )


def _people_shown(
    part: PublishedAttribute, asked: Question, noises: Sequence[Noise], go_on: GoOn
) -> tuple[list[dict[str, tuple[ShownValue, ...]]], list[Belief]]:
    """Who is shown as what: by each noise value by value, and what attackers then believe."""
    measures = measures_by_value(asked.measures)
    values = {measure: prepare_values(part, measure, **asked.options(measure)) for measure in measures}
    by_value = []
    for noise in noises:
        go_on()
        by_value.append({measure: ready.shares(noise) for measure, ready in values.items()})
    if "local" in measures:
        beliefs = [part.belief(noise, shown["local"]) for noise, shown in zip(noises, by_value, strict=True)]
    else:
        beliefs = part.beliefs(noises)
    return by_value, beliefs


def _is_long(part: PublishedAttribute, asked: Question) -> bool:
    """Whether who is shown as what takes long, and asks no engine: signatures of a single attribute tell it."""
    if len(part.whole.sensitive) > 1 or measures_by_value(asked.measures) != ("local",):
        return False
    return len(part.table.sparse_signatures(ordered=True)[0]) >= _MANY_SIGNATURES


def _population(table: FrequencyTable, asked: Question, lines: Sequence[BudgetLine]) -> AssessedPopulation | None:
    """What is said of the population, where the table is a sample of one."""
    if asked.weight is not None and table.weighted_cells is None:
        raise ParameterError("names survey weights, and the table was read without them", parameter="weight")
    if asked.sampling_fraction is None and table.weighted_cells is None:
        return None
    noises = [(line.sensitive, line.mechanism, line.budget, line.noise) for line in lines]
    return assessed_population(table, attribute_tables(table), noises, asked)


def _today(part: PublishedAttribute) -> AttributeToday:
    """What the table gives away as it is."""
    table, diagnostics = part.table, diagnose(part.table)
    return AttributeToday(
        part.name,
        table.n_labels,
        diagnostics,
        belief(table),
        part.combined,
        values_today(table, diagnostics),
        any(name in table.harm.weights for name in table.sensitive),
    )


def _averages(prepared: Mapping[str, PreparedMeasure], risks: Mapping[str, FloatArray], by: str) -> dict[str, float]:
    return {
        measure: float(ready.weights_of_cells(by == "people") @ risks[measure]) for measure, ready in prepared.items()
    }


def _spread(ready: PreparedMeasure, risks: FloatArray) -> Spread:
    return spread(risks, ready.people)


def assessed_parts(table: FrequencyTable, asked: Question) -> Iterator[PublishedAttribute]:
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
            risks = {(kind, measure): kinds[kind].risks(noise) for measure, kinds in together.items() for kind in kinds}
            largest, total = (
                _averages(
                    {measure: kinds[kind] for measure, kinds in together.items()},
                    {measure: risks[kind, measure] for measure in together},
                    asked.weightings[0],
                )
                for kind in get_args(Overall)
            )
            spreads = {
                kind: {measure: _spread(together[measure][kind], risks[kind, measure]) for measure in asked.by_cell}
                for kind in get_args(Overall)
            }
            yield OverallLine(mechanism, budget, first.published, largest, total, spreads)


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
    for part in assessed_parts(table, question):
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
