"""The measures by name, each prepared once for a table and then evaluated for as many noises as wanted.

Preparing fetches the signatures and fits whatever the measure needs to fit; evaluating is pure arithmetic. Curves and
choices evaluate hundreds of noises, so they hold a :class:`PreparedMeasure`.

What a choice of budget must know of a measure stands here with its name, so that a new measure is its own file and an
entry of :data:`MEASURES`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity import printed
from epsilens.homogeneity.blockwise import ready_risks
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.models.expected import (
    prepare_expected,
    prepare_marginal,
    prepare_marginal_shrinkage,
    prepare_shrinkage,
)
from epsilens.homogeneity.models.fits import check_size_fit
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.signature_risks import local_of
from epsilens.homogeneity.thresholding import prepare_hard, prepare_soft
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.harm import Harm, harm_differs

__all__ = [
    "GROUPS",
    "MEASURES",
    "Measure",
    "PreparedMeasure",
    "check_options",
    "measures_named",
    "prepare",
    "prepare_local",
    "refuse_unknown_options",
]


@dataclass(frozen=True)
class Measure:
    """How a measure is prepared, and what a choice of budget must know of it."""

    prepare: Callable[..., PreparedMeasure]
    """From a table, and the options of the measure, to the measure made ready."""
    one_risk: bool = False
    """Whether there is one risk for the whole table, so that no quantile or maximum over cells tells more."""
    of_what_is_shown: bool = False
    """Whether the risk is the probability of an event about which labels a cell shows: then its slope has a bound."""
    sums_over_counts: bool = False
    """Whether it sums over published counts one by one: then noise without end is too wide for it."""
    by_attribute: bool = False
    """Whether it has a risk for each of several sensitive attributes that are published jointly."""

    @property
    def options(self) -> tuple[str, ...]:
        """What it takes besides a table."""
        return tuple(inspect.signature(self.prepare).parameters)[1:]


def prepare_local(table: FrequencyTable, match: str = "any") -> PreparedMeasure:
    """:func:`epsilens.homogeneity.local` on signatures."""
    one_of("match", match, get_args(Match))  # refuse a wrong ``match`` before the long computation
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    risks = ready_risks(vectors, weights, lambda block, harm, zeros: local_of(block, match, harm, zeros))
    return PreparedMeasure("local", vectors, multiplicities, risks, weights=table.label_weights)


MEASURES: dict[str, Measure] = {
    "local": Measure(prepare_local, of_what_is_shown=True, by_attribute=True),
    "expected": Measure(prepare_expected, of_what_is_shown=True),
    "shrinkage": Measure(prepare_shrinkage, of_what_is_shown=True),
    "marginal": Measure(prepare_marginal, of_what_is_shown=True),
    "marginal-shrinkage": Measure(prepare_marginal_shrinkage, of_what_is_shown=True, one_risk=True),
    "hard": Measure(prepare_hard, sums_over_counts=True),
    "soft": Measure(prepare_soft, sums_over_counts=True),
    "published-local": Measure(printed.prepare_local),
    "published-expected": Measure(printed.prepare_expected),
    "published-shrinkage": Measure(printed.prepare_shrinkage),
    "published-marginal": Measure(printed.prepare_marginal),
    "published-marginal-shrinkage": Measure(printed.prepare_marginal_shrinkage, one_risk=True),
    "published-hard": Measure(printed.prepare_hard, sums_over_counts=True),
    "published-soft": Measure(printed.prepare_soft, sums_over_counts=True),
    "published-p1-local": Measure(printed.prepare_p1_local, of_what_is_shown=True),
    "published-p1-expected": Measure(printed.prepare_p1_expected, of_what_is_shown=True),
    "published-p1-shrinkage": Measure(printed.prepare_p1_shrinkage, of_what_is_shown=True),
    "published-p1-marginal-shrinkage": Measure(
        printed.prepare_p1_marginal_shrinkage, one_risk=True, of_what_is_shown=True
    ),
}


GROUPS: dict[str, tuple[str, ...]] = {
    "all": tuple(name for name in MEASURES if not name.startswith("published-")),
    "published": tuple(name for name in MEASURES if name.startswith("published-")),
}
"""Names that stand for several measures: all that are exact, and all that are printed."""


def measures_named(names: Iterable[str]) -> tuple[str, ...]:
    """The measures of these names, each once; a group stands for its measures."""
    found = [name for given in names for name in GROUPS.get(given, (given,))]
    return tuple(dict.fromkeys(one_of("measure", name, (*MEASURES, *GROUPS)) for name in found))


def prepare(measure: str, table: FrequencyTable, **options: Any) -> PreparedMeasure:
    """The measure of that name, ready for ``table``; ``options`` are those of the measure's own function.

    A printed formula counts all labels of a table alike, missing ones too; where it was declared which of them harm,
    it is refused, since it would answer another question.
    """
    checked_table(table)
    check_options(measure, options)
    weights = table.label_weights
    undeclared = np.array_equal(weights, Harm().of_labels(table.sensitive, table.label_values))
    if measure in GROUPS["published"] and harm_differs(weights) and not undeclared:
        raise ParameterError(
            f"measure {measure!r} is a formula as printed, which counts all labels alike, and `harmful` says that they "
            "do not harm alike",
            remedy=f"leave out `harmful`, or take `measure={exact_counterpart(measure)}`",
        )
    return MEASURES[measure].prepare(table, **options)


def exact_counterpart(measure: str) -> str:
    """The exact measure that a printed one stands for."""
    return measure.removeprefix("published-").removeprefix("p1-")


def check_options(measure: str, options: Mapping[str, Any], besides: Iterable[str] = ()) -> None:
    """Refuse a measure or options that do not exist, and values that need no table to be refused.

    ``besides`` are options that whoever asks takes for itself.
    """
    takes = (*MEASURES[one_of("measure", measure, MEASURES)].options, *besides)
    refuse_unknown_options(f"measure {measure!r}", options, takes)
    if options.get("match") is not None:
        one_of("match", options["match"], get_args(Match))
    if isinstance(options.get("size_model", "poisson"), str):
        check_size_fit(options.get("size_model", "poisson"), options.get("size_fit"))


def refuse_unknown_options(what: str, given: Iterable[str], takes: Iterable[str]) -> None:
    """Refuse, by name, an option that ``what`` does not take: it would be ignored."""
    known = tuple(takes)
    for name in given:
        if name not in known:
            last = f"`{known[-1]}`" if known else "none"
            listed = " and ".join(filter(None, [", ".join(f"`{name}`" for name in known[:-1]), last]))
            raise ParameterError(f"{what} has no option `{name}`; it takes {listed}, so leave `{name}` out")
