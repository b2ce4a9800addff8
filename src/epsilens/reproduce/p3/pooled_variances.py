"""P3, section 4: the pooled variance, every line of its derivation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.reproduce.claims import Claim, Finding, Formula, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.setting import BOUNDS, NEIGHBOURS, TRIED, Check, formula, searched, statement
from epsilens.reproduce.p3.variances import largest_variance
from epsilens.sensitivity import published

Groups: TypeAlias = list[FloatArray]
"""Records by group, a row for each; in the first group the first record is left out, or replaced by the last one."""
Line: TypeAlias = Callable[[Groups], float]

SIZES = ((2, 2), (2, 3), (3, 3), (2, 4), (2, 2, 2), (2, 2, 3))
FEW = 6
"""Records so few that a search under other bounds takes no time."""
PAIRS = tuple(sizes for sizes in SIZES if sum(sizes) == 2 * len(sizes))
MOVED = SIZES[:4]
"""Those at which a record that may go to another group is looked for."""
LARGER = tuple(sizes for sizes in SIZES if sizes not in PAIRS)


def group_samples(seed: int, variables: int = 1) -> list[Groups]:
    """Groups of uniform records, the same ones at every run."""
    rng = np.random.default_rng(seed)
    shapes = ((4, 2), (3, 3, 2), (5, 4), (3, 2, 2, 6))
    return [[rng.random((size, variables)) for size in shapes[k % len(shapes)]] for k in range(TRIED)]


def products(group: FloatArray) -> float:
    """The sum of products about the means; of one variable with itself of squares."""
    centred = group - group.mean(axis=0)
    return float((centred[:, 0] * centred[:, -1]).sum())


def pooled(groups: Groups) -> float:
    """From its definition."""
    return sum(map(products, groups)) / (sum(map(len, groups)) - len(groups))


def without_first(groups: Groups) -> Groups:
    """The neighbour under Def 2."""
    return [groups[0][1:], *groups[1:]]


def _replaced(groups: Groups) -> tuple[Groups, Groups]:
    """Neighbours under Def 1: the last record of the first group is what its first record becomes."""
    first = groups[0][:-1]
    other = first.copy()
    other[0] = groups[0][-1]
    return [first, *groups[1:]], [other, *groups[1:]]


def removed(groups: Groups) -> float:
    """The pooled statistic less that without the first record."""
    return pooled(groups) - pooled(without_first(groups))


def _replacement(groups: Groups) -> float:
    one, other = _replaced(groups)
    return pooled(one) - pooled(other)


def _inside_first_group(groups: Groups) -> float:
    """The last line under Def 1: the change of the variance of the first group alone."""
    one, other = _replaced(groups)
    n, n1 = sum(map(len, one)), len(one[0])
    return (n1 - 1) / (n - len(one)) * (products(one[0]) - products(other[0])) / (n1 - 1)


def removal_lines() -> dict[str, Line]:
    """Under Def 2; a and b are the sums of squares of the first group with and without the record, r of the others."""

    def parts(groups: Groups) -> tuple[int, int, float, float, float]:
        n, j = sum(map(len, groups)), len(groups)
        return n, j, products(groups[0]), products(groups[0][1:]), sum(map(products, groups[1:]))

    def first(groups: Groups) -> tuple[int, float, float, float, float]:
        """Size, record left out, mean and sum of squares of the others, and sum of squares of all."""
        x = groups[0][:, 0]
        return len(x), float(x[0]), float(x[1:].mean()), float((x[1:] ** 2).sum()), float((x**2).sum())

    def line_1(groups: Groups) -> float:
        n, j, a, b, r = parts(groups)
        return ((n - 1 - j) * (r + a) - (n - j) * (r + b)) / ((n - j) * (n - 1 - j))

    def line_2(groups: Groups) -> float:
        n, j, a, b, r = parts(groups)
        return ((n - 1 - j) * a - (n - j) * b - r) / ((n - j) * (n - 1 - j))

    def line_3(groups: Groups) -> float:
        n, j, a, b, r = parts(groups)
        return ((n - 1 - j) * a - (n - j) * b + b) / ((n - j) * (n - 1 - j)) - (b + r) / ((n - j) * (n - 1 - j))

    def line_4(groups: Groups) -> float:
        n, j, a, b, _ = parts(groups)
        return (a - b) / (n - j) - pooled(without_first(groups)) / (n - j)

    def line_5(groups: Groups) -> float:
        n, j, *_ = parts(groups)
        n1, x, m, q, every = first(groups)
        inside = every - ((n1 - 1) * m + x) ** 2 / n1 - q + (n1 - 1) * m**2
        return (inside - pooled(without_first(groups))) / (n - j)

    def line_6(groups: Groups) -> float:
        n, j, *_ = parts(groups)
        n1, x, m, *_ = first(groups)
        inside = (1 - 1 / n1) * x**2 + (1 - 1 / n1) * (m**2 - 2 * m * x)
        return (inside - pooled(without_first(groups))) / (n - j)

    def line_7(groups: Groups) -> float:
        n, j, *_ = parts(groups)
        n1, x, m, *_ = first(groups)
        return ((1 - 1 / n1) * (x - m) ** 2 - pooled(without_first(groups))) / (n - j)

    named = (line_1, line_2, line_3, line_4, line_5, line_6, line_7)
    return {f"line {k}": line for k, line in enumerate(named, 1)}


SAMPLES = group_samples(4)


def told_groups(groups: Groups) -> str:
    """Sizes in words."""
    return f"groups of {', '.join(str(len(group)) for group in groups)}"


def _line(definition: str, name: str, line: Line, true: Line) -> Formula:
    return formula(
        f"section 4, {definition}, {name}",
        "the pooled variance less that of a neighbour",
        "its right side",
        printed=line,
        true=true,
        cases=SAMPLES,
        told=told_groups,
    )


Case: TypeAlias = tuple[tuple[int, ...], tuple[float, float]]


def _searched(definition: str, moves: bool = False) -> Callable[[Case], float]:
    def largest(case: Case) -> float:
        more = {"may_change_group": True} if moves else {}
        return searched(
            "pooled_variance", NEIGHBOURS[definition], sizes=case[0], lower=case[1][0], upper=case[1][1], **more
        )

    return largest


def _printed(definition: str, exactly: bool = True) -> Callable[[Case], float]:
    """The printed formula, or the shorter one for groups whose sizes are not told."""
    return lambda case: published.pooled_variance(
        case[0], case[1][0], case[1][1], NEIGHBOURS[definition], reveal_largest=exactly
    )


def _sensitivity(
    definition: str,
    name: str,
    text: str,
    sizes: Sequence[tuple[int, ...]],
    departs: str | None = None,
    exactly: bool = True,
    safe: bool = False,
    moves: bool = False,
) -> Formula:
    return formula(
        f"section 4, {definition}, {name}",
        "how far a pooled variance moves between neighbours",
        text,
        departs,
        printed=_printed(definition, exactly),
        true=_searched(definition, moves),
        cases=[(own, bounds) for own in sizes for bounds in BOUNDS[: 2 if sum(own) < FEW else 1]],
        relation="is at least" if safe else "equals",
        told=lambda case: f"sizes {case[0]}, bounds {case[1]}",
    )


def largest_pooled_variance(sizes: Sequence[int]) -> float:
    """Of groups of these sizes between 0 and 1, each at its own largest variance."""
    total = sum((size - 1) * largest_variance(size) for size in sizes if size > 1)
    return total / (sum(sizes) - len(sizes))


def _left(sizes: Sequence[int]) -> tuple[int, ...]:
    return (sizes[0] - 1, *sizes[1:])


def _differ(moves: bool) -> Check:
    """Whether they differ at all sizes; the record that is replaced stays in its group, or may go to another."""
    tried = MOVED if moves else SIZES

    def check(_: Data) -> Finding:
        cases = [(sizes, BOUNDS[0]) for sizes in tried]
        found = [(_searched("Def 1", moves)(case), _searched("Def 2")(case)) for case in cases]
        same = sum(abs(one - two) < 1e-12 for one, two in found)
        values = ", ".join(f"{one:.4g}" if same == len(found) else f"{one:.4g} and {two:.4g}" for one, two in found)
        return Finding(same == 0, f"they are the same at {same} of {len(cases)} sizes: {values}")

    return check


def _largest_group(pairs: bool) -> Check:
    """Eq. (4): whether the largest group exceeds its right side, for the smallest that a largest group can be."""
    cases = [(n, j) for j in range(1, 9) for n in range(2 * j, 6 * j + 3) if n - 1 - j > 0 and (n == 2 * j) == pairs]

    def exceeds(case: tuple[int, int]) -> bool:
        n, j = case
        return -(-n // j) > 1 + 1 / (3 - 4 * j / (n - 1))

    def check(_: Data) -> Finding:
        return everywhere(
            cases, lambda case: exceeds(case) != pairs, lambda case: f"not at n = {case[0]}, J = {case[1]}"
        )

    return check


CLAIMS: list[Claim] = [
    statement(
        "introduction, pooled variance",
        "its sensitivity under the two definitions",
        "they differ",
        _differ(moves=False),
        "P3-b",
        readings=(("where the record that is replaced may change its group", _differ(moves=True)),),
    ),
    _line("Def 1", "last line", _inside_first_group, _replacement),
    _sensitivity("Def 1", "sensitivity", "(c1 - c0)^2 (1 - 1/n_max) / (n - J), within a group", SIZES),
    _sensitivity(
        "Def 1",
        "sensitivity, any attribute replaced",
        "(c1 - c0)^2 (1 - 1/n_max) / (n - J), also where the group is what changes",
        MOVED,
        "P3-a",
        moves=True,
    ),
    _sensitivity("Def 1", "shorter form", "(c1 - c0)^2 / (n - J)", SIZES, exactly=False, safe=True),
    *(_line("Def 2", name, line, removed) for name, line in removal_lines().items()),
    formula(
        "section 4, Def 2, largest pooled variance",
        "of the records that are left, bounds 0 and 1",
        "(n - 1) / (4 (n - 1 - J))",
        "P3-e",
        printed=lambda sizes: (sum(sizes) - 1) / (4 * (sum(sizes) - 1 - len(sizes))),
        true=lambda sizes: largest_pooled_variance(_left(sizes)),
        cases=SIZES,
        told=lambda sizes: f"sizes {_left(sizes)}",
    ),
    formula(
        "section 4, Def 2, largest pooled variance as a bound",
        "of the records that are left, bounds 0 and 1",
        "(n - 1) / (4 (n - 1 - J))",
        "P3-e",
        printed=lambda sizes: (sum(sizes) - 1) / (4 * (sum(sizes) - 1 - len(sizes))),
        true=lambda sizes: largest_pooled_variance(_left(sizes)),
        cases=SIZES,
        relation="is at least",
        told=lambda sizes: f"sizes {_left(sizes)}",
    ),
    formula(
        "section 4, Def 2, Eq. (4)",
        "the comparison of both cases, solved for the largest group",
        "4 (n - 1 - J) / (3 (n - 1) - 4 J) = 1 + 1 / (3 - 4 J / (n - 1))",
        printed=lambda case: 1 + 1 / (3 - 4 * case[1] / (case[0] - 1)),
        true=lambda case: 4 * (case[0] - 1 - case[1]) / (3 * (case[0] - 1) - 4 * case[1]),
        cases=[(n, j) for j in (1, 2, 3, 5) for n in range(2 * j + 1, 2 * j + 9)],
        told=lambda case: f"n = {case[0]}, J = {case[1]}",
    ),
    statement(
        "section 4, Def 2, after Eq. (4)",
        "the largest group beside the right side, n > 2J",
        "it exceeds it",
        _largest_group(pairs=False),
    ),
    statement(
        "section 4, Def 2, exception",
        "the largest group beside the right side, n = 2J",
        "it does not exceed it",
        _largest_group(pairs=True),
    ),
    _sensitivity("Def 2", "sensitivity, n > 2J", "(c1 - c0)^2 (1 - 1/n_max) / (n - J)", LARGER),
    _sensitivity("Def 2", "sensitivity, n = 2J", "(c1 - c0)^2 (n - 1) / (n (n - 2))", PAIRS, "P3-b"),
    _sensitivity(
        "Def 2", "sensitivity, n = 2J, as a bound", "(c1 - c0)^2 (n - 1) / (n (n - 2))", PAIRS, "P3-b", safe=True
    ),
    _sensitivity("Def 2", "shorter form", "(c1 - c0)^2 / (n - J), n > 2J", LARGER, exactly=False, safe=True),
]
