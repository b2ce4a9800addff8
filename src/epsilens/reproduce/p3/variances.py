"""P3, section 2: the variance, every line of its derivation."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from epsilens import sensitivity
from epsilens.arrays import FloatArray
from epsilens.reproduce.claims import Claim, Finding, Formula, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.setting import (
    BOUNDS,
    NEIGHBOURS,
    formula,
    searched,
    statement,
    uniform_samples,
    variance,
)

SAMPLES = uniform_samples(2, (3, 4, 5, 9))
"""The last record of each is what the first becomes; of neighbours of another size it is not there."""
SIZES = {"Def 1": (2, 3, 4, 5), "Def 2": (3, 4, 5, 6)}
Line = Callable[[FloatArray], float]


def _replaced(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    x, new = values[:-1, 0].copy(), values[-1, 0]
    other = x.copy()
    other[0] = new
    return x, other


def numbered(*lines: Line) -> dict[str, Line]:
    """Lines of a derivation by their number."""
    return {f"line {k}": line for k, line in enumerate(lines, 1)}


def replacement_lines() -> dict[str, Line]:
    """s^2 - s'^2 under Def 1, line by line."""

    def parts(values: FloatArray) -> tuple[int, float, float, FloatArray]:
        x, other = _replaced(values)
        return len(x), float(x[0]), float(other[0]), x[1:]

    def line_1(values: FloatArray) -> float:
        x, other = _replaced(values)
        n = len(x)
        return float(((x**2 - other**2).sum() - n * (x.mean() ** 2 - other.mean() ** 2)) / (n - 1))

    def line_2(values: FloatArray) -> float:
        n, a, b, rest = parts(values)
        return float((a**2 - b**2 - (a - b) * (2 * rest.sum() + a + b) / n) / (n - 1))

    def line_3(values: FloatArray) -> float:
        n, a, b, rest = parts(values)
        return float((a - b) * (a + b - (2 * rest.sum() + a + b) / n) / (n - 1))

    def line_4(values: FloatArray) -> float:
        n, a, b, rest = parts(values)
        return float((a - b) * ((1 - 1 / n) * a + (1 - 1 / n) * b - 2 * rest.sum() / n) / (n - 1))

    def line_5(values: FloatArray) -> float:
        n, a, b, rest = parts(values)
        return float((a**2 - b**2) / n - 2 * (a - b) * rest.mean() / n)

    def line_6(values: FloatArray) -> float:
        n, a, b, rest = parts(values)
        m = rest.mean()
        return float((a**2 - 2 * a * m + m**2 - b**2 + 2 * b * m - m**2) / n)

    def equation_1(values: FloatArray) -> float:
        n, a, b, rest = parts(values)
        return float(((a - rest.mean()) ** 2 - (b - rest.mean()) ** 2) / n)

    return numbered(line_1, line_2, line_3, line_4, line_5, line_6) | {"Eq. (1)": equation_1}


def _replacement(values: FloatArray) -> float:
    x, other = _replaced(values)
    return variance(x) - variance(other)


def removal_lines() -> dict[str, Line]:
    """s^2 - s'^2 under Def 2, line by line: a is left out, the others have the mean m and the sum of squares q."""

    def parts(values: FloatArray) -> tuple[int, float, float, float]:
        x = values[:, 0]
        return len(x), float(x[0]), float(x[1:].mean()), float((x[1:] ** 2).sum())

    def line_1(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        return (a**2 + q - ((n - 1) * m + a) ** 2 / n) / (n - 1) - (q - (n - 1) * m**2) / (n - 2)

    def line_2(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        square = (n - 1) ** 2 * m**2 + 2 * (n - 1) * a * m + a**2
        inside = (n - 2) * a**2 + (n - 2) * q - (n - 2) / n * square - (n - 1) * q + (n - 1) ** 2 * m**2
        return inside / ((n - 1) * (n - 2))

    def line_3(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        products = 2 / n * (n - 1) ** 2 * m**2 - 2 / n * (n - 1) * (n - 2) * m * a
        return (-q + (n - 2) * (1 - 1 / n) * a**2 + products) / ((n - 1) * (n - 2))

    def line_4(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        return -q / ((n - 1) * (n - 2)) + a**2 / n + 2 * (n - 1) / (n * (n - 2)) * m**2 - 2 * m * a / n

    def line_5(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        rest = -(m**2) / n + 2 * (n - 1) * m**2 / (n * (n - 2)) - q / ((n - 1) * (n - 2))
        return (a**2 - 2 * m * a + m**2) / n + rest

    def line_6(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        return (a - m) ** 2 / n + m**2 / (n - 2) - q / ((n - 1) * (n - 2))

    def line_7(values: FloatArray) -> float:
        n, a, m, q = parts(values)
        return (a - m) ** 2 / n - (q - (n - 1) * m**2) / ((n - 1) * (n - 2))

    def line_8(values: FloatArray) -> float:
        n, a, m, _ = parts(values)
        return (a - m) ** 2 / n - variance(values[1:, 0]) / (n - 1)

    return numbered(line_1, line_2, line_3, line_4, line_5, line_6, line_7, line_8)


def _removal(values: FloatArray) -> float:
    return variance(values[:, 0]) - variance(values[1:, 0])


def _line(definition: str, name: str, line: Line, true: Line) -> Formula:
    return formula(
        f"section 2, {definition}, {name}",
        "the variance less that of a neighbour",
        "its right side",
        printed=line,
        true=true,
        cases=SAMPLES,
        told=lambda values: f"{len(values)} records",
    )


def _sensitivity(definition: str) -> Formula:
    return formula(
        f"section 2, {definition}, sensitivity",
        "how far a variance moves between neighbours",
        "(c1 - c0)^2 / n",
        printed=lambda case: sensitivity.variance(case[0], case[1][0], case[1][1], NEIGHBOURS[definition]),
        true=lambda case: searched("variance", NEIGHBOURS[definition], n=case[0], lower=case[1][0], upper=case[1][1]),
        cases=list(itertools.product(SIZES[definition], BOUNDS)),
        told=lambda case: f"n = {case[0]}, bounds {case[1]}",
    )


def largest_variance(records: int) -> float:
    """Of so many numbers between 0 and 1: convex in each of them, so that some corner has it."""
    ones = np.arange(records + 1)
    return float((ones * (records - ones)).max() / (records * (records - 1)))


def _case_2_is_larger(_: Data) -> Finding:
    return everywhere(range(3, 200), lambda n: largest_variance(n - 1) / (n - 1) < 1 / n, lambda n: f"n = {n}")


def _told_size(n: int) -> str:
    return f"n = {n}, {n - 1} records left"


CLAIMS: list[Claim] = [
    *(_line("Def 1", name, line, _replacement) for name, line in replacement_lines().items()),
    _sensitivity("Def 1"),
    *(_line("Def 2", name, line, _removal) for name, line in removal_lines().items()),
    formula(
        "section 2, Def 2, largest variance",
        "of n - 1 records, after Shiffler and Harsha, bounds 0 and 1",
        "(n - 1) / (4 (n - 2))",
        "P3-e",
        printed=lambda n: (n - 1) / (4 * (n - 2)),
        true=lambda n: largest_variance(n - 1),
        cases=range(3, 12),
        told=_told_size,
    ),
    formula(
        "section 2, Def 2, largest variance as a bound",
        "of n - 1 records, bounds 0 and 1",
        "(n - 1) / (4 (n - 2))",
        "P3-e",
        printed=lambda n: (n - 1) / (4 * (n - 2)),
        true=lambda n: largest_variance(n - 1),
        cases=range(3, 12),
        relation="is at least",
        told=_told_size,
    ),
    formula(
        "section 2, Def 2, case 1",
        "the change when the record left out is the mean of the others, bounds 0 and 1",
        "1 / (4 n - 8)",
        "P3-e",
        printed=lambda n: 1 / (4 * n - 8),
        true=lambda n: largest_variance(n - 1) / (n - 1),
        cases=range(3, 12),
        told=_told_size,
    ),
    statement(
        "section 2, Def 2, comparison", "which case moves the variance further", "case 2, once n > 2", _case_2_is_larger
    ),
    _sensitivity("Def 2"),
]
