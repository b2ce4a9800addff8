from __future__ import annotations

import math

import pytest

from epsilens.homogeneity.models.posterior_rate import posterior_mean_rate


def mixture_mean(people: int, cells: int, terms: int = 20_000) -> float:
    """The truncated posterior as a mixture of gamma laws, one per term of (1 - e^-rate)^-cells."""
    logs = [
        math.lgamma(cells + j) - math.lgamma(j + 1) - math.lgamma(cells) - (people + 0.5) * math.log(cells + j)
        for j in range(terms)
    ]
    top = max(logs)
    weights = [math.exp(value - top) for value in logs]
    means = ((people + 0.5) / (cells + j) for j in range(terms))
    return sum(w * m for w, m in zip(weights, means, strict=True)) / sum(weights)


@pytest.mark.parametrize(("people", "cells"), [(9, 3), (250, 78), (12, 4), (40, 5)])
def test_the_truncated_posterior_is_a_mixture_of_gamma_laws(people: int, cells: int) -> None:
    assert posterior_mean_rate(people, cells, truncated=True) == pytest.approx(mixture_mean(people, cells), rel=1e-9)


def test_the_plain_posterior_is_a_gamma_law() -> None:
    assert posterior_mean_rate(250, 78, truncated=False) == 250.5 / 78


def test_many_cells_leave_nothing_of_the_prior() -> None:
    rate = 2.0
    mean = rate / -math.expm1(-rate)
    assert posterior_mean_rate(1e9 * mean, 1e9, truncated=True) == pytest.approx(rate, rel=1e-8)


def test_cells_of_one_person_have_a_small_rate_and_not_none() -> None:
    few, many = posterior_mean_rate(3, 3, truncated=True), posterior_mean_rate(3000, 3000, truncated=True)
    assert 0 < many < few < 1
    assert many == pytest.approx(1.0 / 3000, rel=0.01)  # density rate^(-1/2) e^(-N rate / 2): mean 1 / N
