"""The risk of somebody of the population, against enumeration of the noise, of the rest and of all samples."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.homogeneity import population_risk
from epsilens.homogeneity.local import local
from epsilens.homogeneity.samples.risks import prepare_population
from epsilens.homogeneity.samples.values import read_off
from epsilens.noise import DiscreteLaplaceNoise
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable
from tests.unit.homogeneity.enumeration import Probability, count_vectors, dirichlet_multinomial, multinomial

COUNTS = [[3, 0, 1], [1, 2, 0], [0, 0, 5], [1, 0, 0]]
SIZES = [6, 4, 7, 3]
ALPHA = (0.4, 0.7, 1.1)
NOISE = DiscreteLaplaceNoise(0.6)
DRAWS = np.arange(-9, 10)


def read(measure: str, counts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """P(label k is read off the cell), by every outcome of the noise."""
    outcomes = np.array(list(product(range(len(DRAWS)), repeat=3)))
    chances = NOISE.pmf(DRAWS)[outcomes].prod(axis=1)
    published = np.maximum(counts + DRAWS[outcomes], 0)
    largest = published.max(axis=1, keepdims=True)
    weights = {
        "local": (published > 0) & ((published > 0).sum(axis=1, keepdims=True) == 1),
        "hard": (published == largest) & (largest > 0),
        "soft": published,
    }[measure]
    return np.asarray(chances @ (weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)))


def rest_of(counts: np.ndarray[Any, Any], rest: int) -> list[tuple[float, np.ndarray[Any, Any]]]:
    """Every population that the cell can belong to, and its probability: people are drawn from an urn."""
    outcomes = []
    for labels in product(range(3), repeat=rest):
        own, chance = counts.astype(float), 1.0
        for k in labels:
            chance *= (ALPHA[k] + own[k]) / (sum(ALPHA) + own.sum())
            own[k] += 1.0
        outcomes.append((chance, own))
    return outcomes


@pytest.mark.parametrize("measure", ["local", "hard", "soft"])
def test_the_population_is_every_rest_that_the_urn_can_draw(measure: str) -> None:
    population = somebody = right_and_wrong = 0.0
    for counts, size in zip(np.array(COUNTS), SIZES, strict=True):
        shown = read(measure, counts)
        right_and_wrong += size * shown.sum() / sum(SIZES)
        for chance, own in rest_of(counts, size - int(counts.sum())):
            population += size * chance * float(shown @ own) / size / sum(SIZES)
            somebody += size * chance * float(shown @ (own > 0)) / sum(SIZES)
    table = FrequencyTable.from_counts(COUNTS, weights=SIZES)
    found = population_risk(table, NOISE, measure, alpha=ALPHA, match="any")
    assert found.population == pytest.approx(population, rel=1e-6)
    assert found.right == pytest.approx(population, rel=1e-6)
    assert found.right + found.wrong == pytest.approx(right_and_wrong, rel=1e-6)
    assert found.somebody == pytest.approx(somebody, rel=1e-6)


def test_the_sample_and_the_rest_make_the_population() -> None:
    table = FrequencyTable.from_counts(COUNTS)
    found = population_risk(table, NOISE, sampling_fraction=0.2)
    sizes = table.counts.sum(axis=1)
    assert found.sample == pytest.approx(float(local(table, NOISE, match="share") @ sizes / sizes.sum()), rel=1e-12)
    assert found.rest is not None
    assert found.population == pytest.approx(0.2 * found.sample + 0.8 * found.rest, rel=1e-12)


def test_everybody_in_the_sample_is_the_table_itself() -> None:
    table = FrequencyTable.from_counts(COUNTS)
    found = population_risk(table, NOISE, sampling_fraction=1.0, match="any")
    assert found.rest is None
    assert (found.population, found.with_unseen, found.without_model) == (found.sample, None, None)
    sizes = table.counts.sum(axis=1)
    assert found.somebody == pytest.approx(float(local(table, NOISE) @ sizes / sizes.sum()), rel=1e-12)
    assert found.guessing == pytest.approx(6 / 13)


def test_a_label_counts_by_its_harm() -> None:
    table = FrequencyTable.from_counts(COUNTS, weights=SIZES)
    plain = population_risk(table, NOISE, alpha=ALPHA)
    parts = [population_risk(table.with_harm(f"label={k}"), NOISE, alpha=ALPHA).population for k in range(3)]
    assert sum(parts) == pytest.approx(plain.population, rel=1e-12)
    heavy = population_risk(table.with_harm("label=1*3"), NOISE, alpha=ALPHA)
    assert heavy.population == pytest.approx(3 * parts[1], rel=1e-12)
    assert heavy.right == pytest.approx(parts[1], rel=1e-12)
    assert plain.guessing > heavy.guessing > 0  # of the values that harm


def test_the_worst_off_person_and_those_above_half_stand_beside_the_average() -> None:
    table = FrequencyTable.from_counts(COUNTS, weights=SIZES)
    found = population_risk(table, NOISE, alpha=ALPHA)
    risks = []
    for counts, size in zip(np.array(COUNTS), SIZES, strict=True):
        predicted = (np.array(ALPHA) + counts) / (sum(ALPHA) + counts.sum())
        own = (counts + (size - counts.sum()) * predicted) / size
        risks.append(float(read("local", counts) @ own))
    assert found.worst == pytest.approx(max(risks), rel=1e-6)
    above = sum(size for risk, size in zip(risks, SIZES, strict=True) if risk > 0.5)
    assert found.above_half == pytest.approx(above / sum(SIZES))


def test_a_risk_of_one_half_is_not_above_it() -> None:
    found = prepare_population(FrequencyTable.from_counts([[1, 1], [4, 0]]), "hard", 0.5, alpha=(1.0, 1.0)).risk()
    assert found.above_half == pytest.approx(4 / 6)  # of two people with two labels one is guessed


def test_today_cells_show_what_they_hold() -> None:
    table = FrequencyTable.from_counts(COUNTS, weights=SIZES)
    today = prepare_population(table, alpha=ALPHA).risk()
    expected = 5 + 2 * (1.1 + 5) / 7.2 + 1 + 2 * (0.4 + 1) / 3.2  # the two homogeneous cells
    assert today.population == pytest.approx(expected / 20, rel=1e-12)
    hard = prepare_population(table, "hard", alpha=ALPHA).risk()
    assert hard.sample == pytest.approx((3 + 2 + 5 + 1) / 13)
    soft = prepare_population(table, "soft", alpha=ALPHA).risk()
    assert soft.sample == pytest.approx((4 * 10 / 16 + 3 * 5 / 9 + 5 + 1) / 13)


@pytest.mark.parametrize("universe", [False, True])
def test_leaving_one_out_is_right_on_average_over_all_samples(universe: bool) -> None:
    """Six people in two cells, sampled with chance 0.4: the expected sums over all 64 samples are the same."""
    cell, label, fraction = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1]), 0.4
    truth = estimate = 0.0
    for chosen in product([False, True], repeat=6):
        taken = np.array(chosen)
        probability = fraction ** taken.sum() * (1 - fraction) ** (~taken).sum()
        counts = np.zeros((2, 2), dtype=np.int64)
        np.add.at(counts, (cell[taken], label[taken]), 1)
        shown = read_off("local", counts, NOISE)
        if not universe:
            shown = np.where(counts.sum(axis=1, keepdims=True) > 0, shown, 0.0)
        truth += probability * float(shown[cell[~taken], label[~taken]].sum())
        if not taken.any():
            continue
        there = counts if universe else counts[counts.sum(axis=1) > 0]
        schema = el.Schema("cell", "label", universe={"cell": ["0", "1", "2"]}) if universe else None
        table = FrequencyTable.from_counts(there)
        object.__setattr__(table, "schema", schema)
        found = prepare_population(table, sampling_fraction=fraction, alpha=(1.0, 1.0))
        result = found.risk(NOISE).without_model
        assert result is not None
        estimate += probability * result * float(found.outside.sum())
    assert estimate == pytest.approx(truth, rel=1e-12)


def test_cells_out_of_sight_show_nothing_unless_they_are_published() -> None:
    table = FrequencyTable.from_counts(COUNTS)
    found = prepare_population(table, sampling_fraction=0.5, alpha=ALPHA)
    risk = found.risk(NOISE)
    assert risk.rest is not None
    assert found.population.unseen == 1.0
    assert risk.with_unseen == pytest.approx((13 * risk.sample + 12 * risk.rest) / 26)
    object.__setattr__(table, "schema", el.Schema("cell", "label", universe={"cell": ["a"]}))
    declared = prepare_population(table, sampling_fraction=0.5, alpha=ALPHA).risk(NOISE)
    empty = read("local", np.zeros(3)) @ np.array(ALPHA) / sum(ALPHA)
    assert declared.with_unseen == pytest.approx((13 * risk.sample + 12 * risk.rest + empty) / 26, rel=1e-6)
    harmed = prepare_population(table.with_harm("label=1*2"), sampling_fraction=0.5, alpha=ALPHA).risk(NOISE)
    assert harmed.rest is not None
    empty = 2 * read("local", np.zeros(3))[1] * ALPHA[1] / sum(ALPHA)
    assert harmed.with_unseen == pytest.approx((13 * harmed.sample + 12 * harmed.rest + empty) / 26, rel=1e-6)


def test_what_cannot_occur_is_in_no_rest() -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], structural_zeros=[[0, 1], [0, 0]])
    found = prepare_population(table, sampling_fraction=0.5, alpha=(1.0, 2.0))
    row = int(np.flatnonzero(found.values.vectors[:, 1] == STRUCTURAL_ZERO)[0])
    assert found.predictive[row].tolist() == [1.0, 0.0]


def modelled(size: int, probability: Probability) -> tuple[float, np.ndarray[Any, Any], float]:
    """Over all counts of a cell: the sample's risk, what is shown, and the risk of a rest that shares the shares."""
    inside = predicted = 0.0
    shown = np.zeros(3)
    for counts in count_vectors(size, 3):
        hidden, seen = NOISE.cdf(0.5 - np.array(counts)), NOISE.sf(0.5 - np.array(counts))
        alone = np.array([seen[k] * np.delete(hidden, k).prod() for k in range(3)])
        chance = probability(counts)
        inside += chance * float(alone @ counts) / size
        shown += chance * alone
        predicted += chance * float(alone @ (np.array(ALPHA) + counts)) / (sum(ALPHA) + size)
    return inside, shown, predicted


@pytest.mark.parametrize("measure", ["expected", "shrinkage", "marginal", "marginal-shrinkage"])
def test_models_are_every_table_that_they_can_draw(measure: str) -> None:
    rate = 1.3
    sizes = {n: rate**n / math.factorial(n) / math.expm1(rate) for n in range(1, 12)}
    total = 0.0
    for counts, people in zip(np.array(COUNTS), SIZES, strict=True):
        n = int(counts.sum())
        law = dirichlet_multinomial(ALPHA) if measure.endswith("shrinkage") else multinomial(counts / n)
        drawn = sizes if measure.startswith("marginal") else {n: 1.0}
        inside = rest = 0.0
        for size, chance in drawn.items():
            theirs, shown, predicted = modelled(size, law)
            inside += chance * theirs
            own = float(shown @ (np.array(ALPHA) + counts)) / (sum(ALPHA) + n)
            rest += chance * (predicted if measure.endswith("shrinkage") else own)
        total += (n * inside + (people - n) * rest) / sum(SIZES)
    table = FrequencyTable.from_counts(COUNTS, weights=SIZES)
    options: dict[str, Any] = {"size_model": f"poisson={rate}"} if measure.startswith("marginal") else {}
    found = prepare_population(table, measure, alpha=ALPHA, **options)
    assert found.risk(NOISE).population == pytest.approx(total, rel=1e-7)
    with pytest.raises(ParameterError, match="none as it is today"):
        found.risk()


def test_a_generic_cell_needs_the_same_labels_everywhere() -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], structural_zeros=[[0, 1], [0, 0]])
    with pytest.raises(ParameterError, match="possible in some cells only; take measure"):
        population_risk(table, NOISE, "marginal-shrinkage", sampling_fraction=0.5, alpha=(1.0, 1.0))
    assert 0 < population_risk(table, NOISE, "shrinkage", sampling_fraction=0.5, alpha=(1.0, 1.0)).population < 1


def test_refusals() -> None:
    table = FrequencyTable.from_counts(COUNTS)
    with pytest.raises(ParameterError, match="says nothing of others"):
        population_risk(table, NOISE, "published-local", sampling_fraction=0.1)
    with pytest.raises(ParameterError, match="did you mean 'local'"):
        population_risk(table, NOISE, "locl", sampling_fraction=0.1)
    with pytest.raises(ParameterError, match="draws its cells anew"):
        population_risk(table, NOISE, "expected", sampling_fraction=0.1, match="any")


def test_the_worst_off_are_at_no_less_than_the_average_however_small_it_is() -> None:
    table = el.FrequencyTable.from_counts([[9, 9], [8, 9]], ["p", "q"])
    found = population_risk(table, el.LaplaceNoise(0.2), sampling_fraction=0.5)
    assert 0.0 < found.population <= found.worst < 1e-12
