"""How much of what all quasi-identifiers disclose together is due to each of them, and which few are enough.

Sets of columns are numbers: bit j says whether column j is known. A function of sets is then an array with 2^q values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError


def shapley_values(values: FloatArray) -> FloatArray:
    """The Shapley value of every column, from the value of every set of columns.

    phi_c = sum over the sets S without c of |S|! (q - |S| - 1)! / q! (v(S and c) - v(S)): what column c adds, averaged
    over all orders in which the q columns may become known. They sum to v(all) - v(none). Symbols: v is ``values``, by
    the number of the set.

    The value is Shapley's (1953).
    """
    return as_floats(values @ shapley_coefficients(values))


def shapley_coefficients(values: FloatArray) -> FloatArray:
    """(sets, columns): how much the value of each set counts for each column."""
    q = len(values).bit_length() - 1
    if len(values) != 1 << q or q < 1:
        raise ParameterError("a Shapley value takes one value for every set of columns", got=len(values))
    sets = np.arange(1 << q)
    sizes = set_sizes(sets)
    orders = as_floats([1.0 / (q * math.comb(q - 1, size)) for size in range(q)])
    known = (sets[:, None] >> np.arange(q)) & 1
    joined, before = orders[np.maximum(sizes - 1, 0)], orders[np.minimum(sizes, q - 1)]
    return np.where(known == 1, joined[:, None], -before[:, None])


def set_sizes(sets: IntArray) -> IntArray:
    """How many columns each set has."""
    return np.array([int(number).bit_count() for number in sets.tolist()], dtype=np.int64)


def minimal_sets(sets: IntArray, enough: BoolArray) -> list[int]:
    """Those ``sets`` that are ``enough`` and have no part that is: positions, the smallest sets first."""
    found: list[int] = []
    for i in np.argsort(set_sizes(sets), kind="stable").tolist():
        if enough[i] and not any(int(sets[j]) & int(sets[i]) == int(sets[j]) for j in found):
            found.append(i)
    return found


def largest_fall(sets: IntArray, values: FloatArray) -> tuple[int, int] | None:
    """The two sets between which the value falls most though the second knows one column more; None: it never falls.

    Positions of the smaller and the larger set.
    """
    place = {int(number): i for i, number in enumerate(sets.tolist())}
    columns = int(sets.max(initial=0)).bit_length()
    best, most = None, 1e-12
    for number, i in place.items():
        for j in range(columns):
            below = number ^ (1 << j)
            if number >> j & 1 and below in place and values[place[below]] - values[i] > most:
                best, most = (place[below], i), float(values[place[below]] - values[i])
    return best


def in_words(number: int, columns: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns of a set."""
    return tuple(name for j, name in enumerate(columns) if number >> j & 1)
