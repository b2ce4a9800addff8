"""A simulation study: what bounded Laplace noise and its repair do to inference from a vector of proportions.

The paper P3 supplements has such a study; its design is not before us, so this one is ours:

* n people fall into K >= 4 categories with population proportions p; the sample proportions are released with the same
  epsilon by every method, neighbours by substitution, so that n is public;
* the targets are p1 + p2, p1 + p3 and p1 + p4, or any other sums. On the binary tree over categories 1, 2, 3, 4 the
  first is a node of its own, the second joins two halves of two pairs, the third the two ends;
* every repetition draws a new sample and new noise. Bias and RMSE are about the population value. Coverage is that of
  the 95 % normal interval whose variance is the binomial one at the released value, once alone (``naive``: as if there
  were no noise) and once with the noise's variance added (what remains of it after the repair, linearised).

Methods, each epsilon-differentially private but for the first two:

* ``original``: no noise, the benchmark;
* ``truncated-published``: truncated Laplace noise at the printed scale, the sensitivity 2/n divided by epsilon, divided
  by the sum. It costs more than epsilon: see :func:`cost_of_print`;
* ``truncated-rescaled``: truncated Laplace noise on each proportion within [0, 1], divided by the sum. Between
  neighbours two proportions move by 1/n each, in the worst case from 0 and from 1, so each may cost epsilon / 2;
* ``clamped-rescaled``: Laplace noise of scale (2/n) / epsilon, clamped to [0, 1], divided by the sum;
* ``simplex``: the same noise, moved to the nearest vector of proportions;
* ``universal``: Laplace noise on the counts of all nodes of a binary tree below the public total, made consistent by
  least squares, moved to the nearest vector of proportions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens import sensitivity
from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import PureDP
from epsilens.checks import one_of, positive, whole
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise.bounded_laplace import clamped_scale, truncated_draws, truncated_epsilon, truncated_scale
from epsilens.noise.laplace import LaplaceNoise
from epsilens.release.fitting.components import (
    Tree,
    combination_variance,
    consistent_counts,
    projected_to_simplex,
    rescaled,
)

special = LaterModule("scipy.special")

PROPORTIONS = (0.05, 0.15, 0.3, 0.5)
SIZES = (50, 200, 1000)
EPSILONS = (0.1, 0.5, 1.0, 2.0)
TARGETS = ("p1+p2", "p1+p3", "p1+p4")
CONFIDENCE = 0.95


@dataclass(frozen=True)
class NoisyShares:
    """Released proportions (repetitions, categories) and the variance the noise leaves in a sum of some of them."""

    shares: FloatArray
    noise_variance: Callable[[FloatArray, FloatArray], FloatArray]
    """From which categories are summed (0 or 1 each) and the released sums (repetitions) to a variance each."""
    epsilon: float | None = None
    """What they cost; nothing where there is no noise."""


@dataclass(frozen=True)
class StudyRow:
    """How one method did for one target, sample size and epsilon; each average with its standard error."""

    method: str
    target: str
    n: int
    epsilon: float
    truth: float
    repetitions: int
    bias: float
    bias_standard_error: float
    rmse: float
    rmse_standard_error: float
    coverage: float
    coverage_standard_error: float
    naive_coverage: float
    naive_coverage_standard_error: float
    epsilon_spent: float | None = None
    """What the method really costs; nothing where there is no noise."""

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, for JSON and charts."""
        return dict(vars(self))


def original(sample: FloatArray, n: int, budget: PureDP, rng: np.random.Generator) -> NoisyShares:  # noqa: ARG001 - no noise
    """The sample proportions themselves: the benchmark, with no privacy at all."""
    return NoisyShares(sample, lambda _, sums: np.zeros_like(sums))


def truncated_published(sample: FloatArray, n: int, budget: PureDP, rng: np.random.Generator) -> NoisyShares:
    """The same at the scale of print, which costs more than it says."""
    scale = clamped_scale(budget, sensitivity.proportions(n, "substitute"))
    shares = rescaled(truncated_draws(sample, scale, 0.0, 1.0, rng))
    return NoisyShares(shares, _after_rescaling(scale), cost_of_print(n, budget))


def cost_of_print(n: int, budget: PureDP) -> float:
    """The epsilon of truncated noise on every proportion at the printed scale b = (2/n) / epsilon.

    Between neighbours by substitution one proportion rises by 1/n and another falls by as much. Each costs at most
    :func:`epsilens.noise.bounded_laplace.truncated_epsilon`, reached where it leaves a bound; everybody in one category
    is such a case for both at once, so that the cost is exactly twice that.

    Source: P3 section 6 (the rescaling approach, with noise of scale sensitivity / epsilon).
    Assumes substitution neighbours and two categories or more.
    """
    scale = clamped_scale(budget, sensitivity.proportions(n, "substitute"))
    return 2.0 * truncated_epsilon(scale, sensitivity.proportion(n, "substitute"), 0.0, 1.0)


def truncated_rescaled(sample: FloatArray, n: int, budget: PureDP, rng: np.random.Generator) -> NoisyShares:
    """Truncated Laplace noise on each proportion, then division by the sum."""
    moved = sensitivity.proportion(n, "substitute")
    scale = truncated_scale(PureDP(budget.epsilon / 2.0), moved, 0.0, 1.0)
    shares = rescaled(truncated_draws(sample, scale, 0.0, 1.0, rng))
    return NoisyShares(shares, _after_rescaling(scale), budget.epsilon)


def clamped_rescaled(sample: FloatArray, n: int, budget: PureDP, rng: np.random.Generator) -> NoisyShares:
    """Laplace noise on each proportion, clamped to [0, 1], then division by the sum."""
    scale = clamped_scale(budget, sensitivity.proportions(n, "substitute"))
    noisy = sample + LaplaceNoise(scale).sample(sample.shape, rng)
    return NoisyShares(rescaled(np.clip(noisy, 0.0, 1.0)), _after_rescaling(scale), budget.epsilon)


def simplex(sample: FloatArray, n: int, budget: PureDP, rng: np.random.Generator) -> NoisyShares:
    """Laplace noise on each proportion, then the nearest vector of proportions."""
    noise = LaplaceNoise(clamped_scale(budget, sensitivity.proportions(n, "substitute")))
    shares = projected_to_simplex(sample + noise.sample(sample.shape, rng))

    def variance(members: FloatArray, sums: FloatArray) -> FloatArray:
        # inside the simplex the projection takes the same from each category: m categories of K keep m (1 - m / K)
        return np.full_like(sums, noise.variance * members.sum() * (1.0 - members.mean()))

    return NoisyShares(shares, variance, budget.epsilon)


def universal(sample: FloatArray, n: int, budget: PureDP, rng: np.random.Generator) -> NoisyShares:
    """Laplace noise on a binary tree of counts, least-squares consistency, then the nearest vector of proportions."""
    tree = Tree.over(sample.shape[-1], branching=2)
    noise = LaplaceNoise(clamped_scale(budget, sensitivity.histogram_tree(tree.levels, "substitute")) / n)
    spread = np.full(len(tree.parents), noise.variance)
    spread[tree.root] = 0.0  # substitution leaves the total alone: it is public
    exact = tree.totals(sample)
    noisy = exact + np.where(spread > 0.0, noise.sample(exact.shape, rng), 0.0)
    leaves = consistent_counts(tree, noisy, spread)[..., list(tree.leaves)]

    def variance(members: FloatArray, sums: FloatArray) -> FloatArray:
        return np.full_like(sums, combination_variance(tree, members, spread))

    return NoisyShares(projected_to_simplex(leaves), variance, budget.epsilon)


METHODS: dict[str, Callable[[FloatArray, int, PureDP, np.random.Generator], NoisyShares]] = {
    "original": original,
    "truncated-published": truncated_published,
    "truncated-rescaled": truncated_rescaled,
    "clamped-rescaled": clamped_rescaled,
    "simplex": simplex,
    "universal": universal,
}


@dataclass(frozen=True)
class StudyQuestion:
    """What to simulate: every method at every sample size and epsilon, ``repetitions`` times."""

    sizes: tuple[int, ...] = SIZES
    epsilons: tuple[float, ...] = EPSILONS
    methods: tuple[str, ...] = tuple(METHODS)
    proportions: tuple[float, ...] = PROPORTIONS
    repetitions: int = 2000
    seed: int = 1
    targets: tuple[str, ...] = TARGETS
    """Sums of proportions, such as ``p1+p4``."""

    def __post_init__(self) -> None:
        for name in ("sizes", "epsilons", "methods", "targets"):
            if not getattr(self, name):
                raise ParameterError("must name at least one", parameter=name)
        for method in self.methods:
            one_of("methods", method, METHODS)
        for n in self.sizes:
            whole("sizes", n, 2, "a neighbour must be able to differ")
        for epsilon in self.epsilons:
            positive("epsilons", epsilon)
        whole("repetitions", self.repetitions, 2, "a standard error needs two")
        whole("seed", self.seed, 0, "seeds are not negative")
        categories = _population(self.proportions).size
        for target in self.targets:
            _members(target, categories)

    @property
    def steps(self) -> int:
        """How many combinations of size, epsilon and method there are, and calls of ``progress``."""
        return len(self.sizes) * len(self.epsilons) * len(self.methods)


@dataclass(frozen=True)
class StudyAnswer:
    """How every method did, for every target, sample size and epsilon."""

    question: StudyQuestion
    rows: tuple[StudyRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"label": "publishable", "rows": [row.to_dict() for row in self.rows]}


def answer_study(question: StudyQuestion, progress: Callable[[int], None] | None = None) -> StudyAnswer:
    """The study itself; ``progress`` is called with 1 after each combination of size, epsilon and method."""
    population, repeats, seed = _population(question.proportions), int(question.repetitions), int(question.seed)
    rows = []
    for n in map(int, question.sizes):
        sample = np.random.default_rng([seed, n]).multinomial(n, population, repeats) / n
        for budget in map(PureDP, question.epsilons):
            for method in question.methods:
                rng = np.random.default_rng([seed, n, *_words(budget.epsilon), *method.encode()])
                released = METHODS[method](sample, n, budget, rng)
                rows += [_row(method, target, n, budget.epsilon, population, released) for target in question.targets]
                if progress is not None:
                    progress(1)
    return StudyAnswer(question, tuple(rows))


def study(
    sizes: Sequence[int] = SIZES,
    epsilons: Sequence[float] = EPSILONS,
    methods: Sequence[str] | None = None,
    proportions: Sequence[float] = PROPORTIONS,
    repetitions: int = 2000,
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
    targets: Sequence[str] = TARGETS,
) -> list[StudyRow]:
    """Bias, RMSE and coverage of p1 + p2, p1 + p3, p1 + p4 (or ``targets``) for every method, sample size and epsilon.

    Every combination has its own stream of random numbers, derived from ``seed``, and methods share the samples: adding
    a method or a size changes no other row. ``progress`` is called with 1 after each combination of size, epsilon and
    method.

    Source: P3 section 6 (in its spirit; the design is in this module's docstring).
    Assumes substitution neighbours, a public n, independent people.
    """
    chosen = tuple(METHODS if methods is None else methods)
    question = StudyQuestion(
        tuple(sizes), tuple(epsilons), chosen, tuple(proportions), repetitions, seed, tuple(targets)
    )
    return list(answer_study(question, progress).rows)


def _row(
    method: str,
    target: str,
    n: int,
    epsilon: float,
    population: FloatArray,
    released: NoisyShares,
) -> StudyRow:
    members = _members(target, population.size)
    truth = float(population @ members)
    sums = np.clip(released.shares @ members, 0.0, 1.0)
    error = sums - truth
    squared = error**2
    rmse = math.sqrt(float(squared.mean()))
    binomial = sums * (1.0 - sums) / n
    reach = float(special.ndtri(0.5 + CONFIDENCE / 2.0))
    covered = np.abs(error) <= reach * np.sqrt(binomial + released.noise_variance(members, sums))
    naively = np.abs(error) <= reach * np.sqrt(binomial)
    return StudyRow(
        method,
        target,
        n,
        epsilon,
        truth,
        error.size,
        *_average(error),
        rmse,
        _average(squared)[1] / (2.0 * rmse) if rmse > 0.0 else 0.0,
        *_average(covered),
        *_average(naively),
        released.epsilon,
    )


def _members(target: str, categories: int) -> FloatArray:
    """Which categories ``p1+p4`` sums, 0 or 1 each."""
    members = np.zeros(categories)
    for part in target.split("+"):
        name = part.strip()
        place = int(name[1:]) - 1 if name[:1] == "p" and name[1:].isascii() and name[1:].isdigit() else -1
        if not 0 <= place < categories or members[place]:
            raise ParameterError(
                f"must be sums of p1 to p{categories}, each once, such as p1+p4", parameter="targets", got=target
            )
        members[place] = 1.0
    if members.all():
        raise ParameterError("must leave out some category: all proportions add up to 1", parameter="targets")
    return members


def _average(values: FloatArray | npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The mean and its standard error."""
    numbers = as_floats(values)
    return float(numbers.mean()), float(numbers.std(ddof=1) / math.sqrt(numbers.size))


def _after_rescaling(scale: float) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """The noise variance of a sum s of m shares after division by a total near 1: 2 b^2 (m (1 - s)^2 + (K - m) s^2)."""

    def variance(members: FloatArray, sums: FloatArray) -> FloatArray:
        inside = members.sum()
        outside = members.size - inside
        return as_floats(LaplaceNoise(scale).variance * (inside * (1.0 - sums) ** 2 + outside * sums**2))

    return variance


def _population(proportions: Sequence[float]) -> FloatArray:
    population = as_floats(list(proportions))
    if population.size < 4:
        raise ParameterError("must be those of at least 4 categories", parameter="proportions", got=population.size)
    if not np.isfinite(population).all() or (population < 0.0).any():
        raise ParameterError("must be numbers >= 0, got one that is not", parameter="proportions")
    if abs(population.sum() - 1.0) > 1e-9:
        raise ParameterError(
            "must add up to 1", parameter="proportions", got=float(population.sum()), remedy="divide them by their sum"
        )
    return as_floats(population / population.sum())


def _words(epsilon: float) -> tuple[int, int]:
    """The two halves of a double's bits, as seed material: equal epsilons give equal streams."""
    bits = int(np.float64(epsilon).view(np.uint64))
    return bits >> 32, bits & 0xFFFFFFFF
