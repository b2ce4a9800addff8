"""What the sections of P3 share: its two kinds of neighbours, exhaustive searches, and data to try derivations on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.budget import Neighbours
from epsilens.reproduce.claims import Compute, Finding, Formula, Number, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.printed import Printed
from epsilens.sensitivity.checker import verify

NEIGHBOURS: dict[str, Neighbours] = {"Def 1": "substitute", "Def 2": "add-remove"}
"""A record is replaced, or one is there more."""
BOUNDS = ((0.0, 1.0), (-1.0, 2.0))
SQUARES = (((0.0, 0.0), (1.0, 1.0)), ((-1.0, 0.0), (1.0, 3.0)))
"""Lower and upper bounds of two variables."""
TRIED = 24
"""Data sets on which each line of a derivation is tried."""

Check = Callable[[Data], Finding]


def number(where: str, what: str, printed: str, stated: Compute, departs: str | None = None, **more: Any) -> Number:
    """A printed number of P3."""
    return Number(Place("P3", where, what, departs), Printed(printed), stated, **more)


def statement(where: str, what: str, text: str, check: Check, departs: str | None = None, **more: Any) -> Statement:
    """A sentence of P3."""
    return Statement(Place("P3", where, what, departs), text, check, **more)


def formula(
    where: str, what: str, text: str, departs: str | None = None, in_print: bool = True, **more: Any
) -> Formula:
    """An equation of P3."""
    return Formula(Place("P3", where, what, departs, in_print), text, **more)


@lru_cache(maxsize=1024)
def searched(statistic: str, neighbours: str, **arguments: Any) -> float:
    """The largest change that an exhaustive search over small data sets and their neighbours finds."""
    return verify(statistic, neighbours, **arguments).brute_force


def uniform_samples(seed: int, sizes: Sequence[int], variables: int = 1) -> list[FloatArray]:
    """Data sets of these sizes, each record uniform between 0 and 1 in every variable; the same ones at every run."""
    rng = np.random.default_rng(seed)
    return [rng.random((sizes[k % len(sizes)], variables)) for k in range(TRIED)]


def variance(values: FloatArray) -> float:
    """From its definition, with n - 1."""
    return float(((values - values.mean()) ** 2).sum() / (len(values) - 1))


def covariance(first: FloatArray, second: FloatArray) -> float:
    """From its definition, with n - 1."""
    return float(((first - first.mean()) * (second - second.mean())).sum() / (len(first) - 1))
