"""The one computation behind every model-based risk.

Conditionally on a cell of n people, a risk is the expectation over its counts N_1, ..., N_K of

    sum over k of m_k a(N_k) prod_{j != k} h(N_j),     a(m) = P(noise >= 1/2 - m),  h = 1 - a,

with m_k = 1[N_k > 0] or N_k / n. Both count models make the counts *independent given their total*: the multinomial
is K Poisson counts, the Dirichlet-multinomial K negative binomial counts, conditioned on their sum. With weights
w_j(m) let F_j(z) = sum_m w_j(m) m_j a(m) z^m and H_j(z) = sum_m w_j(m) h(m) z^m. Then

    risk(n) = [z^n] sum_k F_k(z) prod_{j != k} H_j(z)  /  [z^n] prod_j sum_m w_j(m) z^m.

:func:`one_alone` is that sum of products. It is written for any ring: the power series are represented by their values
at points of the complex plane where all counts have few distinct weights (``multinomial.py``), or by their coefficients
where every n is wanted at once (``dirichlet.py``). Averages over a size law follow without simulation or bound.

Label by label the k-th term alone is wanted, with a product over the others (:func:`products_of_others`). Who is shown
wrongly counts m_k = (n - N_k) / n, and n - N_k is the number t of people with the *other* labels: in their product of
series every coefficient is multiplied by its own t, which is z d/dz of it. So :func:`dual_product` carries a series and
that derivative along by the product rule: sums of positive terms again, nothing is taken from one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.noise.law import AnyNoise, reach_of

Element = TypeVar("Element", bound=np.ndarray[Any, Any])
Factor = TypeVar("Factor")

NEGLIGIBLE = 1e-18
"""A probability that cannot change a risk: h(m) below it is taken as 0."""


def one_alone(
    shown: Sequence[Element], hidden: Sequence[Element], multiply: Callable[[Element, Element], Element]
) -> Element:
    """Sum over k of shown[k] prod_{j != k} hidden[j], by adding one label after the other.

    ``none`` is the product of all hidden so far, ``one`` the sum of products with exactly one shown; only sums and
    products, so what is positive stays accurate.
    """
    one, none = shown[0], hidden[0]
    for k in range(1, len(shown)):
        one = multiply(one, hidden[k]) + multiply(none, shown[k])
        if k < len(shown) - 1:
            none = multiply(none, hidden[k])
    return one


def products_of_others(
    factors: Sequence[Factor], multiply: Callable[[Factor, Factor], Factor], unit: Factor
) -> tuple[list[Factor], Factor]:
    """For every k the product of all factors but the k-th, and the product of all.

    Products from the left times products from the right: no division, so a factor may vanish.
    """
    right = [unit]
    for factor in factors[:0:-1]:
        right.append(multiply(right[-1], factor))
    products, left = [], unit
    for factor, beyond in zip(factors, reversed(right), strict=True):
        products.append(multiply(left, beyond))
        left = multiply(left, factor)
    return products, left


def dual_product(x: tuple[Any, Any], y: tuple[Any, Any]) -> tuple[Any, Any]:
    """The product of two series and z d/dz of it, given both with theirs: (u v, u v' + u' v)."""
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]


def shown_and_hidden_by_count(noise: AnyNoise, largest: int) -> tuple[FloatArray, FloatArray]:
    """(a(m), h(m)) for m = 0, ..., ``largest``."""
    return shown_and_hidden_at(noise, np.arange(largest + 1))


def shown_and_hidden_at(noise: AnyNoise, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """(a(m), h(m)) for ascending counts m.

    The law is asked only as far as h is not negligible: sizes may reach a hundred thousand while the noise does not.
    """
    near = counts[: np.searchsorted(counts, reach_of(noise, 2.0 * NEGLIGIBLE), side="right")]
    shown, hidden = np.ones(len(counts)), np.zeros(len(counts))
    shown[: len(near)] = noise.sf(0.5 - near)
    hidden[: len(near)] = noise.cdf(0.5 - near)
    return shown, hidden


def matched_and_hidden_at(
    noise: AnyNoise, counts: FloatArray, match: str, size: float = math.inf
) -> tuple[FloatArray, FloatArray]:
    """m_k a(m), where m_k is 1[m > 0] ("any"), m ("share") or ``size`` - m ("others"), and h(m), for any counts m."""
    shown, hidden = noise.sf(0.5 - counts), noise.cdf(0.5 - counts)
    weights = counts > 0 if match == "any" else counts if match == "share" else size - counts
    return as_floats(shown * weights), as_floats(hidden)


def match_by_count(shown: FloatArray, match: str) -> FloatArray:
    """m_k a(m) as a function of the count: 1[m > 0] a(m), or m a(m), to be divided by n at the end."""
    counts = np.arange(len(shown))
    return shown * (counts > 0 if match == "any" else counts)
