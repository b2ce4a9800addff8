"""What every sensitivity checks before it answers: sample sizes, group sizes and bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from epsilens.budget import NEIGHBOURS
from epsilens.checks import finite, one_of, whole
from epsilens.errors import ParameterError, counted

Pair: TypeAlias = Sequence[float]
"""One number for each of two variables."""


def sample_size(n: Any, neighbours: str, needed: int, statistic: str) -> int:
    """``n``, refused where the statistic is undefined for it or for a neighbour.

    ``needed`` is the smallest sample the statistic exists for. Under add-remove the neighbour has one record fewer, so
    n must be one larger.
    """
    one_of("neighbours", neighbours, NEIGHBOURS)
    if neighbours == "substitute":
        return whole("n", n, needed, f"{statistic} needs {counted(needed, 'record')}")
    return whole("n", n, needed + 1, f"{statistic} needs {counted(needed, 'record')}, also after one record is removed")


def width(lower: Any, upper: Any, variable: str = "") -> float:
    """``upper - lower`` of the public bounds of a variable, refused unless both are finite and lower < upper."""
    of = f" of {variable}" if variable else ""
    low, high = finite(f"lower{of}", lower), finite(f"upper{of}", upper)
    if low >= high:
        raise ParameterError(f"`lower`{of} must be below `upper`{of}, got lower {low:g} and upper {high:g}")
    return finite(f"upper - lower{of}", high - low)


def squared_width(lower: Any, upper: Any) -> float:
    """The square of :func:`width`, refused where it is beyond any number."""
    one = width(lower, upper)
    return _finite_square(one, one)


def _finite_square(first: float, second: float) -> float:
    if not 0.0 < first * second < math.inf:
        raise ParameterError(
            f"the bounds are {first:g} and {second:g} apart, and the product of the two is beyond any number",
            remedy="measure the variable in other units",
        )
    return first * second


def two_widths(lower: Pair, upper: Pair) -> tuple[float, float]:
    """:func:`width` of the first and the second variable of a covariance."""
    low, high = _listed("lower", lower), _listed("upper", upper)
    for name, bounds in (("lower", low), ("upper", high)):
        if len(bounds) != 2:
            raise ParameterError(
                f"must hold one bound for each of the two variables, got {len(bounds)} of them", parameter=name
            )
    first, second = width(low[0], high[0], "the first variable"), width(low[1], high[1], "the second variable")
    _finite_square(first, second)
    return first, second


def group_sizes(sizes: Sequence[int], neighbours: str, statistic: str) -> tuple[int, ...]:
    """``sizes`` as ints: at least one group, at least two records in each.

    Under add-remove the denominator n - J of a pooled statistic falls by one, so n - J must be at least 2.
    """
    one_of("neighbours", neighbours, NEIGHBOURS)
    listed = _listed("sizes", sizes)
    if not listed:
        raise ParameterError("must list the number of records of at least one group, got none", parameter="sizes")
    checked = tuple(
        whole("sizes", size, 2, f"{statistic} needs two records a group; merge or drop smaller ones") for size in listed
    )
    if neighbours == "add-remove" and sum(checked) - len(checked) < 2:
        raise ParameterError(
            f"must add up to at least the number of groups + 2 ({statistic} must exist also after one record is "
            f"removed), got {sum(checked)} in {counted(len(checked), 'group')}",
            parameter="sizes",
            remedy="add records, or use `neighbours=substitute`",
        )
    return checked


def _listed(name: str, values: Any) -> tuple[Any, ...]:
    """``values`` as a tuple: any list, tuple or array, but no single number and no text."""
    try:
        listed = None if isinstance(values, str) else tuple(values)
    except TypeError:
        listed = None
    if listed is None:
        raise ParameterError("must be a list of numbers", parameter=name, got=values)
    return listed
