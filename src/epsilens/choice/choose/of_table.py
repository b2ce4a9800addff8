"""Dials of tables: every homogeneity measure, jointly or attribute by attribute, and the adversary of one count."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.checks import one_of, probability
from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.dial import POSTERIOR_MEASURES, UNPROTECTED, Parameter, RiskDial, refuse_options
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.noise import MECHANISMS, LaplaceNoise, Noise
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import FrequencyTable, MemoryStore

Attributes: TypeAlias = Literal["joint", "max", "sum"]
"""Several sensitive attributes: their combinations as one, or one risk each, of which the largest or the sum counts."""

DROWNED = LaplaceNoise(1e100)
"""Noise in which every count drowns: the limit of no budget at all."""
_DROWNED_BUT_SUMMED = LaplaceNoise(1e12)
"""The same for measures that sum over counts one by one: n people change what is shown by the order of n / 1e12."""

_ONE_RISK = ("marginal-shrinkage", "published-marginal-shrinkage", *POSTERIOR_MEASURES)
_SUMMED_OVER_COUNTS = ("hard", "soft")
# Measures that are probabilities of what a cell shows, label by label: their slope has a bound.
_OF_WHAT_IS_SHOWN = ("local", "expected", "shrinkage", "marginal", "marginal-shrinkage")


def table_dial(
    table: FrequencyTable,
    mechanism: str,
    parameter: Parameter,
    delta: float | None,
    neighbours: str,
    measure: str,
    aggregate: AnyAggregate,
    attributes: Attributes = "joint",
    **options: Any,
) -> RiskDial:
    """The dial of one table, mechanism and measure; ``options`` go to the measure.

    The slope bound: a risk is the probability of an event about which labels are shown, each independently with
    probability a_j, so |d risk| <= sum of |d a_j|; per label that is the law's own bound per unit of the log of its
    size, which never moves more than the log of epsilon, and half as much as that of rho. Averages and order
    statistics of such risks are no steeper. The sum of the risks of q attributes is q times as steep at most.
    """
    if aggregate.needs_cells and measure in _ONE_RISK:
        raise ParameterError(
            f"measure {measure!r} gives one risk for the whole table, so it has no aggregate {aggregate.name!r}; "
            "use aggregate='mean', or a measure with one risk per cell such as 'local'"
        )
    one_of("attributes", attributes, get_args(Attributes))
    largest, steepness = 1, float(table.n_labels)
    if measure in POSTERIOR_MEASURES:
        _refuse_attributes(table, measure, attributes)
        refuse_options(f"measure {measure!r}", options, ("prior",))
        prior = probability("prior", options.get("prior", 0.5))
        risks, people, cells = _posterior(table, measure, prior)
    else:
        if "prior" in options:
            raise ParameterError(f"measure {measure!r} has no prior: its attacker has none; leave prior out")
        _refuse_hierarchy_options(measure, options)
        if attributes == "joint":
            ready = prepare(measure, table, **options)
        else:
            _refuse_attributes(table, measure, attributes)
            ready = prepare_attributes(table, attributes, **options)
            steepness *= len(table.sensitive) if attributes == "sum" else 1
        sizes = np.maximum(ready.vectors, 0).sum(axis=1)
        risks, people, cells = ready.risks, sizes * ready.multiplicities, ready.multiplicities * (sizes > 0)
        largest = max(int(table.signatures()[0].max()), 1)
    slope = MECHANISMS[mechanism].law.steepest if measure in _OF_WHAT_IS_SHOWN else None
    if slope is not None:
        slope *= steepness * (0.5 if parameter == "rho" else 1.0)
    dial = RiskDial(
        table,
        mechanism,
        parameter,
        delta,
        neighbours,
        measure,
        aggregate,
        lambda noises: risks(noises[0]),
        people,
        cells,
        slope,
        (math.nan, math.nan),
        largest,
        attributes=attributes,
    )
    if measure in POSTERIOR_MEASURES:
        limits = posterior_limits(measure, prior)
        return replace(dial, limits=limits, greatest=limits[1])
    return replace(dial, limits=_limits(dial), greatest=float(len(table.sensitive)) if attributes == "sum" else 1.0)


def prepare_attributes(table: FrequencyTable, attributes: Attributes, match: str = "any") -> PreparedMeasure:
    """The risk of every sensitive attribute of the joint table, their maximum or their sum, on signatures.

    max over j of rho_j (bounded by 1), or sum over j of rho_j (bounded by the number of attributes), with rho_j the
    risk of attribute j in the table that publishes all of them jointly.

    Source: P0 section 4.3.
    Assumption: as in :func:`epsilens.homogeneity.repeated.attributes.attribute_risks`, whose risks these are.
    """
    from epsilens.homogeneity.repeated.attributes import Overall, attribute_risks, overall

    kind: Overall = "max" if attributes == "max" else "sum"
    vectors, multiplicities = table.signatures(ordered=True)  # which label belongs to which value matters
    kinds = replace(table, store=MemoryStore(vectors, {}), quasi_identifiers=())
    one_of("match", match, ("any", "share"))

    def risks(noise: AnyNoise) -> FloatArray:
        return overall(attribute_risks(kinds, noise, match), kind)

    return PreparedMeasure(f"local, {attributes} of attributes", vectors, multiplicities, risks)


def posterior_limits(measure: str, prior: float) -> tuple[float, float]:
    """The adversary's risk without any information, and with all of it.

    Without information the prior stays, and the decision is "there" if that is above an even chance; at an even chance
    the faintest noisy count decides, and is right half of the time.
    """
    decided = 0.5 if prior == 0.5 else float(prior > 0.5)
    start = {"posterior": prior, "posterior-ratio": 1.0, "posterior-decision": decided}[measure]
    return start, 1.0 / prior if measure == "posterior-ratio" else 1.0


def _refuse_attributes(table: FrequencyTable, measure: str, attributes: str) -> None:
    """Only the local measure has risks of single attributes, and only a table with several."""
    if attributes == "joint":
        return
    if measure != "local":
        raise ParameterError(
            f"attributes={attributes!r} is known for measure 'local' only; measure {measure!r} takes them jointly"
        )
    if len(table.sensitive) < 2:
        raise ParameterError(f"attributes={attributes!r} needs several sensitive attributes, the table has one")


def _refuse_hierarchy_options(measure: str, options: dict[str, Any]) -> None:
    for name in ("attack", "rare", "shares"):
        if name in options:
            raise ParameterError(f"{name} belongs to posterior measures of a hierarchy; measure {measure!r} has none")


def _posterior(
    table: FrequencyTable, measure: str, prior: float
) -> tuple[Callable[[Noise], FloatArray], IntArray, IntArray]:
    """The adversary who knows everybody but the target: everybody is at the same risk, whatever their cell."""
    from epsilens.posterior.single import expected_single_level

    def risks(noise: Noise) -> FloatArray:
        return np.array([float(getattr(expected_single_level(noise=noise, prior=prior), POSTERIOR_MEASURES[measure]))])

    return risks, np.array([table.n_records]), np.array([table.n_cells])


def _limits(dial: RiskDial) -> tuple[float, float]:
    """The homogeneity risks at both ends of the dial.

    With a fixed delta some Gaussian calibrations reach a finite scale as epsilon tends to 0, and that is their limit.
    """
    unprotected = dial.of_noise(UNPROTECTED)
    tiny, tinier = (math.sqrt(dial.noise(epsilon).variance) for epsilon in (1e-7, 1e-8))
    if tinier < 1.001 * tiny:
        return dial.risk(1e-8), unprotected
    return dial.of_noise(_DROWNED_BUT_SUMMED if dial.measure in _SUMMED_OVER_COUNTS else DROWNED), unprotected
