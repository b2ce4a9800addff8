"""The measures by name, each prepared once for a table and then evaluated for as many noises as wanted.

Preparing fetches the signatures and fits whatever the measure needs to fit; evaluating is pure arithmetic. Curves and
choices evaluate hundreds of noises, so they hold a :class:`PreparedMeasure`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity import published
from epsilens.homogeneity.local import local_risks, match_weights
from epsilens.homogeneity.models.expected import (
    prepare_expected,
    prepare_marginal,
    prepare_marginal_shrinkage,
    prepare_shrinkage,
)
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.thresholding import prepare_hard, prepare_soft
from epsilens.table.frequency import FrequencyTable, checked_table

__all__ = ["MEASURES", "PreparedMeasure", "prepare", "prepare_local"]


def prepare_local(table: FrequencyTable, match: str = "any") -> PreparedMeasure:
    """:func:`epsilens.homogeneity.local` on signatures."""
    vectors, multiplicities = table.signatures()
    match_weights(vectors[:1], match)  # refuse a wrong ``match`` before the long computation
    return PreparedMeasure("local", vectors, multiplicities, lambda noise: local_risks(vectors, noise, match))


MEASURES: dict[str, Callable[..., PreparedMeasure]] = {
    "local": prepare_local,
    "expected": prepare_expected,
    "shrinkage": prepare_shrinkage,
    "marginal": prepare_marginal,
    "marginal-shrinkage": prepare_marginal_shrinkage,
    "hard": prepare_hard,
    "soft": prepare_soft,
    "published-local": published.prepare_local,
    "published-expected": published.prepare_expected,
    "published-shrinkage": published.prepare_shrinkage,
    "published-marginal": published.prepare_marginal,
    "published-marginal-shrinkage": published.prepare_marginal_shrinkage,
}


def prepare(measure: str, table: FrequencyTable, **options: Any) -> PreparedMeasure:
    """The measure of that name, ready for ``table``; ``options`` are those of the measure's own function."""
    checked_table(table)
    made = MEASURES[one_of("measure", measure, MEASURES)]
    takes = tuple(inspect.signature(made).parameters)[1:]
    for name in options:
        if name not in takes:
            known = " and ".join(f"`{option}`" for option in takes)
            raise ParameterError(f"measure {measure!r} has no option `{name}`; it takes {known}, so leave `{name}` out")
    return made(table, **options)
