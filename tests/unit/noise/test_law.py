"""What follows for any symmetric law from its tail and its density, tried on a law that states nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.law import SymmetricLaw, checked_noise, has_privacy_loss, reach_of


@dataclass(frozen=True)
class HeavyTailNoise(SymmetricLaw):
    """A law with tail (1 + x / b)^-4 / 2, whose loss is largest in the middle and falls to 0."""

    width: float
    integer_valued: ClassVar[bool] = False

    @property
    def variance(self) -> float:
        return self.width**2 / 3.0

    def tail(self, x: FloatArray) -> FloatArray:
        return 0.5 * (1.0 + x / self.width) ** -4.0

    def logtail(self, x: FloatArray) -> FloatArray:
        return as_floats(-4.0 * np.log1p(x / self.width) - math.log(2.0))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        return as_floats(math.log(2.0 / self.width) - 5.0 * np.log1p(np.abs(as_floats(x)) / self.width))

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return as_floats(self.width * rng.pareto(4.0, size) * rng.choice((-1.0, 1.0), size))


@dataclass(frozen=True)
class CoarseNoise(SymmetricLaw):
    """Even numbers only: whole, but without a bound on how it changes, and with losses that have none."""

    size_of_it: float
    integer_valued: ClassVar[bool] = True
    name: ClassVar[str] = "even"

    @property
    def variance(self) -> float:
        return 4.0 * DiscreteLaplaceNoise(self.size_of_it).variance

    def tail(self, x: FloatArray) -> FloatArray:
        return DiscreteLaplaceNoise(self.size_of_it).tail(np.ceil(x / 2.0))

    def logtail(self, x: FloatArray) -> FloatArray:
        return DiscreteLaplaceNoise(self.size_of_it).logtail(np.ceil(x / 2.0))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        return DiscreteLaplaceNoise(self.size_of_it).logdensity(as_floats(x) / 2.0)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return 2.0 * DiscreteLaplaceNoise(self.size_of_it).sample(size, rng)


def test_a_law_is_called_as_its_class_unless_it_says_otherwise() -> None:
    assert (HeavyTailNoise.name, HeavyTailNoise.title) == ("heavy-tail", "heavy tail")
    assert (CoarseNoise.name, CoarseNoise.title) == ("even", "even")
    law = HeavyTailNoise(3.0)
    assert (law.parameter, law.size, law.of_size(2.0)) == ("width", 3.0, HeavyTailNoise(2.0))
    assert (law.secure_sampler, law.rotates, law.geometric_rate) == (None, False, None)
    assert (law.known_delta(1.0, 1), law.known_absolute_sum(2), law.approximate_sum(2)) == (None, None, None)


def test_both_sides_follow_from_the_tail() -> None:
    law = HeavyTailNoise(3.0)
    for x in (0.0, 0.4, 8.0):
        tail = 0.5 * (1 + x / 3.0) ** -4
        assert [float(f(v)) for f, v in ((law.sf, x), (law.cdf, -x))] == pytest.approx([tail] * 2)
        assert [float(f(v)) for f, v in ((law.cdf, x), (law.sf, -x))] == pytest.approx([1 - tail] * 2)
        assert math.exp(float(law.logcdf(-x))) == math.exp(float(law.logsf(x))) == pytest.approx(tail)
    whole = CoarseNoise(1.1)
    k = np.arange(-60, 61)
    law_of_it = whole.pmf(k)
    assert law_of_it.sum() == pytest.approx(1.0)
    for x in (-3.0, -2.5, -2.0, 0.0, 0.5, 1.0, 4.0):
        assert float(whole.cdf(x)) == pytest.approx(law_of_it[k <= x].sum())
        assert float(whole.sf(x)) == pytest.approx(law_of_it[k > x].sum())
        assert float(whole.logsf(x)) == pytest.approx(math.log(law_of_it[k > x].sum()))


@pytest.mark.parametrize("width", [0.4, 3.0, 5000.0])
def test_rounded_probabilities_are_differences_of_tails_without_cancelling(width: float) -> None:
    from fractions import Fraction

    b = Fraction(width)

    def tail(x: Fraction) -> Fraction:
        return Fraction(1, 2) / (1 + x / b) ** 4

    law = HeavyTailNoise(width)
    assert float(law.pmf(0)) == pytest.approx(float(1 - 2 * tail(Fraction(1, 2))), rel=1e-12)
    for k in (1, 2, 30, 4000):
        exact = float(tail(k - Fraction(1, 2)) - tail(k + Fraction(1, 2)))
        assert float(law.pmf(k)) == float(law.pmf(-k)) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("noise", [HeavyTailNoise(3.0), CoarseNoise(2.0), GaussianNoise(2.0), LaplaceNoise(0.01)])
@pytest.mark.parametrize("tail", [0.9, 0.1, 1e-3, 1e-9])
def test_reach_by_walking(noise: Noise, tail: float) -> None:
    steps = np.arange(0.0, 2000.0)
    beyond = 2 * noise.sf(steps + 0.5)
    assert noise.reach(tail) == reach_of(noise, tail) == int(np.argmax(beyond <= tail))


def test_reach_of_a_law_that_is_not_symmetric() -> None:
    class Lopsided:
        integer_valued, variance = False, 9.0

        def sf(self, x: npt.ArrayLike) -> FloatArray:
            return LaplaceNoise(1.0).sf(as_floats(x) - 10.0)

        def cdf(self, x: npt.ArrayLike) -> FloatArray:
            return LaplaceNoise(1.0).cdf(as_floats(x) - 10.0)

    upper = next(t for t in range(100) if float(LaplaceNoise(1.0).sf(t - 9.5)) <= 0.005)
    assert reach_of(Lopsided(), 0.01) == upper  # type: ignore[arg-type]


def test_the_largest_loss_of_a_law_that_states_none() -> None:
    for width in (0.5, 3.0, 40.0):
        law = HeavyTailNoise(width)
        dense = law.logdensity(np.linspace(0, 100, 100_001)) - law.logdensity(np.linspace(1, 101, 100_001))
        slope = 20 * 5 * math.log(1.05) / width  # over a twentieth of the size, if that is more than one person
        truth = float(dense.max()) if width <= 20 else slope
        assert truth - 1e-12 <= law.largest_loss() <= truth * 1.03
        assert law.largest_loss(2) == 2 * law.largest_loss()
        assert not law.has_delta
    assert CoarseNoise(2.0).largest_loss() == math.inf  # odd numbers tell that somebody came
    assert CoarseNoise(2.0).has_delta


def test_the_steepest_change_of_a_law_that_states_none() -> None:
    u = np.linspace(0, 20, 200_001)
    truth = float((u * 2 * (1 + u) ** -5.0).max())
    for width in (0.5, 40.0):
        assert truth <= (HeavyTailNoise(width).steepest or 0) <= 1.01 * truth
    assert CoarseNoise(2.0).steepest is None


def test_what_is_a_law_and_what_is_not() -> None:
    law = LaplaceNoise(1.0)
    assert checked_noise(law) is law
    assert has_privacy_loss(law)
    assert not has_privacy_loss(object())
    with pytest.raises(ParameterError, match=r"noise must be a law of noise, not 'laplace'; make one with calibrate"):
        checked_noise("laplace")
    with pytest.raises(ParameterError, match="law must be a law of noise"):
        checked_noise(LaplaceNoise, "law")
    with pytest.raises(ParameterError, match="must be a law of noise"):
        checked_noise(3.0)
