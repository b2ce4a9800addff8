"""The sum of draws of any law is a law."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import epsilens as el
from epsilens.homogeneity.measures import GROUPS, prepare
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.law import SymmetricLaw
from epsilens.noise.sum_law import ListedSum, law_of_sum, sides_of_sums
from tests.contract.test_added_law import LogisticNoise

LAWS: list[Noise] = [
    LaplaceNoise(0.8),
    GaussianNoise(1.1),
    DiscreteLaplaceNoise(0.8),
    DiscreteGaussianNoise(0.6),
    DiscreteGaussianNoise(2.5),
    LogisticNoise(0.7),
]
TABLE = el.FrequencyTable.from_counts([[4, 0], [1, 2], [12, 0], [0, 3]])


def named(law: Noise) -> str:
    return f"{law.name}-{law.size}"


@pytest.mark.parametrize("law", LAWS, ids=named)
def test_a_single_draw_is_the_law_itself(law: Noise) -> None:
    assert law_of_sum(law, 1) is law


@pytest.mark.parametrize("law", [DiscreteLaplaceNoise(0.3), DiscreteGaussianNoise(0.5)], ids=named)
def test_all_combinations_of_three_draws(law: Noise) -> None:
    values = np.arange(-6.0, 7.0)
    mass = law.pmf(values)
    total = dict.fromkeys(range(-18, 19), 0.0)
    for combination in itertools.product(range(len(values)), repeat=3):
        total[int(sum(values[i] for i in combination))] += math.prod(mass[i] for i in combination)
    found = law_of_sum(law, 3)
    for k in range(-4, 5):
        assert float(found.pmf(k)) == pytest.approx(total[k], rel=1e-6)
        assert float(found.sf(k - 0.5)) == pytest.approx(sum(p for j, p in total.items() if j >= k), abs=1e-8)


@pytest.mark.parametrize("law", LAWS, ids=named)
@pytest.mark.parametrize("terms", [2, 9])
def test_simulation_within_five_standard_errors(law: Noise, terms: int) -> None:
    found, draws = law_of_sum(law, terms), 40_000
    each = law.sample((draws, terms), np.random.default_rng(terms))
    rounded = isinstance(found, ListedSum) and not law.integer_valued
    summed = (np.floor(each + 0.5) if rounded else each).sum(axis=1)
    drawn = found.sample(draws, np.random.default_rng(5))
    for x in (-1.5, 0.5, 2.5):
        p = float(found.sf(x))
        for several in (summed, drawn):
            assert abs((several > x).mean() - p) < 5.0 * math.sqrt(p * (1.0 - p) / draws)
    assert found.variance == pytest.approx(summed.var(), rel=0.1)
    assert found.cdf(0.5) + found.sf(0.5) == pytest.approx(1.0, rel=1e-12)
    assert found.logsf(3.5) == pytest.approx(math.log(float(found.sf(3.5))), rel=1e-9)


@pytest.mark.parametrize("measure", GROUPS["all"])
def test_every_measure_works_on_sums(measure: str) -> None:
    ready = prepare(measure, TABLE)
    for law in (LAWS[0], LAWS[2], LAWS[3]):
        risks = ready.risks(law_of_sum(law, 4))
        assert np.all((risks >= 0.0) & (risks <= 1.0))
        assert ready.average(law_of_sum(law, 4)) != pytest.approx(ready.average(law), abs=1e-6)


@pytest.mark.parametrize("law", LAWS, ids=named)
def test_many_sums_at_a_time(law: Noise) -> None:
    terms, x = np.array([1, 4, 4, 30, 1]), np.array([0.5, 0.5, -2.5, -60.5, -1.5])
    above, below = sides_of_sums(law, terms, x)
    for i, (m, at) in enumerate(zip(terms.tolist(), x.tolist(), strict=True)):
        assert above[i] == pytest.approx(float(law_of_sum(law, m).sf(at)), rel=1e-12)
        assert below[i] == pytest.approx(float(law_of_sum(law, m).cdf(at)), rel=1e-12)
    assert len(sides_of_sums(law, terms[:0], x[:0])[0]) == 0


def test_a_listed_sum_is_a_law_like_others() -> None:
    found = law_of_sum(DiscreteGaussianNoise(0.6), 5)
    assert isinstance(found, ListedSum)
    assert isinstance(found, SymmetricLaw)
    assert found.size == pytest.approx(math.sqrt(found.variance))
    assert found.density(0.5) == 0.0
    assert found.logsf(1e9) == -math.inf
    assert found.reach(0.05) >= 1


def test_more_narrow_draws_than_are_listed_one_by_one() -> None:
    noise, terms = DiscreteGaussianNoise(0.4), 10**7
    above, below = sides_of_sums(noise, np.array([terms, terms]), np.array([0.5, -2000.5]))
    size = math.sqrt(terms * noise.variance)
    normal = [0.5 * math.erfc(x / size / math.sqrt(2.0)) for x in (0.5, -2000.5)]
    assert above == pytest.approx(normal, abs=1e-6)
    assert above + below == pytest.approx([1.0, 1.0], abs=1e-12)
