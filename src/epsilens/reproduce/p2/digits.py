"""What the printed numbers of Tables 1 to 3 say of themselves: of how many whole numbers they are averages."""

from __future__ import annotations

import math
from collections.abc import Iterable

from epsilens.avoidance import published
from epsilens.reproduce.claims import Claim, Finding, Place, Statement
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.means import REPETITIONS
from epsilens.reproduce.p2.section_3 import EPSILONS
from epsilens.reproduce.p2.tables import TITLES, told

WITH_A_LAW = ("laplace", "discrete-gaussian", "dp-suppression", "dp-swapping")
_CHANCE = 1e-6
"""So unlikely is not by chance."""
_DECIMALS = 1000
_ROUNDING = 1e-6


def printed_numbers(names: Iterable[str]) -> list[float]:
    """The printed biases and alphas of some systems, of all three tables."""
    return [
        number
        for _, table in published.PUBLISHED_TABLES.values()
        for name in names
        for numbers in table[name].values()
        for number in numbers[1:]
    ]


def multiples(numbers: list[float], of: float) -> int:
    """How many of the numbers are whole multiples of 1 / ``of``."""
    return sum(abs(number * of - round(number * of)) < _ROUNDING for number in numbers)


def averages(names: tuple[str, ...], repetitions: int) -> Finding:
    """Whether numbers look like averages of so many whole numbers, and not of ten times fewer.

    An average of n whole numbers is a multiple of 1 / n; it is one of 10 / n by chance in one case of ten.
    """
    numbers = printed_numbers(names)
    fine, coarse = multiples(numbers, repetitions), multiples(numbers, repetitions / 10)
    who = ", ".join(TITLES[name] for name in names)
    seen = f"of {len(numbers)} numbers of {who}, {fine} are multiples of 1/{repetitions}"
    if coarse == len(numbers) and 0.1**coarse < _CHANCE:
        return Finding(False, f"{seen}, and all of 1/{repetitions // 10}, which by chance one of ten would be")
    return Finding(fine == len(numbers), f"{seen}, {coarse} of 1/{repetitions // 10}")


def fractions_of_people() -> Finding:
    """Whether averages of Laplace counts are no oftener multiples of 1/200 than other numbers of three decimals."""
    numbers = printed_numbers(("laplace",))
    found, one_in = multiples(numbers, REPETITIONS), _DECIMALS // REPETITIONS
    return Finding(
        found < len(numbers) or one_in**-found > _CHANCE,
        f"{found} of {len(numbers)} numbers are multiples of 1/{REPETITIONS}, as averages of whole numbers are; of "
        f"other numbers with three decimals one in {one_in} would be",
    )


def whole_people() -> Finding:
    """Whether they are averages of whole numbers."""
    numbers = printed_numbers(("laplace",))
    found = multiples(numbers, REPETITIONS)
    return Finding(found == len(numbers), f"{found} of {len(numbers)} are multiples of 1/{REPETITIONS}")


def one_way_of_writing() -> Finding:
    """Whether deltas are all rounded to three decimals, or all cut off after them."""
    rounded, cut = list[str](), list[str]()
    for epsilon in EPSILONS:
        for name, delta in (
            ("dp-swapping", published.swapping_delta(epsilon, LEVELS)),
            ("dp-k-anonymity", published.k_anonymity_delta(epsilon, _DECIMALS)),
            ("discrete-gaussian", published.discrete_gaussian_delta(epsilon)),
        ):
            printed = published.PUBLISHED_TABLE[name][epsilon][0]
            down, near = math.floor(_DECIMALS * delta) / _DECIMALS, round(delta, 3)
            if near != down and printed in (near, down):
                (rounded if printed == near else cut).append(f"{delta:.5f} is printed as {told(printed)}")
    if rounded and cut:
        return Finding(False, f"{rounded[0]}, and {cut[0]}")
    return Finding(True, f"all {len(rounded) + len(cut)} for which it matters are alike")


CLAIMS: list[Claim] = [
    Statement(
        Place("P2", "section 7, repetitions", "of how many releases the numbers are averages", "P2-15"),
        "all numbers are averages of 200 repetitions",
        lambda _: averages(("dp-k-anonymity",), REPETITIONS),
        (("for all systems but DP k-anonymity", lambda _: averages(WITH_A_LAW, REPETITIONS)),),
    ),
    Statement(
        Place("P2", "section 7, post-processing", "what is done to noisy counts", "P2-15"),
        "noisy counts are only projected into the non-negative orthant",
        lambda _: fractions_of_people(),
        (("if Laplace counts are rounded to whole people as well", lambda _: whole_people()),),
    ),
    Statement(
        Place("P2", "Table 1, delta", "how its digits are written", "P2-2", in_print=False),
        "the deltas are all rounded, or all cut off, to three decimals",
        lambda _: one_way_of_writing(),
    ),
]
