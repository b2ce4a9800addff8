"""Global sensitivities of a variance or covariance pooled over groups.

n records lie in J groups of sizes n_1, ..., n_J, each at least 2. The pooled statistic is the sum of the groups' sums
of squares (or products) about their own means, divided by n - J. A group of one record, which a neighbour may have,
adds nothing to the sum and nothing to the denominator. Two identities carry everything:

* a record that leaves a group of size k, whose other records have mean m, takes (1 - 1/k) (x - m)(y - m_y) with it;
* the sum of squares of a group of size k is at most w^2 floor(k/2) ceil(k/2) / k, half at either bound
  (:func:`largest_sum_of_squares`); a sum of products is at most as large in absolute value.

Whatever sizes enter a noise scale are thereby published. Under add-remove, and where records may change group, the
sizes differ between neighbours: they are private, and ``sizes`` describe the larger neighbour (under substitution
either). A scale that must not depend on them uses ``reveal_largest=False``, which needs n and J only, holds for every
way to split n records into J groups, and falls as n grows, so that a public lower bound of n will do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from epsilens.budget import Neighbours
from epsilens.sensitivity.inputs import Pair, group_sizes, squared_width, two_widths


def pooled_variance(
    sizes: Sequence[int],
    lower: float,
    upper: float,
    neighbours: Neighbours = "add-remove",
    may_change_group: bool = False,
    reveal_largest: bool = True,
) -> float:
    """How far a pooled variance can move: delta = (c1 - c0)^2 g / (n - J), where g depends on the neighbours.

    n = sum of ``sizes``, J their number, n_max the largest.

    * add-remove, or substitute within a group, or J = 1: g = 1 - 1 / n_max, attained for all sizes.
    * substitute, a record may change its group, J >= 2: g = 1 - 1 / (n_max + 1), attained for all sizes: a replaced
      record may arrive in the largest group, which then has one more.
    * the largest group hidden, J >= 2: g = 1, safe in each of these cases.

    Under add-remove the change is ((1 - 1/n_1)(x - m)^2 - s'^2) / (n - J), where s'^2 is the pooled variance left; each
    of its two parts can reach its maximum while the other is 0. The second, largest where every group has two records,
    is then (1/2) / J: exactly the first.

    Source: P3 Eq. (4) and section 4.
    Assumes public bounds on every record, J public and constant, and public sizes, or where the
    largest group is hidden a public n; under add-remove n is the size of the larger neighbour or a public lower bound
    of it (P3-d).
    Departs from print (P3-a): print lets a replaced record stay in its group only.
    Departs from print (P3-b): for n = 2J under add-remove print has (n - 1) / (n (n - 2)), safe but not attained.
    """
    checked = group_sizes(sizes, neighbours, "a pooled variance")
    squared = squared_width(lower, upper)
    freedom = sum(checked) - len(checked)
    if not reveal_largest and len(checked) > 1:
        return squared / freedom
    arrives = neighbours == "substitute" and may_change_group and len(checked) > 1
    return squared * (1.0 - 1.0 / (max(checked) + arrives)) / freedom


def pooled_covariance(
    sizes: Sequence[int],
    lower: Pair,
    upper: Pair,
    neighbours: Neighbours = "add-remove",
    may_change_group: bool = False,
    reveal_largest: bool = True,
) -> float:
    """How far a pooled covariance can move: delta = (c11 - c10) (c21 - c20) g / (n - J), where g depends on neighbours.

    n = sum of ``sizes``, J their number, n_max the largest.

    * substitute within a group, or J = 1: g = 1 - 1 / n_max, attained for all sizes.
    * substitute, a record may change its group, J >= 2: g = max over groups a != b of (1 - 1/n_a) + (1 - 1/(n_b + 1)),
      attained for all sizes: what the record takes out of a and what it brings into b may have opposite signs, so the
      two add up.
    * add-remove: g = max over a of 1 - 1/n_a + sum over j != a of M(n_j) / (n - 1 - J), attained for all sizes, where
      M(k) = floor(k/2) ceil(k/2) / k: the removed record moves its own group by at most 1 - 1/n_a, and the changed
      denominator moves the others, whose products may all have the opposite sign.
    * substitute within a group, the largest hidden, J >= 2: g = 1, safe for all sizes.
    * substitute, a record may change its group, the largest hidden, J >= 2: g = 2, safe for all sizes.
    * add-remove, the largest hidden, J >= 2: g = 1 + n / (4 (n - 1 - J)) - 1 / sqrt(n - 1 - J), safe for all sizes.

    Source: P3 Eq. (5) and section 5.
    Assumes public bounds on every record, J public and constant, and public sizes, or where the
    largest group is hidden a public n; under add-remove n is the size of the larger neighbour or a public lower bound
    of it (P3-d).
    Departs from print (P3-a): print lets a replaced record stay in its group only; changing it nearly doubles delta.
    Departs from print (P3-e): under add-remove print takes (n - n_a) / 4 for the sum of M(n_j), which only groups of
    even size reach, and then the worst real-valued n_a; that last form is the one for hidden sizes here.
    """
    checked = group_sizes(sizes, neighbours, "a pooled covariance")
    first, second = two_widths(lower, upper)
    n, groups = sum(checked), len(checked)
    unit = first * second / (n - groups)
    if neighbours == "substitute":
        if not may_change_group or groups == 1:
            return unit * (1.0 - 1.0 / max(checked) if reveal_largest or groups == 1 else 1.0)
        return unit * (_largest_move_between_groups(checked) if reveal_largest else 2.0)
    rest = n - 1 - groups
    if reveal_largest or groups == 1:
        return unit * _largest_removal(checked, rest)
    return unit * (1.0 + n / (4.0 * rest) - 1.0 / math.sqrt(rest))


def variance_case(neighbours: str, groups: int, may_change_group: bool = False, reveal_largest: bool = True) -> int:
    """Which of the cases in the docstring of :func:`pooled_variance` applies, from 0."""
    if groups > 1 and not reveal_largest:
        return 2
    return 1 if groups > 1 and neighbours == "substitute" and may_change_group else 0


def covariance_case(neighbours: str, groups: int, may_change_group: bool = False, reveal_largest: bool = True) -> int:
    """The same of :func:`pooled_covariance`."""
    moves = 2 if neighbours == "add-remove" else 1 if groups > 1 and may_change_group else 0
    return moves + (3 if groups > 1 and not reveal_largest else 0)


def _largest_move_between_groups(sizes: tuple[int, ...]) -> float:
    """Max over a != b of (1 - 1/n_a) + (1 - 1/(n_b + 1)): both terms grow with the size, so the two largest groups."""
    largest, second = sorted(sizes, reverse=True)[:2]
    # 1/k - 1/(k + 1) falls with k: the extra record helps the smaller of the two more
    return 2.0 - 1.0 / largest - 1.0 / (second + 1)


def _largest_removal(sizes: tuple[int, ...], rest: int) -> float:
    """Max over a of 1 - 1/n_a + sum over j != a of M(n_j) / rest."""
    products = sum(largest_sum_of_squares(size) for size in sizes)
    return max(1.0 - 1.0 / size + (products - largest_sum_of_squares(size)) / rest for size in set(sizes))


def largest_sum_of_squares(size: int) -> float:
    """M(k) = floor(k/2) ceil(k/2) / k: the largest sum of squares about the mean of k numbers in [0, 1].

    Half of the numbers lie at 0 and half at 1, as nearly as k allows; k/4 for even k, (k - 1/k) / 4 for odd k.

    Source: P3 sections 2 and 4 (Shiffler and Harsha 1980, there with k/4 for every k).
    Assumes k >= 1.
    """
    return (size // 2) * ((size + 1) // 2) / size
