"""Privacy-loss distributions against closed forms, enumeration, quadrature and dp-accounting."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from scipy import integrate

import epsilens
from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.gaussian import gaussian_log_delta
from epsilens.noise.law import SymmetricLaw
from epsilens.noise.loss_distribution import (
    Loss,
    MovedCount,
    WorstMechanism,
    composed_epsilon,
    loss_distribution,
)


@dataclass(frozen=True)
class LogisticNoise(SymmetricLaw):
    """A law that the program has never seen: tail 1 / (1 + e^(x / s))."""

    scale: float
    integer_valued: ClassVar[bool] = False

    @property
    def variance(self) -> float:
        return (math.pi * self.scale) ** 2 / 3.0

    def tail(self, x: FloatArray) -> FloatArray:
        return np.exp(self.logtail(x))

    def logtail(self, x: FloatArray) -> FloatArray:
        return -np.logaddexp(0.0, x / self.scale)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        away = np.abs(as_floats(x)) / self.scale
        return -away - 2.0 * np.log1p(np.exp(-away)) - math.log(self.scale)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.logistic(0.0, self.scale, size)


def exact_delta(law: Noise, moved: float, epsilon: float) -> float:
    """The hockey-stick divergence, summed or integrated."""

    def excess(x: float) -> float:
        return max(0.0, float(law.density(x)) - math.exp(epsilon) * float(law.density(x - moved)))

    reach = 40.0 * math.sqrt(law.variance) + 40.0
    if law.integer_valued:
        return math.fsum(excess(float(k)) for k in range(-int(reach), int(reach) + 1))
    ends = [-reach, *np.linspace(-3.0 * moved, 3.0 * moved, 7), reach]
    return math.fsum(
        integrate.quad(excess, low, high, epsabs=1e-13, limit=400)[0] for low, high in itertools.pairwise(ends)
    )


@pytest.mark.parametrize(
    ("law", "moved"),
    [
        (GaussianNoise(2.0), 1.0),
        (GaussianNoise(2.0), math.sqrt(2.0)),
        (LaplaceNoise(3.0), 1.0),
        (LaplaceNoise(3.0), 2.5),
        (DiscreteLaplaceNoise(4.0), 1.0),
        (DiscreteLaplaceNoise(4.0), 3.0),
        (DiscreteGaussianNoise(3.0), 1.0),
        (DiscreteGaussianNoise(3.0), 2.0),
        (LogisticNoise(2.0), 1.0),
        (LogisticNoise(0.3), 1.0),
    ],
    ids=repr,
)
def test_delta_of_one_count_is_the_laws_own(law: Noise, moved: float) -> None:
    found = loss_distribution(MovedCount(law, moved))
    assert found.masses.sum() + found.infinity == pytest.approx(1.0, abs=1e-12)
    for epsilon in (0.0, 0.05, 0.2, 0.5, 1.5):
        truth = exact_delta(law, moved, epsilon)
        assert truth - 1e-9 <= found.delta(epsilon) <= truth + 1e-6


@pytest.mark.parametrize("sigma", [0.3, 1.0, 10.0, 1e3, 3e5, 1e8])
@pytest.mark.parametrize("number", [1, 2, 30])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10])
def test_gaussian_noises_are_one(sigma: float, number: int, delta: float) -> None:
    ratio = math.sqrt(number) / sigma
    found = composed_epsilon([(MovedCount(GaussianNoise(sigma)), number)], delta).epsilon
    if found == 0.0:
        assert gaussian_log_delta(1e-12 * ratio, ratio) <= math.log(delta)
        return
    assert gaussian_log_delta(found, ratio) <= math.log(delta) + 1e-9
    assert gaussian_log_delta(found * (1.0 - 1e-4), ratio) > math.log(delta)


def exact_of_worst(number: int, size: float, delta: float) -> float:
    """Kairouz, Oh and Viswanath (2015, Theorem 3.3), in many digits."""
    from mpmath import binomial, exp, mp, mpf

    with mp.workdps(50):
        one = mpf(size)
        weights = [binomial(number, i) / (1 + exp(one)) ** number for i in range(number + 1)]

        def exceeds(total: object) -> bool:
            terms = (
                weight * max(mpf(0), exp((number - i) * one) - exp(total + i * one)) for i, weight in enumerate(weights)
            )
            return bool(sum(terms) > delta)

        low, high = mpf(0), number * one
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if exceeds(middle) else (low, middle)
        return float(high)


@pytest.mark.parametrize(
    ("number", "size", "delta"),
    [(1000, 1e-6, 1e-9), (100, 1e-5, 1e-9), (100, 1e-5, 1e-5), (40, 0.1, 1e-6), (40, 0.1, 1e-11), (5, 3.0, 1e-6)],
)
def test_worst_mechanisms_cost_the_exact_optimum(number: int, size: float, delta: float) -> None:
    truth = exact_of_worst(number, size, delta)
    found = composed_epsilon([(WorstMechanism(size), number)], delta).epsilon
    assert truth <= found <= truth * (1.0 + 1e-4)


def test_two_worst_mechanisms_of_different_size_by_enumeration() -> None:
    (first, second), own, delta = (0.7, 0.2), 1e-4, 1e-3
    found = composed_epsilon([(WorstMechanism(first, own), 1), (WorstMechanism(second), 1)], delta).epsilon

    def exact(epsilon: float) -> float:
        total = own
        for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            mass = (1.0 - own) / (1.0 + math.exp(-a * first)) / (1.0 + math.exp(-b * second))
            total += mass * max(0.0, 1.0 - math.exp(epsilon - a * first - b * second))
        return total

    assert exact(found) <= delta
    assert exact(found - 2e-4) > delta


@pytest.mark.parametrize(("scale", "number"), [(2.0, 5), (10.0, 40), (1e3, 100)])
def test_laplace_noise_agrees_with_dp_accounting_and_is_above_it(scale: float, number: int) -> None:
    from dp_accounting.pld import privacy_loss_distribution as theirs

    fine = {"value_discretization_interval": min(1e-4, 1e-3 / scale)}
    continuous = theirs.from_laplace_mechanism(scale, **fine).self_compose(number).get_epsilon_for_delta(1e-6)
    found = composed_epsilon([(MovedCount(LaplaceNoise(scale)), number)], 1e-6).epsilon
    assert found == pytest.approx(continuous, rel=1e-5)
    discrete = composed_epsilon([(MovedCount(DiscreteLaplaceNoise(scale)), number)], 1e-6).epsilon
    assert discrete >= found * (1.0 - 1e-9)  # rounded noise is at least this noisy; a draw on whole numbers is not


def test_an_unknown_law_is_composed_like_any_other() -> None:
    law = LogisticNoise(5.0)
    assert law.largest_loss() == pytest.approx(0.2, rel=0.01)
    one = composed_epsilon([(MovedCount(law), 1)], 1e-4).epsilon
    assert exact_delta(law, 1.0, one) == pytest.approx(1e-4, rel=1e-3)
    many = composed_epsilon([(MovedCount(LogisticNoise(100.0)), 20_000)], 1e-6).epsilon
    # the sum of the losses is nearly normal: the variance of each is the Fisher information 1 / (3 s^2)
    assert gaussian_log_delta(many, math.sqrt(20_000.0 / 3.0) / 100.0) == pytest.approx(math.log(1e-6), abs=0.01)


def test_a_wide_law_beside_a_narrow_one_and_many_different_ones_are_quick() -> None:
    losses: list[tuple[Loss, int]] = [(MovedCount(DiscreteLaplaceNoise(20.0 + 0.1 * i)), 1) for i in range(60)]
    losses += [(WorstMechanism(1e-9), 3), (MovedCount(DiscreteGaussianNoise(1e7)), 2), (WorstMechanism(2.0), 1)]
    found = composed_epsilon(losses, 1e-6)
    assert 2.0 < found.epsilon < 5.0
    assert composed_epsilon(losses[::-1], 1e-6) == found


def test_losses_that_exceed_every_exponential_are_numbers_still() -> None:
    assert composed_epsilon([(WorstMechanism(1000.0), 2)], 1e-6).epsilon == pytest.approx(2000.0)
    found = composed_epsilon([(MovedCount(GaussianNoise(0.01)), 1)], 1e-6).epsilon
    assert found == pytest.approx(5474.3655, rel=1e-5)
    assert composed_epsilon([(MovedCount(DiscreteGaussianNoise(0.01)), 10)], 1e-6).epsilon == pytest.approx(50000.0)


def test_where_delta_is_gone_there_is_no_epsilon() -> None:
    assert composed_epsilon([(WorstMechanism(0.1, 1e-3), 1)], 1e-4).epsilon == math.inf
    assert composed_epsilon([(MovedCount(GaussianNoise(1e6)), 1)], 0.1).epsilon == 0.0


def test_noise_in_whole_numbers_moves_by_whole_numbers() -> None:
    with pytest.raises(ParameterError, match=r"moved must be a whole number for noise in whole numbers, got 1\.5"):
        MovedCount(DiscreteLaplaceNoise(1.0), 1.5)


def test_dp_accounting_has_one_home_and_is_not_imported_before_it_is_needed() -> None:
    source = Path(epsilens.__file__).parent
    homes = [path.name for path in source.rglob("*.py") if "dp_accounting" in path.read_text()]
    assert homes == ["loss_distribution.py"]
    code = "import sys; import epsilens.accounting.composition; sys.exit('dp_accounting' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_losses_without_a_grid_are_bounded_by_their_sums() -> None:
    tiny, huge = WorstMechanism(1e-200), WorstMechanism(1e200)
    assert composed_epsilon([(tiny, 2)], 1e-6).epsilon == 0.0
    assert composed_epsilon([(tiny, 2)], 1e-300).epsilon == pytest.approx(2e-200)
    assert composed_epsilon([(huge, 2)], 1e-6).epsilon == pytest.approx(2e200)
    assert composed_epsilon([(WorstMechanism(1e200, 1e-3), 2)], 1e-6).epsilon == math.inf
    assert composed_epsilon([(MovedCount(GaussianNoise(1e-200)), 1)], 1e-6).epsilon == math.inf
