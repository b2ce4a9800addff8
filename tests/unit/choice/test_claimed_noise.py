"""What is claimed of noise: mechanisms and budgets."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.choice.claimed_noise import Claim
from epsilens.errors import ParameterError


@pytest.mark.parametrize(
    ("mechanism", "given"),
    [
        ("laplace", {"epsilon": 0.7}),
        ("discrete-laplace", {"epsilon": 2.0, "neighbours": "substitute"}),
        ("gaussian", {"epsilon": 0.5, "delta": 1e-5}),
        ("gaussian-probabilistic", {"epsilon": 0.5, "delta": 1e-5}),
        ("gaussian-analytic", {"epsilon": 3.0, "delta": 1e-5}),
        ("discrete-gaussian", {"rho": 0.3}),
        ("discrete-gaussian", {"epsilon": 1.0, "delta": 1e-6, "max_rows_per_unit": 3}),
    ],
)
def test_the_budget_of_a_size_is_the_one_that_it_was_calibrated_to(mechanism: str, given: dict[str, Any]) -> None:
    claim = Claim.of(mechanism, **given)
    assert claim is not None
    assert claim.budget_of(claim.noise.size) == pytest.approx(given.get("rho", given.get("epsilon")), rel=1e-6)
    smaller, larger = claim.budget_of(1.1 * claim.noise.size), claim.budget_of(0.9 * claim.noise.size)
    assert smaller is not None
    assert larger is None or smaller < larger
    assert claim.budget_of(float("inf")) == 0.0
    assert claim.budget_of(0.0) is None


def test_a_budget_beyond_the_proof_is_none() -> None:
    claim = Claim.of("gaussian", 0.9, 1e-5)
    assert claim is not None
    assert claim.budget_of(0.5 * claim.noise.size) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((None, 1.0), "epsilon belongs to a claim"),
        (("laplce", 1.0), "did you mean 'laplace'"),
        (("laplace",), "needs the budget that is claimed: epsilon, got 'laplace'"),
        (("discrete-gaussian",), "epsilon or rho"),
        (("laplace", None, None, 1.0), "takes epsilon, not rho"),
        (("discrete-gaussian", 1.0, None, 1.0), "not both"),
        (("laplace", 1.0, 0.1), "has no delta"),
    ],
)
def test_claims_that_make_no_sense(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Claim.of(*given)
    with pytest.raises(ParameterError, match="is moot"):
        Claim.of("discrete-laplace", 1.0, rounded=True)


def test_nothing_is_claimed() -> None:
    assert Claim.of(None) is None
