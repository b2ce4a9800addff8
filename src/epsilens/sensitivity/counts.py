"""Global sensitivities of counts and of shares of a total."""

from __future__ import annotations

import math
from typing import Literal

from epsilens.budget import NEIGHBOURS, Neighbours, count_sensitivity
from epsilens.checks import formerly, one_of, whole
from epsilens.errors import ParameterError
from epsilens.sensitivity.inputs import sample_size


@formerly(rows_per_unit="max_rows_per_unit")
def count(neighbours: Neighbours = "add-remove", max_rows_per_unit: int = 1) -> float:
    """How far one count can move: delta = m, the largest number of rows of one person.

    m is ``max_rows_per_unit``. A single count rises or falls by the rows of one person, whether the person joins,
    leaves or is replaced.

    Source: P3 section 1 (one cell of the histogram).
    Assumes one person contributes at most m rows.
    """
    one_of("neighbours", neighbours, NEIGHBOURS)
    return count_sensitivity("add-remove", 1, max_rows_per_unit)


@formerly(rows_per_unit="max_rows_per_unit")
def histogram(neighbours: Neighbours = "add-remove", norm: Literal[1, 2] = 1, max_rows_per_unit: int = 1) -> float:
    """How far a whole histogram can move: m under add-remove; 2 m (l1) or m sqrt(2) (l2) under substitute.

    m is ``max_rows_per_unit``; :func:`epsilens.budget.count_sensitivity` is the one place that decides it.

    Source: P3 section 1 (H).
    Assumes the categories are fixed beforehand, and one person contributes at most m rows.
    """
    return count_sensitivity(neighbours, checked_norm(norm), max_rows_per_unit)


def histogram_tree(levels: int, neighbours: Neighbours = "add-remove", norm: Literal[1, 2] = 1) -> float:
    """How far all counts of a tree can move: c L in l1, c sqrt(L) in l2; c of one level, L levels (substitute: L - 1).

    A record is counted once on each of the ``levels`` of the tree, the root included. c is the sensitivity of one
    level, :func:`histogram`. L = levels under add-remove; L = levels - 1 under substitute, where the root, the number
    of records, does not move.

    Source: P3 section 6 (the universal histogram of Hay et al. 2010, there under add-remove).
    Assumes every leaf lies on level L of the tree or higher up, and the categories are fixed beforehand.
    """
    per_level = histogram(neighbours, norm)
    if neighbours == "add-remove":
        moved = whole("levels", levels, 1, "a tree has at least its root")
    else:
        moved = whole("levels", levels, 2, "the root alone never moves under substitute") - 1
    return per_level * (moved if norm == 1 else math.sqrt(moved))


def proportion(n: int, neighbours: Neighbours = "add-remove") -> float:
    """How far the share of one category can move: delta = 1 / n.

    Source: P3 section 1.
    Assumes n is public; under add-remove it is the size of the larger neighbour or a public lower bound of it (P3-d).
    """
    return 1.0 / sample_size(n, neighbours, 1, "a proportion")


def proportions(n: int, neighbours: Neighbours = "add-remove", norm: Literal[1, 2] = 1) -> float:
    """How far a vector of proportions can move: 2 / n in l1, sqrt(2) / n in l2, under both kinds of neighbours.

    Removing one of the H_j records of category j moves p = H / n by (n - H_j) / (n (n - 1)) in category j and by
    H_k / (n (n - 1)) in every other: 2 (n - H_j) / (n (n - 1)) together. The worst case is H_j = 1, in l2 with all
    others in one category: as far as a substitution moves it.

    Source: P3 section 1 (p).
    Assumes two categories or more; n is public, under add-remove the size of the larger neighbour or a public lower
    bound of it (P3-d).
    Departs from print (P3-c): print has 1 / n under add-remove, half of what is needed.
    """
    return count_sensitivity("substitute", checked_norm(norm)) / sample_size(n, neighbours, 1, "a proportion")


def checked_norm(norm: Literal[1, 2]) -> Literal[1, 2]:
    """``norm``, refused unless it is 1 or 2."""
    if norm not in (1, 2):
        raise ParameterError("must be 1 or 2", parameter="norm", got=norm)
    return norm
