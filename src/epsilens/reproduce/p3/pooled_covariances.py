"""P3, section 5: the pooled covariance, every line of its derivation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TypeAlias

from epsilens.lazy import LaterModule
from epsilens.reproduce.claims import Claim, Finding, Formula
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.pooled_variances import (
    FEW,
    Groups,
    Line,
    group_samples,
    pooled,
    products,
    removed,
    told_groups,
    without_first,
)
from epsilens.reproduce.p3.setting import NEIGHBOURS, SQUARES, formula, searched, statement
from epsilens.sensitivity import published

optimize = LaterModule("scipy.optimize")

SIZES = ((2, 2), (2, 3), (3, 3), (2, 2, 2))
SAMPLES = group_samples(5, variables=2)
UNIT = SQUARES[0]
Bounds: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
Case: TypeAlias = tuple[tuple[int, ...], Bounds]


def removal_lines() -> dict[str, tuple[Line, Line | None]]:
    """Under Def 2, line by line, each with its mended form if it needs one."""

    def sizes(groups: Groups) -> tuple[int, int, int]:
        return sum(map(len, groups)), len(groups), len(groups[0])

    def first(groups: Groups) -> tuple[float, float, float, float, float, float]:
        """The record left out, the means of the others in its group, and of all of it."""
        (x, y), rest, everyone = groups[0][0], groups[0][1:].mean(axis=0), groups[0].mean(axis=0)
        return float(x), float(y), float(rest[0]), float(rest[1]), float(everyone[0]), float(everyone[1])

    def line_1(groups: Groups) -> float:
        n, j, _ = sizes(groups)
        others = sum(map(products, groups[1:]))
        with_it, without = others + products(groups[0]), others + products(groups[0][1:])
        return ((n - 1 - j) * with_it - (n - j) * without) / ((n - j) * (n - 1 - j))

    def line_2(groups: Groups) -> float:
        n, j, _ = sizes(groups)
        return (products(groups[0]) - products(groups[0][1:]) - pooled(without_first(groups))) / (n - j)

    def line_3(groups: Groups) -> float:
        n, j, n1 = sizes(groups)
        x, y, p, q, *_ = first(groups)
        rest = groups[0][1:]
        every = float((groups[0][:, 0] * groups[0][:, 1]).sum())
        means = ((n1 - 1) * p + x) * ((n1 - 1) * q + y) / n1
        inside = every - means - float((rest[:, 0] * rest[:, 1]).sum()) + (n1 - 1) * p * q
        return (inside - pooled(without_first(groups))) / (n - j)

    def line_4(groups: Groups) -> float:
        n, j, n1 = sizes(groups)
        x, y, p, q, all_x, all_y = first(groups)
        inside = (1 - 1 / n1) * x * y + (1 - 1 / n1) * (p * q - all_x * x - all_y * y)
        return (inside - pooled(without_first(groups))) / (n - j)

    def line_4_mended(groups: Groups) -> float:
        n, j, n1 = sizes(groups)
        x, y, p, q, *_ = first(groups)
        inside = (1 - 1 / n1) * x * y + (1 - 1 / n1) * (p * q - p * y - q * x)
        return (inside - pooled(without_first(groups))) / (n - j)

    def line_5(groups: Groups) -> float:
        n, j, n1 = sizes(groups)
        x, y, p, q, *_ = first(groups)
        return ((1 - 1 / n1) * (x - p) * (y - q) - pooled(without_first(groups))) / (n - j)

    def line_6(groups: Groups) -> float:
        n, j, n1 = sizes(groups)
        x, y, p, q, *_ = first(groups)
        term_1 = ((1 - 1 / n1) * (x - p) * (y - q) - products(groups[0][1:]) / (n - 1 - j)) / (n - j)
        return term_1 - sum(map(products, groups[1:])) / ((n - 1 - j) * (n - j))

    return {
        "line 1": (line_1, None),
        "line 2": (line_2, None),
        "line 3": (line_3, None),
        "line 4": (line_4, line_4_mended),
        "line 5": (line_5, None),
        "line 6": (line_6, None),
    }


def _line(name: str, line: Line, mended: Line | None) -> Formula:
    return formula(
        f"section 5, Def 2, {name}",
        "the pooled covariance less that of a neighbour",
        "its right side" if mended is None else "products of means of all records with the record itself",
        None if mended is None else "P3-f",
        printed=line,
        true=removed,
        cases=SAMPLES,
        mended=() if mended is None else (("means without the record, each times the other variable", mended),),
        told=told_groups,
    )


def _searched(definition: str, moves: bool = False) -> Callable[[Case], float]:
    def largest(case: Case) -> float:
        more = {"may_change_group": True} if moves else {}
        return searched(
            "pooled_covariance", NEIGHBOURS[definition], sizes=case[0], lower=case[1][0], upper=case[1][1], **more
        )

    return largest


def _printed(definition: str, at_sizes: bool = True) -> Callable[[Case], float]:
    return lambda case: published.pooled_covariance(case[0], case[1][0], case[1][1], NEIGHBOURS[definition], at_sizes)


def _squared(case: Case) -> float:
    """The bound with the stray square of Def 1."""
    return _printed("Def 1")(case) * (case[1][1][1] - case[1][0][1])


def _sensitivity(
    definition: str,
    name: str,
    text: str,
    departs: str | None = None,
    printed: Callable[[Case], float] | None = None,
    safe: bool = False,
    moves: bool = False,
    mended: tuple[tuple[str, Callable[[Case], float]], ...] = (),
) -> Formula:
    return formula(
        f"section 5, {definition}, {name}",
        "how far a pooled covariance moves between neighbours",
        text,
        departs,
        printed=printed or _printed(definition),
        true=_searched(definition, moves),
        cases=[
            (own, square) for own in (SIZES[:3] if moves else SIZES) for square in SQUARES[: 2 if sum(own) < FEW else 1]
        ],
        relation="is at least" if safe else "equals",
        mended=mended,
        told=lambda case: f"sizes {case[0]}, bounds {case[1]}",
    )


def equation_5(n1: float, n: int, groups: int) -> float:
    """Eq. (5) for a group of n1 records, bounds 0 and 1."""
    return (1 - 1 / n1 + (n - n1) / (4 * (n - 1 - groups))) / (n - groups)


def _lower_end(case: tuple[int, int, int], rest: int) -> float:
    """The lower end of the range of the change, with that many degrees of freedom in its second part."""
    n1, n, groups = case
    return -((n1 - 1) / (n1 * (n - groups)) + (n - n1) / (4 * (n - groups) * rest))


def _best_size(case: tuple[int, int]) -> float:
    n, groups = case
    found = optimize.minimize_scalar(
        lambda n1: -equation_5(n1, n, groups), bounds=(0.5, 4.0 * n), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x)


def _best_value(case: tuple[int, int]) -> float:
    n, groups = case
    return equation_5(_best_size(case), n, groups)


def _differ(_: Data) -> Finding:
    values = [(sizes, _searched("Def 1")((sizes, UNIT)), _searched("Def 2")((sizes, UNIT))) for sizes in SIZES]
    apart = all(abs(one - two) > 1e-12 for _, one, two in values)
    return Finding(apart, "; ".join(f"sizes {sizes}: {one:.4g} and {two:.4g}" for sizes, one, two in values))


def _diminishes(_: Data) -> Finding:
    """The difference of both, in the units of the statistic, for two groups of the same size."""
    found = []
    for half in (2, 10, 100, 1000):
        sizes = (half, half)
        one = published.pooled_covariance(sizes, *UNIT, "substitute")
        two = published.pooled_covariance(sizes, *UNIT, "add-remove", at_sizes=False)
        found.append((two - one, two / one))
    falls = all(later[0] < earlier[0] for earlier, later in itertools.pairwise(found)) and found[-1][0] < 1e-3
    ratios = f"{found[0][1]:.3f} to {found[-1][1]:.3f}"
    return Finding(falls, f"from {found[0][0]:.3g} at n = 4 to {found[-1][0]:.2g} at 2,000 (their ratio from {ratios})")


def _not_exact(_: Data) -> Finding:
    """Where the worst size is no whole number."""
    sizes = [some for some in SIZES if not (2.0 * math.sqrt(sum(some) - 1 - len(some))).is_integer()]
    gaps = {some: _printed("Def 2", at_sizes=False)((some, UNIT)) - _searched("Def 2")((some, UNIT)) for some in sizes}
    least = min(gaps, key=lambda some: gaps[some])
    return Finding(gaps[least] > 1e-12, f"at least {gaps[least]:.4g} too large, at sizes {least}")


RANGES = [
    (n1, n, groups) for groups in (2, 3) for n1 in (2, 3, 5) for n in (n1 + 2 * (groups - 1), n1 + 4 * (groups - 1))
]
REAL = [(n, groups) for groups in (2, 3, 5) for n in (3 * groups, 5 * groups, 20 * groups)]

CLAIMS: list[Claim] = [
    statement("introduction, pooled covariance", "its sensitivity under the two definitions", "they differ", _differ),
    statement("introduction, large n", "the difference of the two", "it diminishes", _diminishes),
    _sensitivity(
        "Def 1",
        "bound",
        "(n - J)^-1 (1 - 1/n1) (c11 - c10) (c21 - c20)^2",
        "P3-f",
        _squared,
        mended=(("without the square", _printed("Def 1")),),
    ),
    _sensitivity("Def 1", "sensitivity", "(c11 - c10) (c21 - c20) (1 - 1/n_max) / (n - J), within a group"),
    _sensitivity(
        "Def 1",
        "sensitivity, any attribute replaced",
        "(c11 - c10) (c21 - c20) (1 - 1/n_max) / (n - J), also where the group is what changes",
        "P3-a",
        moves=True,
    ),
    _sensitivity(
        "Def 1", "shorter form", "(c11 - c10) (c21 - c20) / (n - J)", None, _printed("Def 1", False), safe=True
    ),
    *(_line(name, line, mended) for name, (line, mended) in removal_lines().items()),
    formula(
        "section 5, Def 2, range of the change",
        "its lower end, bounds 0 and 1, beside the upper one with the other sign",
        "n - n1 - J + 1 in the second denominator",
        "P3-f",
        printed=lambda case: _lower_end(case, case[1] - case[0] - case[2] + 1),
        true=lambda case: -equation_5(*case),
        cases=RANGES,
        mended=(("n - 1 - J there", lambda case: _lower_end(case, case[1] - 1 - case[2])),),
        told=lambda case: f"n1 = {case[0]}, n = {case[1]}, J = {case[2]}",
    ),
    _sensitivity("Def 2", "Eq. (5)", "largest over the groups", "P3-e"),
    _sensitivity("Def 2", "Eq. (5) as a bound", "largest over the groups", "P3-e", safe=True),
    formula(
        "section 5, Def 2, worst group",
        "where Eq. (5) is largest, as a function of a real number",
        "n1 = 2 sqrt(n - 1 - J)",
        printed=lambda case: 2.0 * math.sqrt(case[0] - 1 - case[1]),
        true=_best_size,
        cases=REAL,
        tolerance=1e-5,
        told=lambda case: f"n = {case[0]}, J = {case[1]}",
    ),
    formula(
        "section 5, Def 2, final form",
        "Eq. (5) at that size, bounds 0 and 1",
        "(1 + n / (4 (n - 1 - J)) - 1 / sqrt(n - J - 1)) / (n - J)",
        printed=lambda case: (
            (1 + case[0] / (4 * (case[0] - 1 - case[1])) - 1 / math.sqrt(case[0] - 1 - case[1])) / (case[0] - case[1])
        ),
        true=_best_value,
        cases=REAL,
        told=lambda case: f"n = {case[0]}, J = {case[1]}",
    ),
    _sensitivity(
        "Def 2", "final form as a bound", "at sizes that are not told", "P3-e", _printed("Def 2", False), safe=True
    ),
    statement(
        "section 5, Def 2, exactness",
        "the final form",
        "it is not exact where that size is not whole",
        _not_exact,
        "P3-e",
    ),
]
