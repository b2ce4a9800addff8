"""Section 5.3 with Figure 4: total variation distance of the marginals of the Bankruptcy subset.

As in the authors' public code, the counts of the 78 cells get noise, are clipped and rounded, and each distance is an
average over 100 releases; a box stands for the marginals of so many attributes.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.curves import FEW, TITLES, Mechanism, noise_of
from epsilens.reproduce.p0.experiments import count, levels
from epsilens.utility.marginals import total_variation

P0 = partial(Place, "P0")
RELEASES = 100
SEED = 20230
EPSILONS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
JUST_BELOW_ONE = 0.999
"""Stands for print's 1, at which the classic Gaussian mechanism has no proof."""
BELOW_ONE = (0.001, 0.01, 0.1, JUST_BELOW_ONE)
WAYS = (1, 2, 3)
SMALL = (0.001, 0.01, 0.1)


def columns(data: Data) -> tuple[str, ...]:
    """The six attributes of the subset."""
    table = tables.subset(data)
    return (*table.quasi_identifiers, *table.sensitive)


def marginals(data: Data, ways: int) -> list[tuple[str, ...]]:
    """All marginals of so many attributes."""
    from epsilens.utility.marginal_distance import all_marginals

    return all_marginals(columns(data), (ways,))


def number(ways: int, data: Data) -> float:
    """How many marginals of so many attributes there are."""
    return float(len(marginals(data, ways)))


def distances(data: Data, mechanism: Mechanism, epsilon: float, delta: float | None) -> dict[int, FloatArray]:
    """The average distance of every marginal, by its number of attributes."""

    def found() -> dict[int, FloatArray]:
        from epsilens.utility.marginal_distance import distance_draws

        table, noise = tables.subset(data), noise_of(mechanism, epsilon, delta)
        chosen = [marginal for ways in WAYS for marginal in marginals(data, ways)]
        rng = np.random.default_rng(SEED)
        means = distance_draws(table, noise, rng, chosen, repetitions=RELEASES).mean(axis=1)
        return {ways: means[[len(marginal) == ways for marginal in chosen]] for ways in WAYS}

    return data.once(("distances", mechanism, epsilon, delta), found)


def epsilons_of(mechanism: Mechanism) -> tuple[float, ...]:
    """The epsilons of Figure 4."""
    return BELOW_ONE if mechanism == "gaussian" else EPSILONS


def deltas_of(mechanism: Mechanism) -> tuple[float | None, ...]:
    """The deltas of Figure 4."""
    return (None,) if mechanism == "laplace" else FEW


def median(data: Data, mechanism: Mechanism, epsilon: float, delta: float | None, ways: int) -> float:
    """The middle of a box."""
    return float(np.median(distances(data, mechanism, epsilon, delta)[ways]))


def drops(start: float, end: float, data: Data) -> Finding:
    """Whether the median distance falls more between two epsilons than in any decade below .1."""
    seen = ""
    for mechanism, title in TITLES.items():
        if end > max(epsilons_of(mechanism)):
            continue
        for delta in deltas_of(mechanism):
            for ways in WAYS:
                below, before, after = (
                    [median(data, mechanism, e, delta, ways) for e in those] for those in (SMALL, [start], [end])
                )
                drop, earlier = before[0] - after[0], -float(np.diff(below).min())
                if drop <= earlier:
                    return Finding(False, f"{title}, {ways}-way: by {drop:.3f}, and by {earlier:.3f} before")
                seen = seen or f"{title}, {ways}-way: from {before[0]:.3f} to {after[0]:.3f}"
    return Finding(True, f"under every mechanism, such as {seen}")


def effect_of_delta(data: Data, mechanism: Mechanism, ways: int) -> dict[float, float]:
    """How far the medians of the deltas are apart, at each epsilon."""
    return {
        epsilon: float(np.ptp([median(data, mechanism, epsilon, delta, ways) for delta in FEW]))
        for epsilon in epsilons_of(mechanism)
    }


def delta_at_one(mechanism: Mechanism, data: Data) -> Finding:
    """Where delta moves the medians most."""
    places = {}
    for ways in WAYS:
        effect = effect_of_delta(data, mechanism, ways)
        places[ways] = max(effect, key=effect.__getitem__)
    seen = ", ".join(f"{ways}-way at {epsilon:g}" for ways, epsilon in places.items())
    return Finding(all(0.1 < epsilon < 10.0 for epsilon in places.values()), f"most: {seen}")


def delta_matters_less(data: Data) -> Finding:
    """Whether delta moves the medians less than epsilon does."""
    mechanisms: tuple[Mechanism, ...] = ("gaussian", "probabilistic")
    ratios = []
    for mechanism in mechanisms:
        for ways in WAYS:
            of_delta = max(effect_of_delta(data, mechanism, ways).values())
            medians = [[median(data, mechanism, e, d, ways) for e in epsilons_of(mechanism)] for d in FEW]
            ratios.append(of_delta / max(float(np.ptp(each)) for each in medians))
    return Finding(max(ratios) < 1.0, f"delta moves the medians by up to {max(ratios):.0%} of what epsilon does")


def half_of_l1(case: tuple[tuple[int, ...], tuple[int, ...]]) -> float:
    """Our total variation distance."""
    return total_variation(*case)


def largest_event(case: tuple[tuple[int, ...], tuple[int, ...]]) -> float:
    """The largest difference of the probabilities of any set of cells."""
    first, second = ([n / sum(counts) for n in counts] for counts in case)
    cells = range(len(first))
    sets = [chosen for size in range(len(first) + 1) for chosen in combinations(cells, size)]
    return max(abs(math.fsum(first[k] - second[k] for k in chosen)) for chosen in sets)


def draw(data: Data) -> Drawing:
    """Boxes of distances against epsilon: a row for each mechanism, a column for each number of attributes."""
    panels = [_panel(data, mechanism, ways) for mechanism in TITLES for ways in WAYS]
    low, high = (median(data, "laplace", epsilon, None, 3) for epsilon in (0.1, 10.0))
    at_one = ", ".join(f"{median(data, 'laplace', 1.0, None, ways):.3f}" for ways in WAYS)
    says = (
        f"Under Laplace noise the median distance of 3-way marginals falls from {low:.3f} at epsilon = .1 to "
        f"{high:.3f} at 10; at 1 the medians of 1-, 2- and 3-way marginals are {at_one}. Under (epsilon, delta)-DP "
        f"{JUST_BELOW_ONE:g} stands for 1."
    )
    return Drawing("P0", "Figure 4", "total variation distance of marginals", panels, says, columns=3)


def _panel(data: Data, mechanism: Mechanism, ways: int) -> Panel:
    boxes = []
    for delta in deltas_of(mechanism):
        points = [
            ("1" if epsilon == JUST_BELOW_ONE else f"{epsilon:g}", float(value))
            for epsilon in epsilons_of(mechanism)
            for value in distances(data, mechanism, epsilon, delta)[ways]
        ]
        name = "Laplace" if delta is None else f"delta = {delta:g}"
        boxes.append(Series(name, [x for x, _ in points], [y for _, y in points]))
    return Panel(f"{TITLES[mechanism]}, {ways}-way", "epsilon", "distance", boxes, "box")


CLAIMS: tuple[Claim, ...] = (
    *(
        count(
            f"section 5.3, {ways}-way marginals", f"marginals of {ways} of six attributes", text, partial(number, ways)
        )
        for ways, text in zip(WAYS, ("6", "15", "20"), strict=True)
    ),
    count("footnote 8, levels of Cr", "categories of Cr", "3", lambda data: levels(tables.subset(data))["CR"]),
    count(
        "footnote 8, cells of Cr and Co",
        "cells of the cross-tabulation of Cr and Co",
        "9",
        lambda data: levels(tables.subset(data))["CR"] * levels(tables.subset(data))["CO"],
    ),
    Formula(
        P0("footnote 8, total variation", "half the sum of absolute differences of probabilities"),
        "|p - q|_1 / 2 is the largest difference of the probabilities of any event",
        half_of_l1,
        largest_event,
        [((3, 1, 2), (1, 1, 4)), ((5, 0, 0, 1), (2, 2, 1, 7)), ((1, 1), (1, 1)), ((9, 4, 1, 1, 2), (1, 8, 2, 2, 2))],
    ),
    Statement(
        P0("section 5.3, from .1 to 1", "the median distance between epsilon = .1 and 1"),
        "it drops notably: more than in any decade below .1",
        partial(drops, 0.1, JUST_BELOW_ONE),
    ),
    Statement(
        P0("section 5.3, from 1 to 10", "the median distance between epsilon = 1 and 10"),
        "it drops notably: more than in any decade below .1",
        partial(drops, 1.0, 10.0),
    ),
    Statement(
        P0("section 5.3, delta in (epsilon; delta)-DP", "where delta moves the distances most"),
        "around epsilon = 1",
        partial(delta_at_one, "gaussian"),
    ),
    Statement(
        P0("section 5.3, delta in (epsilon; delta)-pDP", "where delta moves the distances most"),
        "around epsilon = 1",
        partial(delta_at_one, "probabilistic"),
    ),
    Statement(
        P0("section 5.3, delta beside epsilon", "the effect of delta on the distances beside that of epsilon"),
        "it is smaller",
        delta_matters_less,
    ),
)
FIGURES = (Figure("P0", "Figure 4", draw),)
