"""The truth about small cells, by enumeration: every set of labels that a cell may show, every table that may be drawn.

Nothing here uses the formulas of the homogeneity room, nor its laws of noise: probabilities are scipy's.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from epsilens.noise import GaussianNoise, LaplaceNoise, Noise

Cell: TypeAlias = tuple[int, ...]
Family: TypeAlias = Literal["laplace", "gaussian"]
Value: TypeAlias = Callable[[Cell], float]

_SMALLEST = 1e-13
"""What is left of a law of sizes where a sum over it ends."""


@dataclass(frozen=True)
class Law:
    """Noise by its name and parameter: epsilon of Laplace noise of scale 1 / epsilon, or sigma of Gaussian noise."""

    family: Family
    parameter: float

    def __str__(self) -> str:
        return f"{'epsilon' if self.family == 'laplace' else 'sigma'} = {self.parameter:g}"

    @property
    def noise(self) -> Noise:
        """The same law as the homogeneity room takes it."""
        return LaplaceNoise(1.0 / self.parameter) if self.family == "laplace" else GaussianNoise(self.parameter)


@cache
def shown(count: int, law: Law) -> float:
    """P(the count plus noise, rounded half up, is 1 or more)."""
    from scipy import stats  # lazy: whoever lists claims needs none

    if law.family == "laplace":
        return float(stats.laplace.sf(0.5 - count, scale=1.0 / law.parameter))
    return float(stats.norm.sf(0.5 - count, scale=law.parameter))


@cache
def outcomes(cell: Cell, law: Law) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Every set of labels that the cell may show, with its probability."""
    found = []
    for pattern in itertools.product((False, True), repeat=len(cell)):
        chances = [shown(n, law) if on else 1.0 - shown(n, law) for n, on in zip(cell, pattern, strict=True)]
        found.append((tuple(k for k, on in enumerate(pattern) if on), math.prod(chances)))
    return tuple(found)


def scenario(cell: Cell, labels: tuple[int, ...]) -> int:
    """Which of print's eight scenarios it is that a cell shows these labels."""
    homogeneous = sum(n > 0 for n in cell) == 1
    if not labels:
        return 4 if homogeneous else 6
    if len(labels) > 1:
        return 3 if homogeneous else 5
    right = cell[labels[0]] > 0
    if homogeneous:
        return 1 if right else 2
    return 8 if right else 7


def scenario_chance(cell: Cell, law: Law, number: int) -> float:
    """P(scenario ``number``)."""
    return math.fsum(chance for labels, chance in outcomes(cell, law) if scenario(cell, labels) == number)


@cache
def risk(cell: Cell, law: Law, match: str = "any") -> float:
    """P(a single label is shown and somebody has it), or (``"share"``) the share of people who have it, expected."""
    size = sum(cell)
    return math.fsum(
        chance * (1.0 if match == "any" else cell[labels[0]] / size)
        for labels, chance in outcomes(cell, law)
        if len(labels) == 1 and cell[labels[0]] > 0
    )


@cache
def homogeneous_risk(cell: Cell, law: Law) -> float:
    """:func:`risk` where the cell is homogeneous before noise, 0 where it is not."""
    return scenario_chance(cell, law, 1) if sum(n > 0 for n in cell) == 1 else 0.0


@cache
def tables(size: int, labels: int) -> tuple[Cell, ...]:
    """All count vectors of so many people and labels."""
    return tuple(_tables(size, labels))


def _tables(size: int, labels: int) -> Iterator[Cell]:
    if labels == 1:
        yield (size,)
        return
    for first in range(size, -1, -1):
        for rest in _tables(size - first, labels - 1):
            yield (first, *rest)


def ways(cell: Cell) -> int:
    """The multinomial coefficient."""
    number, left = 1, sum(cell)
    for n in cell:
        number *= math.comb(left, n)
        left -= n
    return number


def over_draws(size: int, shares: tuple[float, ...], value: Value) -> float:
    """The expectation of ``value`` over multinomial counts."""
    return math.fsum(
        ways(cell) * math.prod(p**n for p, n in zip(shares, cell, strict=True)) * value(cell)
        for cell in tables(size, len(shares))
        if all(n == 0 or p > 0 for p, n in zip(shares, cell, strict=True))
    )


def over_shares(size: int, alpha: tuple[float, ...], value: Value) -> float:
    """The expectation of ``value`` over Dirichlet-multinomial counts."""
    found = ((cell, value(cell)) for cell in tables(size, len(alpha)))
    return math.fsum(ways(cell) * dirichlet_moment(cell, alpha) * each for cell, each in found if each)


def dirichlet_moment(powers: Cell, alpha: tuple[float, ...]) -> float:
    """E of the product of p_k^(powers_k) for p ~ Dirichlet(alpha), as a product of ratios."""
    top = math.prod(math.prod(a + i for i in range(n)) for a, n in zip(alpha, powers, strict=True))
    total = sum(alpha)
    return top / math.prod(total + i for i in range(sum(powers)))


@dataclass(frozen=True)
class Sizes:
    """A law of sizes: Poisson of ``rate``, or (``shape``) negative binomial, a Poisson law with a gamma rate."""

    rate: float
    shape: float | None = None

    def __str__(self) -> str:
        if self.shape is None:
            return f"Poisson sizes of mean {self.rate:g}"
        return f"negative binomial sizes of shape {self.shape:g} and mean {self.rate:g}"

    def chance(self, n: int) -> float:
        """P(size = n), from scipy."""
        return _chance_of_size(self, n)

    def expectation(self, value: Callable[[int], float], first: int = 1) -> float:
        """The sum over n >= ``first`` of P(n) value(n), for values between 0 and 1 or so."""
        total, left, n = 0.0, 1.0 - math.fsum(self.chance(n) for n in range(first)), first
        while left > _SMALLEST:
            total += self.chance(n) * value(n)
            left -= self.chance(n)
            n += 1
            if n > self.rate and self.chance(n) < _SMALLEST:
                break
        return total


@cache
def _chance_of_size(sizes: Sizes, n: int) -> float:
    from scipy import stats

    if sizes.shape is None:
        return float(stats.poisson.pmf(n, sizes.rate))
    return float(stats.nbinom.pmf(n, sizes.shape, sizes.shape / (sizes.shape + sizes.rate)))
