"""Section 3.2 up to Definition 6: what may become of a cell, and the local risk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from epsilens.homogeneity.local import SCENARIOS, local_risks, match_weights, scenario_probabilities
from epsilens.reproduce.claims import Claim, Finding, Formula, Number, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import HOMOGENEOUS, MORE_LABELS, TWO_LABELS, Case, cells_with_noise, laws, listed
from epsilens.reproduce.p0.enumeration import Cell, Law, outcomes, risk, scenario, scenario_chance, tables
from epsilens.reproduce.p0.tables import subset
from epsilens.reproduce.printed import Printed

P0 = partial(Place, "P0")
CELLS = (*HOMOGENEOUS, *TWO_LABELS, *MORE_LABELS)
CASES = [*cells_with_noise("laplace", CELLS), *cells_with_noise("gaussian", CELLS)]
EXAMPLE: Cell = (5, 95)
"""Print's cell of 100 records, of which 5 have one label and 95 the other."""
BALANCED: tuple[Cell, ...] = ((10, 10), (20, 20), (9, 9, 9), (15, 10))
CLOSE = 0.05
"""A difference of risks that print calls slight (section 5.2)."""


def scenario_of(number: int) -> Formula:
    """The probability of one scenario, ours against all sets of labels that the cell may show."""
    homogeneous = number <= 4
    cases = [case for case in CASES if (sum(n > 0 for n in case.cell) == 1) == homogeneous]
    return Formula(
        P0(f"Scenario {number}, its probability", SCENARIOS[number - 1]),
        f"P(scenario {number})",
        lambda case: float(scenario_probabilities(np.array([case.cell]), case.law.noise)[0, number - 1]),
        lambda case: scenario_chance(case.cell, case.law, number),
        cases,
    )


def _four_of(numbers: range, homogeneous: bool) -> Finding:
    """Whether exactly these scenarios occur, and nothing else."""
    cells = [cell for cell in CELLS if (sum(n > 0 for n in cell) == 1) == homogeneous]
    seen = {scenario(cell, labels) for cell in cells for labels, _ in outcomes(cell, Law("laplace", 1.0))}
    sums = [
        scenario_probabilities(np.array([case.cell]), case.law.noise)[0, list(numbers)].sum()
        for case in CASES
        if case.cell in cells
    ]
    worst = max(abs(total - 1.0) for total in sums)
    return Finding(
        seen == {n + 1 for n in numbers} and worst < 1e-12,
        f"scenarios {', '.join(map(str, sorted(seen)))} occur, and their probabilities add up to 1 within {worst:.1g}",
    )


def _share(label: int) -> float:
    """The share of the example's people who have the label that is shown."""
    return float(match_weights(np.array([EXAMPLE]), "share")[0, label])


def _pairs(cells: Iterable[Cell], more_unbalanced: Callable[[Cell, Cell], bool]) -> list[tuple[Cell, Cell]]:
    known = list(cells)
    return [(a, b) for a in known for b in known if more_unbalanced(a, b)]


def _majorises(a: Cell, b: Cell) -> bool:
    """Whether the counts of ``a``, largest first, add up to more than those of ``b`` at every step."""
    if a == b or sum(a) != sum(b):
        return False
    sums = zip(np.cumsum(sorted(a, reverse=True)), np.cumsum(sorted(b, reverse=True)), strict=True)
    return all(x >= y for x, y in sums)


def unbalanced(cells: Iterable[Cell]) -> Finding:
    """Whether the more unbalanced of two cells of the same size is in scenario 8 more often."""
    checked = 0
    for law in (*laws("laplace"), *laws("gaussian")):
        for a, b in _pairs(cells, _majorises):
            checked += 1
            first, second = (scenario_chance(cell, law, 8) for cell in (a, b))
            if first < second - 1e-12:
                return Finding(
                    False,
                    f"at {law} the counts {listed(a)} show one of their labels alone with probability {first:.4g}, "
                    f"the counts {listed(b)}, which are less unbalanced, with {second:.4g}",
                )
    return Finding(True, f"in all of {checked} pairs of cells and noises")


def _heterogeneous(size: int, labels: int) -> list[Cell]:
    return [cell for cell in tables(size, labels) if sum(n > 0 for n in cell) > 1 and list(cell) == sorted(cell)[::-1]]


def _two_labels(_: Data) -> Finding:
    return unbalanced([cell for size in range(2, 25) for cell in _heterogeneous(size, 2)])


def _three_labels(_: Data) -> Finding:
    return unbalanced([cell for size in range(3, 11) for cell in _heterogeneous(size, 3)])


def _good_enough(data: Data) -> Finding:
    """How far the published average is above Eq. (7) on the Bankruptcy subset, over print's range of epsilon."""
    from epsilens.homogeneity.measures import prepare_local
    from epsilens.noise import LaplaceNoise
    from epsilens.reproduce.p0.tables import ready

    table = subset(data)
    bound, share = ready(data, table, "published-local"), prepare_local(table, "share")
    grid = 10.0 ** np.arange(-3.0, 2.01, 0.1)

    def apart(epsilon: float) -> float:
        noise = LaplaceNoise(1.0 / epsilon)
        return max(bound.average(noise, weighted) - share.average(noise, weighted) for weighted in (False, True))

    gaps = [apart(float(epsilon)) for epsilon in grid]
    worst = int(np.argmax(gaps))
    return Finding(
        max(gaps) <= CLOSE,
        f"on the Bankruptcy subset the average bound is up to {gaps[worst]:.3f} above what Eq. (7) gives "
        f"(epsilon = {grid[worst]:.3g}); {CLOSE} would be slight",
    )


def _improbable(_: Data) -> Finding:
    """Whether scenario 8 has a low probability in large balanced cells, and a higher one where print excepts it."""
    usual = [Case(Law("laplace", epsilon), cell) for cell in BALANCED for epsilon in (1.0, 3.0, 10.0)]
    worst = max(usual, key=lambda case: scenario_chance(case.cell, case.law, 8))
    most = scenario_chance(worst.cell, worst.law, 8)
    others = (
        ("an unbalanced cell", (19, 1), 1.0),
        ("a small one", (1, 1), 1.0),
        ("a low privacy loss", (10, 10), 0.01),
    )
    chances = {name: scenario_chance(each, Law("laplace", epsilon), 8) for name, each, epsilon in others}
    return Finding(
        most <= CLOSE < min(chances.values()),
        f"at most {most:.2g} ({worst}); " + ", ".join(f"{chance:.2f} with {name}" for name, chance in chances.items()),
    )


def _only_a_bound(_: Data) -> Finding:
    """Whether the exact risk is beyond reach where several labels are present: ours against the enumeration."""
    cases = [case for case in CASES if sum(n > 0 for n in case.cell) > 1]
    apart = max(abs(_local(case) - risk(case.cell, case.law)) for case in cases)
    return Finding(
        apart > 1e-9,
        f"sum over labels present of a_k times the product of (1 - a_j), a_k = P(noise >= 1/2 - n_k), is exact: it is "
        f"within {apart:.1g} of an enumeration in all of {len(cases)} cases",
    )


def _local(case: Case, match: str = "any") -> float:
    return float(local_risks(np.array([case.cell]), case.law.noise, match)[0])


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P0("Scenarios 1 to 4, all of them", "what may become of a homogeneous cell"),
        "four outcomes, of which one occurs",
        lambda _: _four_of(range(4), homogeneous=True),
    ),
    Statement(
        P0("Scenarios 5 to 8, all of them", "what may become of a heterogeneous cell"),
        "four outcomes, of which one occurs",
        lambda _: _four_of(range(4, 8), homogeneous=False),
    ),
    *(scenario_of(number) for number in range(1, 9)),
    Number(
        P0("Scenario 8, right in the example", "people of the example whose label is the one shown"),
        Printed("95%"),
        lambda _: _share(1),
    ),
    Number(
        P0("Scenario 8, wrong in the example", "people of the example whose label is not the one shown"),
        Printed("5%"),
        lambda _: 1.0 - _share(1),
    ),
    Statement(
        P0("Scenario 8, when it is probable", "the probability of scenario 8 in balanced cells of 20 people and more"),
        "it is low unless a cell is highly unbalanced or small, or the privacy loss is low",
        _improbable,
    ),
    Statement(
        P0("Scenario 8, unbalanced cells of two labels", "how its probability depends on the balance of the labels"),
        "the more unbalanced a cell, the likelier scenario 8",
        _two_labels,
    ),
    Statement(
        P0("Scenario 8, unbalanced cells of three labels", "how its probability depends on the balance", "P0-1"),
        "the more unbalanced a cell, the likelier scenario 8",
        _three_labels,
    ),
    Formula(
        P0("Eq. (6), homogeneous cells", "the local risk of a homogeneous cell"),
        "P(a single label is shown and it is the cell's)",
        _local,
        lambda case: risk(case.cell, case.law),
        [case for case in CASES if sum(n > 0 for n in case.cell) == 1],
    ),
    Formula(
        P0("Eq. (6), heterogeneous cells", "P(a single label is shown and somebody has it), which is called a bound"),
        "the risk that Eq. (7) defines is at most that of Eq. (6)",
        _local,
        lambda case: risk(case.cell, case.law, "share"),
        [case for case in CASES if sum(n > 0 for n in case.cell) > 1],
        relation="is at least",
    ),
    Formula(
        P0("Eq. (7), share of the people", "the risk that counts those whose label is shown"),
        "E[(n_k / n) 1(k is the only label shown)]",
        lambda case: _local(case, "share"),
        lambda case: risk(case.cell, case.law, "share"),
        CASES,
    ),
    Statement(
        P0(
            "Eq. (6), a bound is needed", "what can be had for heterogeneous cells, here and before Corollary 2", "P0-2"
        ),
        "where scenario 8 occurs there is a bound only, no exact risk",
        _only_a_bound,
    ),
    Statement(
        P0("Eq. (6), good enough", "how good the bound is for a whole table", "P0-22"),
        f"it is slightly above the risk that Eq. (7) defines, by {CLOSE} at most",
        _good_enough,
    ),
)
