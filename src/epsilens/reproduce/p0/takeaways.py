"""Section 4.1: how the two terms of Theorem 1 move with epsilon, and what print reads from Corollary 2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.homogeneity.models.sizes import NegativeBinomialSize, PoissonSize, plain_pmf
from epsilens.reproduce.claims import Claim, Finding, Formula, Number, Place, Reading, Statement, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import Case, laws, listed
from epsilens.reproduce.p0.enumeration import Law, Sizes
from epsilens.reproduce.p0.theorems import FORMULAS, printed_local
from epsilens.reproduce.printed import Printed

P0 = partial(Place, "P0")
TINY = 1e-9
"""Stands for an epsilon that tends to 0."""
EPSILONS = np.geomspace(1e-3, 200.0, 90)
FROM_ONE = np.array([1.0, *EPSILONS[EPSILONS > 1.0]])
LABELS = (2, 3, 5)


def own(n: int, epsilon: float, labels: int = 2) -> float:
    """Print's risk of a homogeneous cell of n people."""
    return printed_local(Case(Law("laplace", epsilon), (n,) + (0,) * (labels - 1)))


def hidden(epsilon: float) -> float:
    """1 - e^(-epsilon/2) / 2: P(a label that nobody has is not shown)."""
    return float(Law("laplace", epsilon).noise.cdf(0.5))


def shown_of(n: int, epsilon: float) -> float:
    """1 - e^((1/2 - n) epsilon) / 2: P(the label of a homogeneous cell of n people is shown)."""
    return float(Law("laplace", epsilon).noise.sf(0.5 - n))


def bracket(n: int, epsilon: float) -> float:
    """e^(-epsilon/2) + e^((3/2 - n) epsilon) - e^((1 - n) epsilon): twice the risk of (n - 1, 1)."""
    return 2.0 * printed_local(Case(Law("laplace", epsilon), (n - 1, 1)))


def rises(values: Sequence[float] | FloatArray) -> bool:
    """Whether none is less than the one before."""
    return bool((np.diff(as_floats(values)) >= -1e-15).all())


def _both_rise(_: Data) -> Finding:
    factors = [[hidden(e) ** (k - 1) for e in EPSILONS] for k in LABELS]
    factors += [[shown_of(n, e) for e in EPSILONS] for n in (1, 2, 9)]
    return Finding(all(map(rises, factors)), f"in all of {len(factors)} sequences of {len(EPSILONS)} epsilons")


def _against_each_other(_: Data) -> Finding:
    sizes = (2, 3, 4, 10, 100)
    rising = all(rises([hidden(e) ** (k - 2) for e in EPSILONS]) for k in LABELS)
    falling = all(rises([-bracket(n, e) for e in EPSILONS]) for n in sizes)
    return Finding(rising and falling, f"the power rises and the bracket falls, for n = {listed(sizes)}")


def _limits(_: Data) -> Finding:
    first, second = own(1, 2000.0, 3), bracket(5, 2000.0) * hidden(2000.0)
    return Finding(abs(first - 1.0) < 1e-12 and second < 1e-12, f"{first:.6g} and {second:.2g} at epsilon = 2000")


def _two_labels(_: Data) -> Finding:
    curves = {n: [printed_local(Case(Law("laplace", e), (n - 1, 1))) for e in EPSILONS] for n in (2, 3, 6, 30)}
    return Finding(
        all(rises([-value for value in curve]) for curve in curves.values()),
        f"for n = {listed(curves)} it falls from {curves[2][0]:.3f} at the smallest epsilon",
    )


def _above_floor(_: Data) -> Finding:
    cases = [(n, float(e), k) for n in (1, 2, 7, 40) for e in EPSILONS[::10] for k in (2, 3, 5, 8)]
    return everywhere(cases, lambda case: own(*case) >= 2.0 ** -case[2], lambda case: f"at {case}")


def _floor_falls(_: Data) -> Finding:
    floors = [own(3, TINY, labels) for labels in range(2, 21)]
    return Finding(
        rises([-value for value in floors]) and floors[-1] < 1e-5,
        f"it falls from {floors[0]:.4g} (K = 2) to {floors[-1]:.2g} (K = 20)",
    )


def _towards_one(_: Data) -> Finding:
    curves = [[own(n, e, k) for e in EPSILONS] for n in (1, 2, 9) for k in LABELS]
    return Finding(
        all(map(rises, curves)) and min(curve[-1] for curve in curves) > 1.0 - 1e-12,
        f"it rises to 1 in all of {len(curves)} pairs of n and K",
    )


def _small_cells(_: Data) -> Finding:
    curves = [[own(n, law.parameter, k) for n in range(1, 40)] for law in laws("laplace") for k in LABELS]
    return Finding(all(map(rises, curves)), f"it rises with n in all of {len(curves)} pairs of noise and K")


def _zeros_decide(_: Data) -> Finding:
    """From epsilon = 1 on, as the numbers that print gives need: how far the risk is from the factor of the zeros."""
    gaps = {n: max(hidden(e) - own(n, e) for e in FROM_ONE) for n in (1, 2, 3, 4)}
    seen = ", ".join(f"{gap:.3f} for n = {n}" for n, gap in gaps.items())
    return Finding(gaps[1] < 0.05, f"from epsilon = 1 on the risk is below that factor by up to {seen}")


def _zeros_decide_larger(_: Data) -> Finding:
    gaps = {n: max(hidden(e) - own(n, e) for e in FROM_ONE) for n in (3, 4, 10)}
    return Finding(max(gaps.values()) < 0.05, f"it is within {max(gaps.values()):.3f} for n of 3 and more")


def close_to_one(n: int, text: str) -> Number:
    """The least that the factor is said to be from n people on, where print names no epsilon."""
    return Number(
        P0(
            f"Corollary 2, n >= {n}", f"the least that 1 - e^((1/2 - n) epsilon) / 2 is for n of {n} and more", FORMULAS
        ),
        Printed(text),
        lambda _: shown_of(n, TINY),
        readings=(Reading("at epsilon = 1, and less than what one gets beyond", lambda _: shown_of(n, 1.0)),),
    )


def poisson(case: tuple[Sizes, int]) -> float:
    """Our Poisson law."""
    return float(plain_pmf(PoissonSize(case[0].rate), case[1]))


def negative_binomial(case: tuple[Sizes, int]) -> float:
    """Our negative binomial law."""
    assert case[0].shape is not None
    return float(plain_pmf(NegativeBinomialSize(case[0].shape, case[0].rate), case[1]))


def mixed_poisson(case: tuple[Sizes, int]) -> float:
    """P(n) of a Poisson law whose rate is gamma distributed, by quadrature."""
    from scipy import integrate, stats

    sizes, n = case
    assert sizes.shape is not None
    law = stats.gamma(sizes.shape, scale=sizes.rate / sizes.shape)
    return float(integrate.quad(lambda x: stats.poisson.pmf(n, x) * law.pdf(x), 0.0, np.inf, epsabs=1e-13)[0])


def size_told(case: tuple[Sizes, int]) -> str:
    """``Poisson sizes of mean 2, n = 3``."""
    return f"{case[0]}, n = {case[1]}"


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P0("Theorem 1, first terms", "the two factors of scenario 1 as functions of epsilon"),
        "both increase",
        _both_rise,
    ),
    Statement(
        P0("Theorem 1, second terms", "the two factors of scenario 8 as functions of epsilon"),
        "the power of the one increases, the bracket decreases",
        _against_each_other,
    ),
    Statement(
        P0("Theorem 1, large epsilon", "the terms of a homogeneous and of a heterogeneous cell as epsilon grows"),
        "they tend to 1 and to 0",
        _limits,
    ),
    Statement(
        P0("Theorem 1, two labels", "the bound for a heterogeneous cell as epsilon falls, K = 2"),
        "it rises",
        _two_labels,
    ),
    Formula(
        P0("section 4.1, Poisson sizes", "the Poisson law of sizes"),
        "e^-lambda lambda^n / n!",
        poisson,
        lambda case: case[0].chance(case[1]),
        [(Sizes(rate), n) for rate in (0.3, 3.21, 40.0) for n in (0, 1, 2, 9)],
        told=size_told,
    ),
    Formula(
        P0("section 4.1, negative binomial sizes", "the negative binomial law of sizes"),
        "binom(n + r - 1, r - 1) (1 - lambda)^n lambda^r",
        negative_binomial,
        mixed_poisson,
        [(Sizes(rate, shape), n) for rate, shape in ((0.7, 1.5), (3.21, 2.0), (4.6, 4.0)) for n in (0, 1, 2, 9)],
        told=size_told,
    ),
    Number(
        P0("Corollary 2, floor", "the smallest risk of a homogeneous cell of two labels, as epsilon tends to 0"),
        Printed("25%"),
        lambda _: own(3, TINY),
    ),
    Statement(
        P0("Corollary 2, floor for all", "2^-K as a lower bound of the risk of homogeneous cells"),
        "it holds whatever epsilon, n and N",
        _above_floor,
    ),
    Statement(P0("Corollary 2, floor and K", "the floor as K grows"), "it tends to 0", _floor_falls),
    Statement(
        P0("Corollary 2, large epsilon", "the risk of homogeneous cells as epsilon grows"),
        "it tends to 1",
        _towards_one,
    ),
    Statement(P0("Corollary 2, small cells", "the risk of homogeneous cells as n falls"), "it falls", _small_cells),
    close_to_one(4, "0.985"),
    close_to_one(3, "0.959"),
    close_to_one(2, "0.888"),
    Statement(
        P0("Corollary 2, what decides", "how far the factor of the zeros alone says what the risk is", "P0-23"),
        "the risk of homogeneous cells is nearly 1 - e^(-epsilon/2) / 2, within .05, whatever n",
        _zeros_decide,
        (("for cells of three people and more", _zeros_decide_larger),),
    ),
)
