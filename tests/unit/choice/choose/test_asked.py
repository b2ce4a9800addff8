"""Every refusal of a question about a budget, without data."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.choice.aggregates import Maximum
from epsilens.choice.choose.asked import Asked, Shape, checked_shares
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"mechanism": "laplase"}, "mechanism must be one of .* did you mean 'laplace'"),
        ({"measure": "lokal"}, "measure must be one of .* did you mean 'local'"),
        ({"neighbours": "swap"}, "neighbours must be one of add-remove, substitute"),
        ({"delta": 2.0}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1e-6}, "mechanism 'laplace' has no delta: epsilon alone is the budget; leave delta out"),
        ({"mechanism": "gaussian-analytic"}, "mechanism 'gaussian-analytic' needs a delta"),
        ({"measure": "marginal-shrinkage", "aggregate": Maximum()}, "has no aggregate 'max'"),
        (
            {"options": {"alpha": 1.0}},
            "no option alpha; it takes match, attributes, publish and budget_of",
        ),
        ({"options": {"match": "all"}}, "match must be one of"),
        ({"options": {"rare": 2}}, "rare belongs to a hierarchy of groups"),
        ({"measure": "posterior", "options": {"rare": 0}}, "rare must be >= 1, got 0"),
        ({"measure": "posterior", "options": {"attack": "singel"}}, "attack must be one of .* did you mean 'single'"),
        ({"measure": "posterior", "options": {"prior": 1.0}}, "prior must lie strictly between 0 and 1"),
        ({"measure": "posterior", "options": {"shares": (0.5, 0.0)}}, "a share of the budget must be > 0"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Asked(**given)


def test_a_budget_in_rho_is_for_mechanisms_that_have_one() -> None:
    for name, mechanism in MECHANISMS.items():
        if mechanism.has_rho:
            assert Asked(mechanism=name, parameter="rho").delta is None
        else:
            with pytest.raises(ParameterError, match=f"mechanism '{name}' has no rho; .*mechanism='discrete-gaussian'"):
                Asked(mechanism=name, parameter="rho")


@pytest.mark.parametrize(
    ("options", "levels", "problem"),
    [
        ({"attack": "two-level"}, 1, "attack='two-level' needs a hierarchy of at least 2 levels, got 1"),
        ({"shares": (0.5, 0.5)}, 3, "shares needs one number per level .3., got 2"),
        ({"match": "any"}, 2, "of a hierarchy has no option match; it takes attack, prior, rare and shares"),
    ],
)
def test_a_question_must_fit_the_levels(options: dict[str, Any], levels: int, problem: str) -> None:
    asked = Asked(measure="posterior", options=options)
    with pytest.raises(ParameterError, match=problem):
        asked.fitting(Shape(levels=levels))


def test_a_question_fits_or_does_not_fit_a_table() -> None:
    every = Asked(options={"attributes": "max"})
    assert every.fitting(Shape(attributes=2)) is every
    with pytest.raises(ParameterError, match="needs several sensitive columns, and there is one"):
        every.fitting(Shape(attributes=1))
    with pytest.raises(ParameterError, match="measure 'local' is one of a table; of a hierarchy there are posterior"):
        Asked().fitting(Shape(levels=2))


def test_ceilings_are_those_of_the_measure() -> None:
    assert Asked().ceiling(0.3) == 0.3
    with pytest.raises(ParameterError, match=r"max_risk must lie in \(0, 1\], got 1.5"):
        Asked().ceiling(1.5)
    ratio = Asked(measure="posterior-ratio", options={"prior": 0.25})
    assert ratio.ceiling(4.0) == 4.0
    with pytest.raises(ParameterError, match=r"must lie in \(1, 4\]"):
        ratio.ceiling(1.0)
    total = Asked(options={"attributes": "sum"})
    assert total.ceiling(1.5, Shape(attributes=2)) == 1.5
    with pytest.raises(ParameterError, match=r"sum over 2 attributes must lie in \(0, 2\]"):
        total.ceiling(2.5, Shape(attributes=2))
    assert total.ceiling(2.5, Shape(attributes=2, weight=3.0)) == 2.5
    assert Asked().ceiling(1.5, Shape(weight=2.0)) == 1.5
    with pytest.raises(ParameterError, match=r"must lie in \(0, 2\], up to how often the most harmful value counts"):
        Asked().ceiling(2.5, Shape(weight=2.0))
    with pytest.raises(ParameterError, match=r"max_risk must lie in \(0, 1\], got 1.5"):
        Asked(measure="posterior").ceiling(1.5, Shape(weight=2.0))


def test_defaults_of_the_adversary() -> None:
    assert (Asked().prior, Asked().attack, Asked().attributes) == (0.5, "unique-levels", "joint")
    assert checked_shares([0.25, 0.75], 2) == (0.25, 0.75)


def test_a_point_above_the_prior_is_a_ceiling() -> None:
    assert Asked(measure="posterior").ceiling_of_gain(0.05) == 0.55
    assert Asked(measure="posterior-ratio", options={"prior": 0.1}).ceiling_of_gain(0.05) == pytest.approx(1.5)
    with pytest.raises(
        ParameterError, match=r"max_gain must be at most 0.9, from a prior of 0.1 to certainty, got 0.95"
    ):
        Asked(measure="posterior", options={"prior": 0.1}).ceiling_of_gain(0.95)
    for measure in ("local", "posterior-decision"):
        with pytest.raises(ParameterError, match=r"max_gain counts from the prior up, .* take measure='posterior'"):
            Asked(measure=measure).ceiling_of_gain(0.05)
