from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.models.kernel import (
    dual_product,
    one_alone,
    products_of_others,
    shown_and_hidden_by_count,
)
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, LaplaceNoise, Noise


def test_one_alone_is_the_sum_of_products() -> None:
    rng = np.random.default_rng(1)
    shown, hidden = rng.random((5, 7)), rng.random((5, 7))
    direct = sum(shown[k] * np.prod(np.delete(hidden, k, axis=0), axis=0) for k in range(5))
    np.testing.assert_allclose(one_alone(list(shown), list(hidden), np.multiply), direct, rtol=1e-13)


@pytest.mark.parametrize(
    "noise", [LaplaceNoise(2.0), DiscreteLaplaceNoise(50.0), DiscreteGaussianNoise(3.0), LaplaceNoise(1e-3)], ids=repr
)
def test_display_probabilities_are_the_laws_where_they_matter(noise: Noise) -> None:
    shown, hidden = shown_and_hidden_by_count(noise, 500)
    counts = np.arange(501)
    np.testing.assert_allclose(shown, noise.sf(0.5 - counts), atol=1e-17)
    np.testing.assert_allclose(hidden, noise.cdf(0.5 - counts), atol=1e-17)


def test_products_of_others_divide_by_nothing() -> None:
    factors = np.array([2.0, 0.0, 5.0, 3.0])
    products, every = products_of_others(list(factors), lambda x, y: x * y, 1.0)
    assert products == [0.0, 30.0, 0.0, 0.0]
    assert every == 0.0
    assert products_of_others([7.0], lambda x, y: x * y, 1.0) == ([1.0], 7.0)


def test_a_dual_product_is_a_product_and_its_derivative() -> None:
    """Polynomials p(z) with z p'(z), at a point."""
    z, p, q = 1.7, np.polynomial.Polynomial([1.0, 2.0, 0.5]), np.polynomial.Polynomial([0.3, 0.0, 4.0, 1.0])
    value, derivative = dual_product((p(z), z * p.deriv()(z)), (q(z), z * q.deriv()(z)))
    np.testing.assert_allclose([value, derivative], [(p * q)(z), z * (p * q).deriv()(z)], rtol=1e-13)
