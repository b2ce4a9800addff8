"""P3, section 3: the covariance, every line of its derivation."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from epsilens import sensitivity
from epsilens.arrays import FloatArray
from epsilens.reproduce.claims import Claim, Finding, Formula, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.setting import (
    NEIGHBOURS,
    SQUARES,
    covariance,
    formula,
    searched,
    statement,
    uniform_samples,
)
from epsilens.reproduce.p3.variances import Line, numbered

SAMPLES = uniform_samples(3, (3, 4, 5, 9), variables=2)
"""The last record of each is what the first becomes; of neighbours of another size it is not there."""
SIZES = {"Def 1": (2, 3, 4), "Def 2": (3, 4, 5)}


def _replaced(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    everyone = values[:-1]
    other = everyone.copy()
    other[0] = values[-1]
    return everyone, other


def _replacement(values: FloatArray) -> float:
    everyone, other = _replaced(values)
    return covariance(everyone[:, 0], everyone[:, 1]) - covariance(other[:, 0], other[:, 1])


def _squares(values: FloatArray) -> float:
    everyone, other = _replaced(values)
    return covariance(everyone[:, 0], everyone[:, 1]) ** 2 - covariance(other[:, 0], other[:, 1]) ** 2


def replacement_lines() -> dict[str, Line]:
    """The difference under Def 1, line by line; a and b become c and d, the others have the means p and q."""

    def parts(values: FloatArray) -> tuple[int, float, float, float, float, float, float]:
        (a, b), (c, d), rest = values[0], values[-1], values[1:-1]
        return (
            len(values) - 1,
            float(a),
            float(b),
            float(c),
            float(d),
            float(rest[:, 0].mean()),
            float(rest[:, 1].mean()),
        )

    def line_1(values: FloatArray) -> float:
        one, two = _replaced(values)
        n = len(one)
        sums = (one[:, 0] * one[:, 1]).sum() - (two[:, 0] * two[:, 1]).sum()
        means = n * one[:, 0].mean() * one[:, 1].mean() - n * two[:, 0].mean() * two[:, 1].mean()
        return float((sums - means) / (n - 1))

    def line_2(values: FloatArray) -> float:
        n, a, b, c, d, p, q = parts(values)
        one, two = (a + (n - 1) * p) * (b + (n - 1) * q) / n, (c + (n - 1) * p) * (d + (n - 1) * q) / n
        return (a * b - c * d - one + two) / (n - 1)

    def line_3(values: FloatArray) -> float:
        n, a, b, c, d, p, q = parts(values)
        return (a * b - c * d - a * q - p * b + c * q + p * d) / n

    def equation_2(values: FloatArray) -> float:
        n, a, b, c, d, p, q = parts(values)
        return (a * (b - q) + p * (d - b) + c * (q - d)) / n

    return numbered(line_1, line_2, line_3) | {"Eq. (2)": equation_2}


def removal_lines() -> dict[str, Line]:
    """The difference under Def 2: a and b are left out, the others have means p, q and the sum of products t."""

    def parts(values: FloatArray) -> tuple[int, float, float, float, float, float]:
        (a, b), rest = values[0], values[1:]
        p, q = rest.mean(axis=0)
        return len(values), float(a), float(b), float(p), float(q), float((rest[:, 0] * rest[:, 1]).sum())

    def line_1(values: FloatArray) -> float:
        n, a, b, p, q, t = parts(values)
        return (t + a * b - ((n - 1) * p + a) * ((n - 1) * q + b) / n) / (n - 1) - (t - (n - 1) * p * q) / (n - 2)

    def line_2(values: FloatArray) -> float:
        n, a, b, p, q, t = parts(values)
        product = (n - 1) ** 2 * p * q + (n - 1) * p * b + (n - 1) * a * q + a * b
        inside = (n - 2) * t + (n - 2) * a * b - (n - 1) * t + (n - 1) ** 2 * p * q - (n - 2) / n * product
        return inside / ((n - 1) * (n - 2))

    def line_3(values: FloatArray) -> float:
        n, a, b, p, q, t = parts(values)
        both = (n - 1) * (n - 2) / n
        return (-t + both * a * b + 2 / n * (n - 1) ** 2 * p * q - both * (p * b + a * q)) / ((n - 1) * (n - 2))

    def line_4(values: FloatArray) -> float:
        n, a, b, p, q, t = parts(values)
        means = 2 * (n - 1) / (n * (n - 2)) * p * q
        return -t / ((n - 1) * (n - 2)) + a * b / n + means - (p * b + a * q) / n

    def line_5(values: FloatArray) -> float:
        n, a, b, p, q, t = parts(values)
        means = 2 * (n - 1) / (n * (n - 2)) * p * q
        return (a * b - p * b - a * q + p * q) / n - p * q / n - t / ((n - 1) * (n - 2)) + means

    def line_6(values: FloatArray) -> float:
        n, a, b, p, q, t = parts(values)
        return (a - p) * (b - q) / n + p * q / (n - 2) - t / ((n - 1) * (n - 2))

    def equation_3(values: FloatArray) -> float:
        n, a, b, p, q, _ = parts(values)
        return (a - p) * (b - q) / n - covariance(values[1:, 0], values[1:, 1]) / (n - 1)

    def rewritten(values: FloatArray) -> float:
        n, a, b, _, _, t = parts(values)
        first, second = float(values[1:, 0].sum()), float(values[1:, 1].sum())
        product = (a - first / (n - 1)) * (b - second / (n - 1)) / n
        return product + first * second / ((n - 2) * (n - 1) ** 2) - t / ((n - 2) * (n - 1))

    lines = numbered(line_1, line_2, line_3, line_4, line_5, line_6)
    return lines | {"Eq. (3)": equation_3, "Eq. (3) rewritten": rewritten}


def removal(values: FloatArray) -> float:
    """The covariance less that without the first record."""
    return covariance(values[:, 0], values[:, 1]) - covariance(values[1:, 0], values[1:, 1])


def _line(definition: str, name: str, line: Line, true: Line) -> Formula:
    return formula(
        f"section 3, {definition}, {name}",
        "the covariance less that of a neighbour",
        "its right side",
        printed=line,
        true=true,
        cases=SAMPLES,
        told=lambda values: f"{len(values)} records",
    )


def sensitivity_claim(definition: str) -> Formula:
    """The final formula against an exhaustive search."""
    return formula(
        f"section 3, {definition}, sensitivity",
        "how far a covariance moves between neighbours",
        "(c11 - c10) (c21 - c20) / n",
        printed=lambda case: sensitivity.covariance(case[0], case[1][0], case[1][1], NEIGHBOURS[definition]),
        true=lambda case: searched("covariance", NEIGHBOURS[definition], n=case[0], lower=case[1][0], upper=case[1][1]),
        cases=list(itertools.product(SIZES[definition], SQUARES)),
        told=lambda case: f"n = {case[0]}, bounds {case[1]}",
    )


class Order(NamedTuple):
    """The second variable: the mean of the others, the record and the record that replaces it, in this order."""

    mean: float
    record: float
    replaced: float
    n: int


ORDERS = [Order(*values, n) for values in ((0.0, 0.3, 1.0), (0.1, 0.2, 0.4), (0.0, 0.0, 0.5)) for n in (2, 5)]


def _told_order(case: Order) -> str:
    return f"n = {case.n}, mean of the others {case.mean:g}, record {case.record:g}, then {case.replaced:g}"


def _equation_2(case: Order, a: float, p: float, c: float) -> float:
    """Eq. (2) at values of the first variable: of the record, of the others' mean and of what replaces it."""
    q, b, d, n = case
    return (a * (b - q) + p * (d - b) + c * (q - d)) / n


def _largest(case: Order) -> float:
    return max(_equation_2(case, *corner) for corner in itertools.product((0.0, 1.0), repeat=3))


def _linear(_: Data) -> Finding:
    """In each single value, the others held: no second difference."""

    def holds(values: FloatArray) -> bool:
        for place in itertools.product(range(len(values)), range(2)):
            at = []
            for step in (0.0, 0.5, 1.0):
                other = values.copy()
                other[place] = step
                at.append(removal(other))
            if abs(at[0] - 2 * at[1] + at[2]) > 1e-12:
                return False
        return True

    return everywhere(SAMPLES, holds, lambda values: f"{len(values)} records")


CLAIMS: list[Claim] = [
    formula(
        "section 3, Def 1, left side",
        "what the first line is equal to",
        "s12^2 - s'12^2",
        "P3-f",
        printed=_squares,
        true=_replacement,
        cases=SAMPLES,
        mended=(("without the squares", _replacement),),
        told=lambda values: f"{len(values)} records",
    ),
    *(_line("Def 1", name, line, _replacement) for name, line in replacement_lines().items()),
    formula(
        "section 3, Def 1, where Eq. (2) is largest",
        "its largest value, bounds 0 and 1",
        "x11 at the upper bound, the mean of the others at the lower one",
        "P3-f",
        printed=lambda case: max(_equation_2(case, 1.0, 0.0, c) for c in (0.0, 1.0)),
        true=_largest,
        cases=ORDERS,
        mended=(
            ("x'11 at the lower bound and the mean at the upper one", lambda case: _equation_2(case, 1.0, 1.0, 0.0)),
        ),
        told=_told_order,
    ),
    formula(
        "section 3, Def 1, Eq. (2) there",
        "its value",
        "(c11 - c10) (x'21 - mean of the others), bounds 0 and 1",
        "P3-f",
        printed=lambda case: case.replaced - case.mean,
        true=lambda case: _equation_2(case, 1.0, 1.0, 0.0),
        cases=ORDERS,
        mended=(("over n", lambda case: (case.replaced - case.mean) / case.n),),
        told=_told_order,
    ),
    sensitivity_claim("Def 1"),
    *(_line("Def 2", name, line, removal) for name, line in removal_lines().items()),
    statement("section 3, Def 2, linearity", "the change as a function of each single value", "it is linear", _linear),
]
