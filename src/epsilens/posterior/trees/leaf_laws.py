"""Leaf priors by name: from a short text or an object of JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from epsilens.checks import finite, one_of, whole
from epsilens.errors import ParameterError, speaking_of
from epsilens.posterior.trees.leaf_priors import (
    LEAF_FAMILIES,
    BinomialLeaf,
    LeafPrior,
    NegativeBinomialLeaf,
    PoissonLeaf,
    UniformLeaf,
)


@dataclass(frozen=True)
class NamedLaw:
    """A law of leaves, what its parameters are called in JSON, and which of them are whole numbers."""

    law: type[PoissonLeaf | NegativeBinomialLeaf | BinomialLeaf | UniformLeaf]
    parameters: Mapping[str, str]
    """From the name in JSON to that of the field."""
    whole: tuple[str, ...] = ()
    may_be_bare: bool = False
    """Whether it is a law without any parameter as well."""


LEAF_LAWS = {
    "poisson": NamedLaw(PoissonLeaf, {"mean": "mean"}),
    "negative-binomial": NamedLaw(NegativeBinomialLeaf, {"mean": "mean", "size": "size"}),
    "binomial": NamedLaw(BinomialLeaf, {"total": "total", "share": "share"}, ("total",)),
    "uniform": NamedLaw(UniformLeaf, {"highest": "highest_count"}, ("highest",), may_be_bare=True),
}
_HOW = "poisson=MEAN, negative-binomial=MEAN:SIZE, binomial=TOTAL:SHARE, uniform or uniform=HIGHEST"


def leaf_prior_named(given: str | Mapping[str, Any]) -> str | LeafPrior:
    """The prior that a short text or an object names; a family without parameters, which are fitted, stays a name.

    ``poisson`` and ``poisson=0.027``, or ``{"law": "poisson"}`` and ``{"law": "poisson", "mean": 0.027}``.
    """
    if isinstance(given, str):
        name, equals, values = given.partition("=")
        named = LEAF_LAWS[one_of("leaf_prior", name, LEAF_LAWS)]
        parts = values.split(":") if equals else []
        if len(parts) > len(named.parameters):
            raise _needs(name)
        numbers: dict[str, Any] = dict(zip(named.parameters, parts, strict=False))
    elif isinstance(given, Mapping):
        name = one_of("leaf_prior", str(given.get("law")), LEAF_LAWS)
        named = LEAF_LAWS[name]
        numbers = {key: value for key, value in given.items() if key != "law" and value is not None}
    else:
        raise ParameterError(f"must be a text or an object that names a law: {_HOW}", parameter="leaf_prior")
    if not numbers and name in LEAF_FAMILIES:
        return name
    if set(numbers) != set(named.parameters) and (numbers or not named.may_be_bare):
        raise _needs(name)
    fields: dict[str, Any] = {
        named.parameters[key]: _number(key, value, key in named.whole) for key, value in numbers.items()
    }
    law: LeafPrior = named.law(**fields)
    return law


def described_leaf_prior(prior: LeafPrior) -> dict[str, Any]:
    """The prior as an object of JSON that :func:`leaf_prior_named` reads; any other law by its text alone."""
    for name, named in LEAF_LAWS.items():
        if type(prior) is named.law:
            return {"law": name, **{key: getattr(prior, field) for key, field in named.parameters.items()}}
    return {"law": repr(prior)}


def _number(key: str, value: Any, is_whole: bool) -> float:
    with speaking_of(**{key: "leaf_prior"}):
        number = finite(key, value)
        return whole(key, number) if is_whole else number


def _needs(name: str) -> ParameterError:
    parts = " and ".join(LEAF_LAWS[name].parameters)
    return ParameterError(f"{name!r} needs its {parts}: {_HOW}", parameter="leaf_prior")
