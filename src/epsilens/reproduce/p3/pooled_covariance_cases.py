"""P3, section 5, Def 2: the four cases that the first of two terms is split into, counted on zeros and ones.

The first term is what the group of the record contributes, its own covariance and its share of the change of n:
((1 - 1/n1) (x11 - mean) (y11 - mean) - sum of products of the others / (n - 1 - J)) / (n - J).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from epsilens.reproduce.claims import Claim, Finding, Formula, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.covariance_cases import Corner, corners, records_of
from epsilens.reproduce.p3.pooled_variances import products
from epsilens.reproduce.p3.setting import formula, statement


class Group(NamedTuple):
    """The group of the record that is left out: its corner has its own size for n; all records, and all groups."""

    corner: Corner
    n: int
    groups: int

    @property
    def size(self) -> int:
        """n1."""
        return self.corner.n


CASES = [Group(corner, n, j) for size, n, j in ((3, 9, 4), (4, 9, 2), (5, 11, 3)) for corner in corners(size)]
EMPTY = [case for case in CASES if case.corner.k1 == 0]
FULL = [case for case in CASES if case.corner.k1 == case.size - 1]
RECORDS = ((0, 0), (0, 1), (1, 0), (1, 1))

Line = Callable[[Group], float]
Mended = tuple[tuple[str, Line], ...]


def term_1(case: Group, record: tuple[int, int]) -> float:
    """From the records themselves."""
    others = records_of(case.corner)
    x, y = others.mean(axis=0)
    own = (1 - 1 / case.size) * (record[0] - x) * (record[1] - y)
    return float((own - products(others) / (case.n - 1 - case.groups)) / (case.n - case.groups))


def _gap(case: Group) -> float:
    """k3 - k1 k2 / (n1 - 1): the sum of products of the others."""
    _, k1, k2, k3 = case.corner
    return k3 - k1 * k2 / (case.size - 1)


def _first(product: Callable[[Group], float], own_size: bool = False) -> Line:
    """The first line of a case, with n1 - 1 - J for n - 1 - J if it is printed so."""

    def line(case: Group) -> float:
        freedom = (case.size if own_size else case.n) - 1 - case.groups
        inside = (1 - 1 / case.size) * product(case) / (case.size - 1) ** 2
        return (inside - _gap(case) / freedom) / (case.n - case.groups)

    return line


def _shared(case: Group) -> float:
    _, k1, k2, k3 = case.corner
    n, j, n1 = case.n, case.groups, case.size
    first = (n - j + n1 - 1) * k1 * k2 / (n1 * (n1 - 1) * (n - j) * (n - 1 - j))
    return first - k3 / ((n - j) * (n - 1 - j))


def _alone(k: int, case: Group) -> float:
    return k / (case.size * (case.n - case.groups))


def _both(case: Group) -> float:
    return case.corner.k1 * case.corner.k2


def _second_missing(case: Group) -> float:
    return -case.corner.k1 * (case.size - 1 - case.corner.k2)


def _first_missing(case: Group) -> float:
    return -case.corner.k2 * (case.size - 1 - case.corner.k1)


def _neither(case: Group) -> float:
    return (case.size - 1 - case.corner.k1) * (case.size - 1 - case.corner.k2)


PRODUCTS: dict[tuple[int, int], Line] = {
    (0, 0): _both,
    (0, 1): _second_missing,
    (1, 0): _first_missing,
    (1, 1): _neither,
}
OWN_SIZE = ((0, 0), (0, 1))
"""The cases whose first line has n1 - 1 - J in a denominator."""
SECOND: dict[tuple[int, int], Line] = {
    (0, 0): _shared,
    (0, 1): lambda case: _shared(case) - _alone(case.corner.k1, case),
    (1, 0): lambda case: _shared(case) - _alone(case.corner.k2, case),
    (1, 1): lambda case: (
        (1 - 1 / case.size) / (case.n - case.groups)
        + _shared(case)
        - _alone(case.corner.k1, case)
        - _alone(case.corner.k2, case)
    ),
}
AT_FULL: dict[tuple[int, int], Line] = {
    (0, 0): lambda case: case.corner.k2 / (case.size * (case.size - case.groups)),
    (0, 1): lambda case: _alone(case.corner.k2, case) - _alone(case.size - 1, case),
    (1, 0): lambda _: 0.0,
    (1, 1): lambda _: 0.0,
}
AT_EMPTY: dict[tuple[int, int], Line] = {
    (0, 0): lambda _: 0.0,
    (0, 1): lambda _: 0.0,
    (1, 0): lambda _: 0.0,
    (1, 1): lambda case: _alone(case.size - 1, case),
}


def _told(case: Group) -> str:
    _, k1, k2, k3 = case.corner
    return f"n1 = {case.size}, n = {case.n}, J = {case.groups}, k = {k1}, {k2} and {k3}"


def _case(
    what: str,
    record: tuple[int, int],
    line: Line,
    cases: list[Group],
    mended: Mended = (),
    text: str = "its right side",
) -> Formula:
    return formula(
        f"section 5, Def 2, ({record[0]}, {record[1]}), {what}",
        "the first term when this record is left out",
        text,
        "P3-f" if mended else None,
        printed=line,
        true=lambda case: term_1(case, record),
        cases=cases,
        mended=mended,
        told=_told,
    )


def _cases() -> Iterator[Formula]:
    for record in RECORDS:
        product, own = PRODUCTS[record], record in OWN_SIZE
        mended = (("n - 1 - J in the place of n1 - 1 - J", _first(product)),) if own else ()
        text = "n1 - 1 - J in a denominator" if own else "its right side"
        yield _case("first line", record, _first(product, own), CASES, mended, text)
        yield _case("second line", record, SECOND[record], CASES)
        yield _case("at k1 = 0", record, AT_EMPTY[record], EMPTY)
        at_full: Mended = ()
        if record == (0, 0):
            at_full = (("n - J in the place of n1 - J", lambda case: _alone(case.corner.k2, case)),)
        text = "k2 / (n1 (n1 - J))" if at_full else "its right side"
        yield _case("at k1 = n1 - 1", record, AT_FULL[record], FULL, at_full, text)


def _own_cases(case: tuple[int, int, int]) -> list[Group]:
    size, n, groups = case
    return [Group(corner, n, groups) for corner in corners(size)]


SHAPES = [(3, 8, 3), (4, 9, 2), (5, 11, 3), (4, 8, 3), (2, 6, 3)]


def _most(case: tuple[int, int, int]) -> float:
    """The largest first term over all corners, in absolute value; with either variable having more ones."""
    return max(abs(term_1(group, record)) for group in _own_cases(case) for record in RECORDS)


def _swapped(swap: bool) -> Callable[[Data], Finding]:
    """Whether term 1 reaches its least at k1 = n1 - 1, k2 = 0 for the bounds that print names there."""

    def check(_: Data) -> Finding:
        record = (0, 1) if swap else (1, 0)

        def holds(shape: tuple[int, int, int]) -> bool:
            size, n, groups = shape
            ends = [group for group in _own_cases(shape) if group.corner.k1 in (0, size - 1)]
            least = min(term_1(group, record) for group in ends)
            return abs(least + (1 - 1 / size) / (n - groups)) < 1e-12

        return everywhere(SHAPES, holds, lambda shape: f"not at n1 = {shape[0]}, n = {shape[1]}, J = {shape[2]}")

    return check


INTERVALS: dict[tuple[int, int], tuple[float, float]] = {
    (0, 0): (0, 1),
    (0, 1): (-1, 0),
    (1, 0): (0, 0),
    (1, 1): (0, 1),
}
"""Where term 1 is said to lie, in units of (1 - 1/n1) / (n - J)."""


def _interval(record: tuple[int, int], ends_only: bool) -> Callable[[Data], Finding]:
    """Whether term 1 lies there at all corners, or at those with k1 = 0 or n1 - 1 alone."""

    def terms(shape: tuple[int, int, int]) -> list[float]:
        cases = [case for case in _own_cases(shape) if not ends_only or case.corner.k1 in (0, shape[0] - 1)]
        return [term_1(case, record) for case in cases]

    def printed(shape: tuple[int, int, int]) -> tuple[float, float]:
        low, high = INTERVALS[record]
        unit = (1 - 1 / shape[0]) / (shape[1] - shape[2])
        return low * unit, high * unit

    def holds(shape: tuple[int, int, int]) -> bool:
        (low, high), found = printed(shape), terms(shape)
        return low - 1e-12 <= min(found) and max(found) <= high + 1e-12

    def told(shape: tuple[int, int, int]) -> str:
        (low, high), found = printed(shape), terms(shape)
        ours = f"from {min(found):.4g} to {max(found):.4g}"
        return f"at {_told_shape(shape)} it goes {ours}, and print has {low:.4g} to {high:.4g}"

    def check(_: Data) -> Finding:
        return everywhere([(4, 6, 2), *SHAPES], holds, told)

    return check


def _largest_products(sizes: tuple[int, ...]) -> float:
    """The largest sum of products about means over groups of these sizes, both variables between 0 and 1."""
    return sum(max(products(records_of(corner)) for corner in corners(size + 1)) for size in sizes)


def _told_shape(case: tuple[int, int, int]) -> str:
    return f"n1 = {case[0]}, n = {case[1]}, J = {case[2]}"


CLAIMS: list[Claim] = [
    *_cases(),
    statement(
        "section 5, Def 2, (0, 1), in bounds",
        "the record whose first term falls to -(1 - 1/n1) / (n - J)",
        "(c11, c20)",
        _swapped(swap=False),
        "P3-f",
        slips=(("of (c10, c21), with which it is exchanged", _swapped(swap=True)),),
    ),
    *(
        statement(
            f"section 5, Def 2, ({record[0]}, {record[1]}), interval",
            "where the first term lies, in units of (1 - 1/n1) / (n - J)",
            f"from {INTERVALS[record][0]} to {INTERVALS[record][1]}",
            _interval(record, ends_only=False),
            "P3-f",
            readings=(("at k1 = 0 and k1 = n1 - 1", _interval(record, ends_only=True)),),
        )
        for record in RECORDS
    ),
    formula(
        "section 5, Def 2, second term",
        "how large the sum of products in all other groups may be, bounds 0 and 1",
        "(n - n1) / 4",
        printed=lambda sizes: sum(sizes) / 4,
        true=_largest_products,
        cases=[(2,), (3,), (4, 2), (5, 3, 2)],
        relation="is at least",
        told=lambda sizes: f"other groups of {', '.join(map(str, sizes))}",
    ),
    formula(
        "section 5, Def 2, first term",
        "its largest absolute value, bounds 0 and 1",
        "(1 - 1/n1) / (n - J)",
        printed=lambda case: (1 - 1 / case[0]) / (case[1] - case[2]),
        true=_most,
        cases=SHAPES,
        told=_told_shape,
    ),
]
