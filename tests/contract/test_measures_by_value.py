"""Every exact measure counts labels by their harm, and says who is shown as what: on tables that can be enumerated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.dials import risk_dial
from epsilens.errors import ParameterError
from epsilens.homogeneity import FixedSize
from epsilens.homogeneity.by_value import BY_VALUE, prepare_by_value
from epsilens.homogeneity.measures import GROUPS, MEASURES, prepare
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise, Noise
from epsilens.table.domain import MISSING
from epsilens.table.frequency import FrequencyTable
from epsilens.table.harm import Harm
from tests.unit.homogeneity.enumeration import (
    dirichlet_multinomial,
    enumerated_labels,
    multinomial,
    shown_labels,
)

CELLS = [(3, 0, 0), (1, 2, 0), (0, 4, 0), (0, 4, 0), (2, 1, 1), (0, 0, 1)]
LABELS = ("ill", "well", MISSING)
ALPHA, SIZE = (0.5, 1.5, 0.9), 3
PLAIN = FrequencyTable.from_counts(CELLS)
EXACT, PRINTED = GROUPS["all"], GROUPS["published"]
NOISE: Noise = DiscreteLaplaceNoise(0.6)
Pair = tuple[Sequence[float], Sequence[float]]


def guesses(counts: Sequence[int], noise: Noise, rule: str) -> Pair:
    """Right and wrong guesses by going through every published cell."""
    laws = [{m: float(noise.cdf(0.5 - c) if m == 0 else noise.pmf(m - c)) for m in range(c + 17)} for c in counts]
    guessed = [0.0] * len(counts)
    for published in itertools.product(*laws):
        best, p = max(published), math.prod(law[m] for law, m in zip(laws, published, strict=True))
        weights = [m if rule == "soft" else float(m == best and m > 0) for m in published]
        for k, weight in enumerate(weights):
            guessed[k] += p * weight / max(sum(weights), 1)
    share = [c / sum(counts) for c in counts]
    pairs = list(zip(guessed, share, strict=True))
    return [g * s for g, s in pairs], [g * (1 - s) for g, s in pairs]


def of_shares(counts: Sequence[int], noise: Noise, size: int) -> Pair:
    return enumerated_labels(size, multinomial([c / sum(counts) for c in counts]), len(counts), noise)


def of_dirichlet(noise: Noise, size: int) -> Pair:
    return enumerated_labels(size, dirichlet_multinomial(ALPHA), len(ALPHA), noise)


BY_ENUMERATION: dict[str, tuple[dict[str, Any], Callable[[Sequence[int], Noise], Pair]]] = {
    "local": ({}, shown_labels),
    "expected": ({}, lambda counts, noise: of_shares(counts, noise, sum(counts))),
    "shrinkage": ({"alpha": ALPHA}, lambda counts, noise: of_dirichlet(noise, sum(counts))),
    "marginal": ({"size_model": FixedSize(SIZE)}, lambda counts, noise: of_shares(counts, noise, SIZE)),
    "marginal-shrinkage": (
        {"size_model": FixedSize(SIZE), "alpha": ALPHA},
        lambda counts, noise: of_dirichlet(noise, SIZE),
    ),
    "hard": ({}, lambda counts, noise: guesses(counts, noise, "hard")),
    "soft": ({}, lambda counts, noise: guesses(counts, noise, "soft")),
}
"""By measure: options that make it small enough to enumerate, and the labels of a cell written without the package."""


def harming(*weights: float) -> FrequencyTable:
    """The table where label k counts so many times."""
    return replace(PLAIN, harm=Harm({"label": {str(k): w for k, w in enumerate(weights) if w > 0}}))


def options(measure: str) -> dict[str, Any]:
    return BY_ENUMERATION[measure][0]


def risk(table: FrequencyTable, measure: str, **more: Any) -> float:
    return prepare(measure, table, **options(measure), **more).average(NOISE)


@pytest.mark.parametrize("measure", EXACT)
def test_values_agree_with_enumeration(measure: str) -> None:
    """A measure that is not printed somewhere must be checked here: a new one cannot be left out."""
    given, of_cell = BY_ENUMERATION[measure]
    found = prepare_by_value(PLAIN, measure, **given)
    for vector, right, wrong in zip(found.vectors.tolist(), found.right(NOISE), found.wrong(NOISE), strict=True):
        wanted = of_cell(vector, NOISE)
        np.testing.assert_allclose(right, wanted[0], atol=1e-10, err_msg=str(vector))
        np.testing.assert_allclose(wrong, wanted[1], atol=1e-10, err_msg=str(vector))


@pytest.mark.parametrize("measure", EXACT)
def test_values_add_up_to_the_risk_whatever_labels_weigh(measure: str) -> None:
    for weights in [(1.0, 1.0, 1.0), (1.0, 0.0, 0.0), (2.5, 0.0, 1.0), (3.0, 1.0, 2.0)]:
        table = harming(*weights)
        values = prepare_by_value(table, measure, **options(measure)).shares(NOISE)
        assert tuple(value.weight for value in values) == weights
        total = sum(value.weight * value.shown_right for value in values)
        assert risk(table, measure, match="share") == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("measure", EXACT)
def test_risks_are_linear_and_rising_in_the_weights(measure: str) -> None:
    """Also for cells: what is disclosed of somebody counts, whoever has it."""
    each = [risk(harming(*np.eye(3)[k]), measure, match="any") for k in range(3)]
    assert sum(each) == pytest.approx(risk(PLAIN, measure, match="any"), abs=1e-12)
    weighed = risk(harming(3.0, 1.0, 2.0), measure, match="any")
    assert weighed == pytest.approx(3 * each[0] + each[1] + 2 * each[2], abs=1e-12)
    assert weighed > risk(harming(2.0, 1.0, 2.0), measure, match="any")


@pytest.mark.parametrize("measure", EXACT)
def test_labels_that_harm_alike_may_be_exchanged(measure: str) -> None:
    turned = FrequencyTable.from_counts(np.array(CELLS)[:, [1, 0, 2]])
    given = dict(options(measure))
    here = prepare(measure, replace(PLAIN, harm=Harm({"label": {"2": 1.0}})), **given).average(NOISE)
    if "alpha" in given:
        given["alpha"] = (ALPHA[1], ALPHA[0], ALPHA[2])
    there = prepare(measure, replace(turned, harm=Harm({"label": {"2": 1.0}})), **given).average(NOISE)
    assert there == pytest.approx(here, rel=1e-12)


@pytest.mark.parametrize("measure", EXACT)
def test_a_missing_value_discloses_nothing_unless_it_is_declared(measure: str) -> None:
    table = FrequencyTable.from_counts(CELLS, LABELS)
    assert risk(table, measure) == pytest.approx(risk(harming(1.0, 1.0, 0.0), measure), rel=1e-12)
    declared = table.with_harm("label=ill", "label=well", f"label={MISSING}")
    assert risk(declared, measure) == risk(PLAIN, measure)


@pytest.mark.parametrize("measure", EXACT)
def test_risks_of_given_cells_are_found_with_harm(measure: str) -> None:
    table = harming(0.0, 2.0, 0.0)
    ready = prepare(measure, table, **options(measure))
    cells = ready.risks_of(np.array(CELLS), NOISE)
    sizes = np.array(CELLS).sum(axis=1)
    assert float(cells @ sizes / sizes.sum()) == pytest.approx(ready.average(NOISE), rel=1e-12)


@pytest.mark.parametrize("measure", EXACT)
def test_a_dial_knows_the_largest_risk_and_the_steepest_slope(measure: str) -> None:
    plain, dial = (risk_dial(table, "laplace", MeanRisk(), measure) for table in (PLAIN, harming(2.0, 0.0, 3.0)))
    assert (plain.greatest, dial.greatest) == (1.0, 3.0)
    if dial.slope is not None:
        assert plain.slope is not None
        assert dial.slope == pytest.approx(3.0 * plain.slope)
        grid = np.geomspace(0.05, 40.0, 40)
        risks = np.array([dial.risk(float(epsilon)) for epsilon in grid])
        assert (np.abs(np.diff(risks)) / np.diff(np.log(grid))).max() <= dial.slope


@pytest.mark.parametrize("measure", PRINTED)
def test_what_is_printed_knows_no_harm(measure: str) -> None:
    with pytest.raises(ParameterError, match=r"counts all labels alike"):
        prepare(measure, harming(1.0, 0.0, 0.0))
    noise = LaplaceNoise(0.8)
    plain = prepare(measure, PLAIN).average(noise)
    assert prepare(measure, harming(1.0, 1.0, 1.0)).average(noise) == plain
    with_missing = prepare(measure, FrequencyTable.from_counts(CELLS, LABELS))
    assert with_missing.average(noise) == plain
    with pytest.raises(ParameterError, match="take measure="):
        prepare_by_value(PLAIN, measure)


def test_every_exact_measure_has_its_values() -> None:
    assert set(BY_VALUE) == set(EXACT) == set(BY_ENUMERATION)
    assert set(MEASURES) == set(EXACT) | set(PRINTED)
