"""The printed measures by name, against the papers' formulas written out and against enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity import average, published
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.homogeneity.printed import warning_of
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.frequency import FrequencyTable

CELLS = [(3, 0, 0), (1, 2, 0), (1, 1, 1), (0, 4, 0), (2, 1, 1), (0, 0, 1)]
TABLE = FrequencyTable.from_counts(CELLS)
ALPHA = (0.5, 1.5, 0.9)
EPSILON = 0.7


def scenario_one(counts: Sequence[int], noise: Noise) -> float:
    """By going through which labels are shown."""
    if sum(count > 0 for count in counts) != 1:
        return 0.0
    risk = 0.0
    for shown in itertools.product((False, True), repeat=len(counts)):
        chance = math.prod(
            float(noise.sf(0.5 - n) if s else noise.cdf(0.5 - n)) for n, s in zip(counts, shown, strict=True)
        )
        risk += chance * (list(shown) == [n > 0 for n in counts])
    return risk


def same_label(n: int) -> float:
    """A_n of P1 Eq. (3.4), with gamma functions."""
    total = sum(ALPHA)
    return sum(
        math.exp(math.lgamma(total) + math.lgamma(a + n) - math.lgamma(total + n) - math.lgamma(a)) for a in ALPHA
    )


def laplace_factor(n: int) -> float:
    return (1 - 0.5 * math.exp(-0.5 * EPSILON)) ** 2 * (1 - 0.5 * math.exp(-EPSILON * (n - 0.5)))


def gaussian_factor(n: int, sigma: float) -> float:
    first = (1 + math.erf(1 / (2 * math.sqrt(2) * sigma))) ** 2 / 8
    return first * (1 + math.erf((n - 0.5) / (math.sqrt(2) * sigma)))


@pytest.mark.parametrize("noise", [LaplaceNoise(1.3), GaussianNoise(0.8), DiscreteLaplaceNoise(0.9)], ids=repr)
def test_p1_local_is_scenario_one(noise: Noise) -> None:
    ready = prepare("published-p1-local", TABLE)
    assert ready.risks_of(np.array(CELLS), noise) == pytest.approx([scenario_one(c, noise) for c in CELLS], abs=1e-14)


def test_p1_expected_is_equation_a1() -> None:
    risks = prepare("published-p1-expected", TABLE).risks_of(np.array(CELLS), LaplaceNoise(1 / EPSILON))
    written = [sum((k / sum(c)) ** sum(c) for k in c) * laplace_factor(sum(c)) for c in CELLS]
    assert risks == pytest.approx(written, rel=1e-12)


def test_p1_shrinkage_is_theorems_3_7_and_3_11() -> None:
    ready = prepare("published-p1-shrinkage", TABLE, alpha=ALPHA)
    sizes = [sum(c) for c in CELLS]
    laplace = sum(same_label(n) * laplace_factor(n) for n in sizes) / len(sizes)
    gaussian = sum(same_label(n) * gaussian_factor(n, 1.7) for n in sizes) / len(sizes)
    assert ready.average(LaplaceNoise(1 / EPSILON), weighted=False) == pytest.approx(laplace, rel=1e-12)
    assert ready.average(GaussianNoise(1.7), weighted=False) == pytest.approx(gaussian, rel=1e-12)


def test_p1_shrinkage_of_two_labels_is_theorem_3_4() -> None:
    table, (a, b) = FrequencyTable.from_counts([[3, 0], [1, 2], [0, 1]]), (0.6, 1.1)

    def beta(x: float, y: float) -> float:
        return math.exp(math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y))

    written = sum(
        (1 - 0.5 * math.exp(-0.5 * EPSILON))
        * (1 - 0.5 * math.exp(-EPSILON * (n - 0.5)))
        * (beta(n + a, b) + beta(a, n + b))
        / beta(a, b)
        for n in (3, 3, 1)
    )
    ready = prepare("published-p1-shrinkage", table, alpha=(a, b))
    assert ready.average(LaplaceNoise(1 / EPSILON), weighted=False) == pytest.approx(written / 3, rel=1e-12)


def test_p1_marginal_shrinkage_is_corollaries_3_9_and_3_13() -> None:
    ready = prepare("published-p1-marginal-shrinkage", TABLE, alpha=ALPHA, size_model="poisson=2.2")
    chances = {n: math.exp(-2.2) * 2.2**n / math.factorial(n) for n in range(1, 60)}
    laplace = sum(chance * same_label(n) * laplace_factor(n) for n, chance in chances.items())
    gaussian = sum(chance * same_label(n) * gaussian_factor(n, 0.9) for n, chance in chances.items())
    assert ready.average(LaplaceNoise(1 / EPSILON)) == pytest.approx(laplace, rel=1e-12)
    assert ready.average(GaussianNoise(0.9)) == pytest.approx(gaussian, rel=1e-12)


@pytest.mark.parametrize("measure", [name for name in MEASURES if name.startswith("published-")])
def test_a_measure_by_name_is_the_function_of_that_name(measure: str) -> None:
    noise = LaplaceNoise(0.8)
    name = measure.removeprefix("published-").removeprefix("p1-").replace("-", "_")
    version = {"version": "P1"} if "-p1-" in measure else {}
    found = getattr(published, name)(TABLE, noise, **version)
    ready = prepare(measure, TABLE)
    warning = getattr(found, "warning", None)
    if MEASURES[measure].one_risk:
        assert ready.average(noise) == pytest.approx(float(found), rel=1e-12)
        assert bool(warning_of(ready, noise)) == bool(warning)
    else:
        assert ready.average(noise) == pytest.approx(average(np.asarray(found), TABLE), rel=1e-12)
        assert warning_of(ready, noise) == warning


def test_a_measure_without_options_says_so() -> None:
    with pytest.raises(ParameterError, match="measure 'published-hard' has no option match; it takes none"):
        prepare("published-hard", TABLE, match="any")
