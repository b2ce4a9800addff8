from __future__ import annotations

from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.posterior import BinomialLeaf, LeafPrior, NegativeBinomialLeaf, PmfLeaf, PoissonLeaf, UniformLeaf
from epsilens.posterior.trees.leaf_laws import LEAF_LAWS, described_leaf_prior, leaf_prior_named


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("poisson=0.027", PoissonLeaf(0.027)),
        ("negative-binomial=0.3:2", NegativeBinomialLeaf(0.3, 2.0)),
        ("binomial=40:0.01", BinomialLeaf(40, 0.01)),
        ("uniform=20", UniformLeaf(20)),
        ("uniform", UniformLeaf()),
    ],
)
def test_a_text_names_a_law_and_so_does_what_it_is_described_by(text: str, law: LeafPrior) -> None:
    assert leaf_prior_named(text) == law
    described = described_leaf_prior(law)
    assert described["law"] == text.partition("=")[0]
    assert leaf_prior_named(described) == law


def test_a_family_without_parameters_is_fitted() -> None:
    assert leaf_prior_named("poisson") == "poisson"
    assert leaf_prior_named({"law": "negative-binomial"}) == "negative-binomial"


def test_any_other_law_is_described_by_its_text() -> None:
    assert described_leaf_prior(PmfLeaf({0: 0.5, 1: 0.5}))["law"].startswith("PmfLeaf")
    assert set(LEAF_LAWS) == {"poisson", "negative-binomial", "binomial", "uniform"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("poison", "leaf_prior must be one of poisson, .* did you mean 'poisson'"),
        ("poisson=x", "leaf_prior must be a number, got 'x'"),
        ("poisson=0", "the mean of a leaf prior must be > 0"),
        ("poisson=1:2", "leaf_prior 'poisson' needs its mean: poisson=MEAN"),
        ("negative-binomial=1", "needs its mean and size"),
        ("binomial", "needs its total and share"),
        ("binomial=1.5:0.1", "leaf_prior must be a whole number"),
        ({"law": "poisson", "men": 3}, "needs its mean"),
        ({"mean": 3}, "must be one of poisson"),
        (3, "must be a text or an object that names a law"),
    ],
)
def test_nonsense_is_refused(given: Any, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        leaf_prior_named(given)
