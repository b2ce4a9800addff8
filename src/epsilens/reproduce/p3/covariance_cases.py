"""P3, section 3, Def 2: the four cases that the covariance is split into, counted on data of zeros and ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.reproduce.claims import Claim, Finding, Formula, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.covariances import removal, sensitivity_claim
from epsilens.reproduce.p3.setting import covariance, formula, statement

CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Of the record that is left out."""


class Corner(NamedTuple):
    """n records, of which the others have k1 and k2 ones in either variable and k3 in both."""

    n: int
    k1: int
    k2: int
    k3: int


def corners(n: int) -> Iterator[Corner]:
    """All with k2 <= k1, which print assumes."""
    for k1 in range(n):
        for k2 in range(k1 + 1):
            for k3 in range(max(0, k1 + k2 - (n - 1)), k2 + 1):
                yield Corner(n, k1, k2, k3)


def records_of(case: Corner) -> FloatArray:
    """The other records."""
    both, first, second = case.k3, case.k1 - case.k3, case.k2 - case.k3
    neither = case.n - 1 - both - first - second
    return np.asarray([(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither, dtype=np.float64)


def moved(case: Corner, record: tuple[int, int]) -> float:
    """The covariance with this record less that without it, from the data themselves."""
    others = records_of(case)
    everyone = np.vstack([[record], others])
    return covariance(everyone[:, 0], everyone[:, 1]) - covariance(others[:, 0], others[:, 1])


CASES = [case for n in (3, 4, 6) for case in corners(n)]
FULL = [case for case in CASES if case.k1 == case.n - 1]
EMPTY = [case for case in CASES if case.k1 == 0]


CaseLine = Callable[[Corner], float]


def printed_cases() -> dict[tuple[int, int], tuple[CaseLine, CaseLine, CaseLine, float]]:
    """Of each corner: both lines of its formula, what it is at k1 = n - 1, and what it is at k1 = 0 times n."""

    def rest(case: Corner) -> float:
        n, k1, k2, k3 = case
        return (k3 - k1 * k2 / (n - 1)) / ((n - 1) * (n - 2))

    def shared(case: Corner) -> float:
        n, k1, k2, k3 = case
        return 2 * k1 * k2 / (n * (n - 1) * (n - 2)) - k3 / ((n - 1) * (n - 2))

    def product(case: Corner, one: int, two: int) -> float:
        return one * two / (case.n * (case.n - 1) ** 2)

    def alone(k: int, n: int) -> float:
        return k / (n * (n - 1))

    return {
        (0, 0): (
            lambda c: product(c, c.k1, c.k2) - rest(c),
            shared,
            lambda c: alone(c.k2, c.n),
            0.0,
        ),
        (0, 1): (
            lambda c: -product(c, c.k1, c.n - 1 - c.k2) - rest(c),
            lambda c: shared(c) - alone(c.k1, c.n),
            lambda c: alone(c.k2, c.n) - 1 / c.n,
            0.0,
        ),
        (1, 0): (
            lambda c: -product(c, c.k2, c.n - 1 - c.k1) - rest(c),
            lambda c: shared(c) - alone(c.k2, c.n),
            lambda c: alone(c.k2, c.n) - alone(c.k2, c.n),
            0.0,
        ),
        (1, 1): (
            lambda c: -product(c, c.n - 1 - c.k1, c.n - 1 - c.k2) - rest(c),
            lambda c: 1 / c.n + shared(c) - alone(c.k1, c.n) - alone(c.k2, c.n),
            lambda _: 0.0,
            1.0,
        ),
    }


def _other_sign(case: Corner) -> float:
    """The first line of the last case with a plus before its product."""
    minus = printed_cases()[1, 1][0](case)
    return minus + 2 * (case.n - 1 - case.k1) * (case.n - 1 - case.k2) / (case.n * (case.n - 1) ** 2)


def _told_corner(case: Corner) -> str:
    return f"n = {case.n}, k = {case.k1}, {case.k2} and {case.k3}"


def _case(number: int, what: str, record: tuple[int, int], line: CaseLine, cases: list[Corner]) -> Formula:
    mends = record == (1, 1) and what == "first line"
    return formula(
        f"section 3, Def 2, case {number}, {what}",
        f"the change when ({record[0]}, {record[1]}) is left out",
        "a minus before the product" if mends else "its right side",
        "P3-f" if mends else None,
        printed=line,
        true=lambda case: moved(case, record),
        cases=cases,
        mended=(("a plus before the product", _other_sign),) if mends else (),
        told=_told_corner,
    )


def _cases() -> Iterator[Formula]:
    for number, (record, (first, second, full, empty)) in enumerate(printed_cases().items(), 1):
        yield _case(number, "first line", record, first, CASES)
        yield _case(number, "second line", record, second, CASES)
        yield _case(number, "at k1 = 0", record, lambda case, empty=empty: empty / case.n, EMPTY)  # type: ignore[misc]
        yield _case(number, "at k1 = n - 1", record, full, FULL)


def _extremes(largest_only: bool) -> Callable[[Data], Finding]:
    """Whether nothing goes beyond k1 = 0 and k1 = n - 1."""

    def check(_: Data) -> Finding:
        for n in (4, 6, 8):
            every = {(record, case): moved(case, record) for record in CORNERS for case in corners(n)}
            ends = {key: value for key, value in every.items() if key[1].k1 in (0, n - 1)}
            if largest_only:
                if max(map(abs, every.values())) > max(map(abs, ends.values())) + 1e-12:
                    return Finding(False, f"not at n = {n}")
                continue
            for record in CORNERS:
                own = {key: value for key, value in every.items() if key[0] == record}
                lowest = min(own, key=lambda key: own[key])
                at_ends = min(value for key, value in ends.items() if key[0] == record)
                if own[lowest] < at_ends - 1e-12:
                    seen = f"({record[0]}, {record[1]}) left out and {_told_corner(lowest[1])}: {own[lowest]:.4g}"
                    return Finding(False, f"{seen}, and {at_ends:.4g} is the least at those ends")
        return Finding(True, "at n = 4, 6 and 8")

    return check


UNIT_CONDITIONS = (((0, 0), (1, 1)), ((1, 1), (0, 0)), ((0, 1), (1, 0)), ((1, 0), (0, 1)))
"""The record that is left out, and what all others are."""
BOUND_CONDITIONS = (((0, 0), (1, 1)), ((0, 0), (1, 1)), ((0, 1), (1, 0)), ((1, 0), (0, 1)))
"""The same after going back to the bounds: 0 for the lower one, 1 for the upper one."""


def _attained(_: Data) -> Finding:
    def holds(case: tuple[tuple[tuple[int, int], tuple[int, int]], int]) -> bool:
        (record, others), n = case
        data = np.asarray([record] + [others] * (n - 1), dtype=np.float64)
        return abs(abs(removal(data)) - 1 / n) < 1e-12

    return everywhere(list(itertools.product(UNIT_CONDITIONS, (3, 5, 9))), holds, lambda case: f"{case}")


def _four_conditions(exchanged: int | None = None) -> Callable[[Data], Finding]:
    """Whether they differ; of one of them the record and the others may be exchanged."""

    def check(_: Data) -> Finding:
        conditions = [each[::-1] if k == exchanged else each for k, each in enumerate(BOUND_CONDITIONS)]
        different = len(set(conditions))
        again = next((k for k, each in enumerate(conditions) if each in conditions[:k]), None)
        repeats = "" if again is None else f": condition {again + 1} repeats an earlier one"
        return Finding(set(conditions) == set(UNIT_CONDITIONS), f"{different} different ones{repeats}")

    return check


CLAIMS: list[Claim] = [
    *_cases(),
    statement(
        "section 3, Def 2, corners",
        "where the change is extreme in each of the four cases",
        "at k1 = 0 or k1 = n - 1",
        _extremes(largest_only=False),
        "P3-f",
        readings=(("of the largest change over all four", _extremes(largest_only=True)),),
    ),
    statement("section 3, Def 2, worst cases", "four conditions, bounds 0 and 1", "each attains 1 / n", _attained),
    statement(
        "section 3, Def 2, worst cases at bounds",
        "the same four at any bounds",
        "they are four",
        _four_conditions(),
        "P3-f",
        slips=(("with upper for lower bounds in the second, and lower for upper ones", _four_conditions(1)),),
    ),
    sensitivity_claim("Def 2"),
]
