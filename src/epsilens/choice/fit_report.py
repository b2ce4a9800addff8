"""Which laws of sizes and of label shares the measures of an assessment rest on, and how they were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from epsilens.homogeneity.fit import Fit
from epsilens.homogeneity.models.dirichlet_fits import DirichletShares
from epsilens.homogeneity.models.sizes import (
    FixedSize,
    NegativeBinomialSize,
    PoissonSize,
    SizeModel,
    ZeroInflatedSize,
)
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.notebook import one_line


@dataclass(frozen=True, eq=False)
class UsedLaw:
    """A law that some measures of one sensitive attribute use."""

    sensitive: str
    measures: tuple[str, ...]
    fit: Fit[SizeModel] | Fit[DirichletShares]
    labels: tuple[str, ...]

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, self.of, self.name)

    @property
    def of(self) -> str:
        """What it is a law of: ``sizes`` of cells, or ``shares`` of labels."""
        return "shares" if isinstance(self.fit.model, DirichletShares) else "sizes"

    @property
    def name(self) -> str:
        """The law's name, as it is asked for."""
        return law_name(self.fit.model)

    @property
    def parameters(self) -> dict[str, Any]:
        """The law's parameters by name; alpha by label."""
        model = self.fit.model
        if isinstance(model, DirichletShares):
            return {"alpha": dict(zip(self.labels, model.alpha, strict=True))}
        if isinstance(model, ZeroInflatedSize):
            return {"share": model.empty_share, **size_parameters(model.base)}
        return size_parameters(model)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        fit = self.fit
        return {
            "sensitive": self.sensitive,
            "measures": list(self.measures),
            "of": self.of,
            "law": self.name,
            "parameters": self.parameters,
            "method": fit.method,
            "cells": fit.n_cells,
            "log_likelihood": fit.log_likelihood,
            "aic": fit.aic,
            "distance": fit.distance,
            "warning": fit.message or None,
        }


def law_name(model: SizeModel | DirichletShares) -> str:
    """The name of a law, as ``size_model`` spells it."""
    if isinstance(model, ZeroInflatedSize):
        return f"zero-inflated-{law_name(model.base)}"
    names = {
        FixedSize: "fixed",
        PoissonSize: "poisson",
        NegativeBinomialSize: "negative-binomial",
        DirichletShares: "dirichlet",
    }
    return names[type(model)]


def size_parameters(model: SizeModel) -> dict[str, Any]:
    """The parameters of a law of sizes, as ``size_model`` is written with them."""
    return {"mean": model.rate} if isinstance(model, PoissonSize) else asdict(model)


def used_laws(sensitive: str, labels: Sequence[str], prepared: Mapping[str, PreparedMeasure]) -> Iterator[UsedLaw]:
    """The laws that the measures use, each once with the measures that do."""
    found: dict[tuple[Any, ...], UsedLaw] = {}
    for measure, ready in prepared.items():
        for fit in (ready.sizes, ready.shares):
            if fit is None:
                continue
            key = (fit.model, fit.method)
            before = found[key].measures if key in found else ()
            found[key] = UsedLaw(sensitive, (*before, measure), fit, tuple(labels))
    yield from sorted(found.values(), key=lambda law: law.of != "sizes")
