"""What print says about a statistic, beside what is right: its sensitivity, and the largest value it can have.

Every statistic has an answer. Where P3 has no formula the value is missing and the note says why.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from epsilens.sensitivity.catalogue import PUBLISHED, RANGES, evaluated, named
from epsilens.sensitivity.inputs import squared_width, two_widths

AGREE = "print and formula agree"
DIFFER = "print and formula differ, see the departures"
IN_GROUP = "print lets a replaced record stay in its group only"
NO_FORMULA = {
    "count": "P3 has formulas for a whole histogram and for proportions, and none for a single count",
    "histogram_tree": "P3 names the universal histogram in section 6 and has no formula for it",
}
ANOTHER_NORM = "P3 is about the l1 norm"
SEVERAL_ROWS = "P3 is about one row per person"


@dataclass(frozen=True)
class Printed:
    """The printed value, if print has one, and what there is to say about it."""

    value: float | None
    note: str


def in_print(statistic: str, neighbours: str, arguments: Mapping[str, Any]) -> Printed:
    """What P3 prints for the sensitivity of ``statistic`` at these ``arguments``, which are those of our formula.

    Group sizes that are hidden have forms of their own in print: (n - J)^-1 for the pooled variance, and for the pooled
    covariance the final form of Eq. (5).
    """
    ours, given = named(statistic), dict(arguments)
    name = ours.__name__
    value = evaluated(ours, neighbours, given)
    if name in NO_FORMULA:
        return Printed(None, NO_FORMULA[name])
    if given.get("norm", 1) != 1:
        return Printed(None, ANOTHER_NORM)
    if given.get("max_rows_per_unit", 1) != 1:
        return Printed(None, SEVERAL_ROWS)
    if name not in PUBLISHED:
        return Printed(value, AGREE)
    formula = PUBLISHED[name]
    known = inspect.signature(formula).parameters
    if "at_sizes" in known and "reveal_largest" in given:
        given["at_sizes"] = given["reveal_largest"]
    printed = evaluated(formula, neighbours, {key: found for key, found in given.items() if key in known})
    if given.get("may_change_group"):
        return Printed(printed, IN_GROUP)
    return Printed(printed, AGREE if abs(printed - value) <= 1e-12 * value else DIFFER)


def largest_in_print(statistic: str, arguments: Mapping[str, Any]) -> float | None:
    """The printed largest value of a variance or covariance: (c1 - c0)^2 n / (4 (n - J)), for every n.

    J is 1 without groups, and the product of two widths stands for the square in a covariance. Half of the records
    would lie at either bound, which only even numbers of them can: see
    :func:`epsilens.sensitivity.pooled.largest_sum_of_squares`.

    Source: P3 sections 2, 4 and 5, as printed (after Shiffler and Harsha 1980).
    Assumes even group sizes; with odd ones the value is never reached.
    """
    name = named(statistic).__name__
    if not name.endswith("variance"):
        return None
    sizes = arguments.get("sizes") or (arguments["n"],)
    lower, upper = arguments["lower"], arguments["upper"]
    if "covariance" in name:
        first, second = two_widths(lower, upper)
        product = first * second
    else:
        product = squared_width(lower, upper)
    n = sum(sizes)
    return float(product * n / (4.0 * (n - len(sizes))))


def range_of(statistic: str, arguments: Mapping[str, Any]) -> tuple[float, float] | None:
    """Between which values the statistic lies at these ``arguments``; nothing for counts, which have no bound."""
    function = RANGES.get(named(statistic).__name__)
    if function is None:
        return None
    known = inspect.signature(function).parameters
    return function(**{key: value for key, value in arguments.items() if key in known})
