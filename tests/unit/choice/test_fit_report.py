from __future__ import annotations

import math

import pytest

import epsilens as el
from epsilens.choice.fit_report import law_name, used_laws
from epsilens.homogeneity import (
    DirichletShares,
    FixedSize,
    NegativeBinomialSize,
    PoissonSize,
    ZeroInflatedSize,
    fit_dirichlet,
    fit_sizes,
)
from epsilens.homogeneity.measures import prepare
from tests.unit.homogeneity.enumeration import dirichlet_multinomial

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5], [1, 0], [2, 2]], ["no", "yes"])


def test_each_law_is_named_once_with_the_measures_that_use_it() -> None:
    measures = ("local", "marginal", "marginal-shrinkage", "published-marginal", "shrinkage")
    laws = list(used_laws("ill", TABLE.labels, {name: prepare(name, TABLE) for name in measures}))
    assert [(law.of, law.name, law.measures) for law in laws] == [
        ("sizes", "poisson", ("marginal", "marginal-shrinkage")),
        ("sizes", "poisson", ("published-marginal",)),
        ("shares", "dirichlet", ("marginal-shrinkage", "shrinkage")),
    ]
    truncated, plain, shares = (law.to_dict() for law in laws)
    assert truncated["parameters"] == {"mean": pytest.approx(fit_sizes(TABLE).model.mean)}
    assert plain["parameters"] == {"mean": 16 / 5}
    assert shares["parameters"] == {"alpha": dict(zip(("no", "yes"), fit_dirichlet(TABLE).model.alpha, strict=True))}
    assert truncated["aic"] == pytest.approx(fit_sizes(TABLE).aic)
    assert shares["distance"] is None
    assert plain["warning"] is None


def test_a_warning_of_the_fit_is_passed_on() -> None:
    ready = {"marginal": prepare("marginal", TABLE, size_model="zero-inflated-poisson")}
    (law,) = used_laws("ill", TABLE.labels, ready)
    assert "share of structurally empty ones cannot be identified; it is set to 0" in law.to_dict()["warning"]
    assert law.parameters["share"] == 0.0
    (given,) = used_laws("ill", TABLE.labels, {"shrinkage": prepare("shrinkage", TABLE, alpha=(1.0, 2.0))})
    assert given.to_dict()["method"] == "as given"
    chance = dirichlet_multinomial((1.0, 2.0))
    assert given.to_dict()["log_likelihood"] == pytest.approx(sum(math.log(chance(c)) for c in TABLE.counts.tolist()))


def test_laws_are_called_as_they_are_asked_for() -> None:
    assert [
        law_name(law)
        for law in (
            FixedSize(3),
            PoissonSize(1.0),
            NegativeBinomialSize(1.0, 2.0),
            ZeroInflatedSize(NegativeBinomialSize(1.0, 2.0), 0.1),
            DirichletShares((1.0, 1.0)),
        )
    ] == ["fixed", "poisson", "negative-binomial", "zero-inflated-negative-binomial", "dirichlet"]
