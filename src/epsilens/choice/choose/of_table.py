"""Dials of tables: every homogeneity measure, jointly or attribute by attribute, and the adversary of one count."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.checks import one_of
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.asked import POSTERIOR_MEASURES, Asked, Attributes, Shape
from epsilens.choice.choose.dial import UNPROTECTED, RiskDial
from epsilens.choice.choose.steepness import Steepness, steepness_of_cells, steepness_of_labels
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import GROUPS, MEASURES, prepare
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.repeated.separate import prepare_separate
from epsilens.noise import MECHANISMS, LaplaceNoise, Noise
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import FrequencyTable, MemoryStore

DROWNED = LaplaceNoise(1e100)
"""Noise in which every count drowns: the limit of no budget at all."""
_DROWNED_BUT_SUMMED = LaplaceNoise(1e12)
"""The same for measures that sum over counts one by one: n people change what is shown by the order of n / 1e12."""


def table_dial(table: FrequencyTable, asked: Asked) -> RiskDial:
    """The dial of one table.

    The slope bound: a risk is the probability of an event about which labels are shown, each independently with
    probability a_j, so |d risk| <= sum of |d a_j|; per label that is the law's own bound per unit of the log of its
    size, which never moves more than the log of epsilon, and half as much as that of rho. Averages and order
    statistics of such risks are no steeper. The sum of the risks of q attributes is q times as steep at most; in
    separate tables every attribute has the labels of its own, and the sum or the combination those of all tables.
    Where a label counts up to w times the risk is an expected harm between 0 and w. Its derivative by a_j is what the
    harm is expected to be with label j shown less what it is with j hidden: the bound is w times as large.
    """
    asked.fitting(Shape(attributes=len(table.sensitive)))
    return _adversary_dial(table, asked) if asked.posterior else _attack_dial(table, asked)


def _attack_dial(table: FrequencyTable, asked: Asked) -> RiskDial:
    """The dial of a homogeneity measure."""
    greatest = float(table.label_weights.max(initial=1.0))
    steepness = table.n_labels * greatest
    shares: tuple[float, ...] = (1.0,)
    if asked.publish == "separate":
        ready = prepare_separate(table, asked.attributes, asked.measure, **asked.of_measure)
        tables, values = len(table.sensitive), [len(set(found)) for found in zip(*table.label_values, strict=True)]
        steepness = greatest * (max(values) if asked.attributes == "max" else sum(values))
        greatest *= tables if asked.attributes == "sum" else 1
        shares = (1.0 / tables if asked.budget_of == "all" else 1.0,) * tables
    elif asked.attributes == "joint":
        ready = prepare(asked.measure, table, **asked.of_measure)
    else:
        ready = prepare_attributes(table, asked.attributes, **asked.of_measure)
        counted = len(table.sensitive) if asked.attributes == "sum" else 1
        greatest, steepness = greatest * counted, steepness * counted
    sizes = ready.cell_sizes
    slope = MECHANISMS[asked.mechanism].law.steepest if MEASURES[asked.measure].of_what_is_shown else None
    if slope is not None:
        slope *= steepness * (0.5 if asked.parameter == "rho" else 1.0)
    single = asked.publish != "separate" and asked.attributes == "joint"
    dial = RiskDial(
        data=table,
        asked=asked,
        kind_risks=lambda noises: ready.risks(noises[0]),
        people=sizes * ready.multiplicities,
        cells=ready.multiplicities * (sizes > 0),
        slope=slope,
        limits=(math.nan, math.nan),
        largest_count=_largest_count(table, asked),
        greatest=greatest,
        prepared=ready,
        shares=shares,
        steepness=_steepness(table, asked, ready, greatest) if single else None,
    )
    return replace(dial, limits=_limits(dial))


def _steepness(table: FrequencyTable, asked: Asked, ready: PreparedMeasure, greatest: float) -> Steepness | None:
    """Bounds for measures that are the chance, or the expected harm, of a cell that shows a single label.

    A printed formula is not such a chance. The counts of ``local`` are the table's own, so that every cell has the
    bounds of its own labels; elsewhere they could be any. An order statistic is as steep as the steepest cell.
    """
    law = MECHANISMS[asked.mechanism].law
    if asked.measure in GROUPS["published"] or not MEASURES[asked.measure].of_what_is_shown:
        return None
    if asked.measure != "local" or not isinstance(asked.aggregate, MeanRisk):
        found = steepness_of_labels(law, table.n_labels)
    else:
        found = steepness_of_cells(law, ready.counts, ready.weights_of_cells(asked.aggregate.weighted))
    return None if found is None else found.times(greatest)


def _largest_count(table: FrequencyTable, asked: Asked) -> int:
    tables = [table.attribute(name) for name in table.sensitive] if asked.publish == "separate" else [table]
    return max(1, *(int(one.sparse_signatures()[0].largest.max(initial=0)) for one in tables))


def _adversary_dial(table: FrequencyTable, asked: Asked) -> RiskDial:
    """The adversary who knows everybody but the target: everybody is at the same risk, whatever their cell."""
    from epsilens.posterior.single import expected_single_level

    if asked.family > table.n_records:
        raise ParameterError(f"is larger than the {table.n_records:,} people", parameter="family", got=asked.family)

    def risks(noises: tuple[Noise, ...]) -> FloatArray:
        found = expected_single_level(noise=noises[0], prior=asked.prior, family=asked.family)
        return np.array([float(getattr(found, POSTERIOR_MEASURES[asked.measure]))])

    limits = posterior_limits(asked.measure, asked.prior)
    return RiskDial(
        data=table,
        asked=asked,
        kind_risks=risks,
        people=np.array([table.n_records]),
        cells=np.array([table.n_cells]),
        slope=None,
        limits=limits,
        largest_count=asked.family,
        greatest=limits[1],
    )


def prepare_attributes(table: FrequencyTable, attributes: Attributes, match: str = "any") -> PreparedMeasure:
    """The risk of every sensitive attribute of the joint table, their maximum or their sum, on signatures.

    max over j of rho_j (bounded by 1), or sum over j of rho_j (bounded by the number of attributes), with rho_j the
    risk of attribute j in the table that publishes all of them jointly.

    Source: P0 section 4.3.
    Assumes what :func:`epsilens.homogeneity.repeated.attributes.attribute_risks` assumes, whose risks these are.
    """
    from epsilens.homogeneity.repeated.attributes import Overall, attribute_risks, overall

    kind: Overall = "max" if attributes == "max" else "sum"
    vectors, multiplicities = table.signatures(ordered=True)  # which label belongs to which value matters
    kinds = replace(table, store=MemoryStore(vectors, {}), quasi_identifiers=())
    one_of("match", match, ("any", "share"))

    def risks(noise: AnyNoise) -> FloatArray:
        return overall(attribute_risks(kinds, noise, match), kind)

    return PreparedMeasure(f"local, {attributes} of attributes", vectors, multiplicities, risks, ordered=True)


def posterior_limits(measure: str, prior: float) -> tuple[float, float]:
    """The adversary's risk without any information, and with all of it.

    Without information the prior stays, and the decision is "there" if that is above an even chance; at an even chance
    the faintest noisy count decides, and is right half of the time.
    """
    decided = 0.5 if prior == 0.5 else float(prior > 0.5)
    start = {"posterior": prior, "posterior-ratio": 1.0, "posterior-decision": decided}[measure]
    return start, 1.0 / prior if measure == "posterior-ratio" else 1.0


def _limits(dial: RiskDial) -> tuple[float, float]:
    """The homogeneity risks at both ends of the dial.

    With a fixed delta some Gaussian calibrations reach a finite scale as epsilon tends to 0, and that is their limit.
    """
    unprotected = dial.of_noise(UNPROTECTED)
    if (least := dial.noises_of_delta()) is not None:
        return dial.of_noise(*least), unprotected
    return dial.of_noise(_DROWNED_BUT_SUMMED if MEASURES[dial.measure].sums_over_counts else DROWNED), unprotected
