from __future__ import annotations

import pytest

from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law, Sizes
from epsilens.reproduce.p0.theorems import (
    exact_generic,
    exact_marginal,
    marginal_over_sizes,
    printed_generic,
    printed_local,
    printed_marginal,
    theorem,
)


def test_every_equation_is_asked_three_things() -> None:
    claims = theorem("laplace", [f"Eq. ({number})" for number in range(13, 18)])
    assert len(claims) == 15
    assert [claim.relation for claim in claims] == ["equals", "is at least", "is at least"] * 5


def test_the_bound_of_three_labels_is_none() -> None:
    """FINDINGS, P0 item 1: 3/8 as epsilon tends to 0, and the formula says 2/8; as printed it is 1/16."""
    case = Case(Law("laplace", 1e-9), (1, 1, 1))
    assert printed_local(case) == pytest.approx(2 / 8, abs=1e-8)
    assert printed_local(case, as_printed=True) == pytest.approx(1 / 16, abs=1e-8)


def test_a_sum_over_sizes_is_what_definition_9_says() -> None:
    case = Case(Law("laplace", 1.0), (1, 1), sizes=Sizes(0.6))
    assert printed_marginal(case) < exact_marginal(case) <= marginal_over_sizes(case)
    homogeneous = Case(Law("laplace", 1.0), (4, 0), sizes=Sizes(1.7))
    assert marginal_over_sizes(homogeneous) == pytest.approx(exact_marginal(homogeneous), rel=1e-10)


def test_the_generic_bound_holds_for_two_labels() -> None:
    case = Case(Law("gaussian", 0.8), alpha=(1.0, 1.0), sizes=Sizes(1.7))
    assert printed_generic(case) >= exact_generic(case) > 0.9 * printed_generic(case)
