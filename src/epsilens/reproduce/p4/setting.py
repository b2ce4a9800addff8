"""What the sections of P4 share: five adversaries, the census's budgets, and its noise by plain counting."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.posterior.census_2020 import CENSUS_2020
from epsilens.posterior.scenarios import FIVE_PRIORS
from epsilens.reproduce.claims import Compute, Finding, Formula, Number, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.printed import Printed

RHO_BLOCK, RHO_GROUP = CENSUS_2020.histogram_rhos[:2]
"""What print rounds to .099, and to .246 or .247: of the block and of the block group."""
SIBLINGS = 27
_LEAST_REACH = 64
PRIORS = dict(zip(("1/2", "1/5", "1/10", "1/50", "1/864"), FIVE_PRIORS, strict=True))

Check = Callable[[Data], Finding]


def number(where: str, what: str, printed: str, stated: Compute, departs: str | None = None, **more: Any) -> Number:
    """A printed number of P4."""
    return Number(Place("P4", where, what, departs), Printed(printed), stated, **more)


def statement(where: str, what: str, text: str, check: Check, departs: str | None = None, **more: Any) -> Statement:
    """A sentence of P4."""
    return Statement(Place("P4", where, what, departs), text, check, **more)


def formula(
    where: str, what: str, text: str, departs: str | None = None, in_print: bool = True, **more: Any
) -> Formula:
    """An equation of P4."""
    return Formula(Place("P4", where, what, departs, in_print), text, **more)


@lru_cache(maxsize=256)
def discrete_gaussian(rho: float) -> tuple[FloatArray, FloatArray]:
    """Every whole number that the noise takes, and its probability: counted, and divided by their sum."""
    reach = max(_LEAST_REACH, math.ceil(math.sqrt(700.0 / rho)))
    values = np.arange(-reach, reach + 1.0)
    weights = np.exp(-rho * values**2)
    return values, weights / math.fsum(weights)


def probability_of(rho: float, noise: float) -> float:
    """How often this noise is drawn."""
    values, probabilities = discrete_gaussian(rho)
    return float(probabilities[int(noise - values[0])])


def percent(share: float, digits: int = 1) -> str:
    """A share as it is told."""
    return f"{100.0 * share:.{digits}f} %"


def listed(values: FloatArray | list[float], digits: int = 4) -> str:
    """Some numbers in a row."""
    return ", ".join(f"{value:.{digits}g}" for value in values)
