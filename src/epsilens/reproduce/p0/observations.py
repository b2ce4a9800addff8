"""Abstract and section 5: what print sees in its three experiments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from epsilens.noise import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.curves import (
    ADULT,
    AS_PRINTED,
    AVERAGES,
    BANKRUPTCY,
    DESCRIBED,
    PAIRS,
    REACHED,
    SLIGHT,
    SUBSET,
    TITLES,
    Curve,
    Experiment,
    Mechanism,
    all_curves,
    curve,
    curves,
    limit,
    worst_of,
)
from epsilens.reproduce.p0.experiments import AS_PAIRS

P0 = partial(Place, "P0")
MEASURED = "P0-22"
"""The entry on what print reads from its curves."""
A_QUARTER = 0.25
RELEASES = 500
"""How often the tables were sanitized in P1; P0 does not say."""
RISING: tuple[Mechanism, ...] = ("laplace", "probabilistic")
"""The mechanisms whose curves are whole."""


def exact_values(data: Data) -> Finding:
    """Whether believing a released cell that shows a single income is right."""
    from epsilens.homogeneity.belief import belief

    table = tables.adult(data)
    found = {epsilon: belief(table, LaplaceNoise(1.0 / epsilon)) for epsilon in (1.0, 0.001)}
    seen = "; ".join(
        f"at epsilon = {epsilon:g} {each.right:.1%} of people are shown rightly and {each.wrong:.1%} wrongly: "
        f"believing is right {each.precision:.0%} of the time"
        for epsilon, each in found.items()
    )
    certain = all(each.wrong < 1e-9 for each in found.values())
    return Finding(certain, f"{seen}; guessing the commoner income is right {found[1.0].guessing:.0%} of the time")


def never_vanishes(data: Data) -> Finding:
    """Whether the exact risk stays away from 0 as epsilon tends to 0, and is what the labels say."""
    seen, right = [], True
    for experiment in (ADULT, BANKRUPTCY, SUBSET):
        table = experiment.table(data)
        predicted = float((table.counts > 0).sum(axis=1).mean() * 2.0**-table.n_labels)
        found = limit(experiment, False, True, True, data)
        right = right and abs(found - predicted) < 1e-4
        seen.append(f"{experiment.name.split(',')[0]} {found:.4f}")
    return Finding(right, f"it tends to the number of labels present over 2^K, over cells: {'; '.join(seen)}")


def low_for_small(data: Data) -> Finding:
    """Whether a small epsilon makes the risk low: less than half of what it is without noise."""
    ratios, seen = [], []
    for weighted in AVERAGES:
        small = ADULT.at(data, LaplaceNoise(1e3), weighted, exact=True)
        without = limit(ADULT, weighted, False, True, data)
        ratios.append(small / without)
        seen.append(f"{small:.4f} over {AVERAGES[weighted]} ({without:.4f} without noise)")
    return Finding(
        max(ratios) < 0.5, f"at epsilon = .001 the risk of the Adult data is {' and '.join(seen)}, Laplace noise"
    )


def good_at_one(data: Data) -> Finding:
    """Whether epsilon = 1 takes away more than half of the risk without noise, of the experiments as printed."""
    found = [
        (each.at(data, LaplaceNoise(1.0), weighted) / limit(each, weighted, False, False, data), each, weighted)
        for each in AS_PRINTED
        for weighted in AVERAGES
    ]
    worst, whose, over = max(found, key=lambda each: each[0])
    of_pairs = [PAIRS.at(data, LaplaceNoise(1.0), weighted) for weighted in AVERAGES]
    return Finding(
        worst < 0.5,
        f"under Laplace noise it is up to {worst:.0%} of that without noise ({whose.name}, over {AVERAGES[over]}); of "
        f"the Adult data as counted it is {of_pairs[0]:.3f} over cells and {of_pairs[1]:.3f} over people",
    )


def mitigates(experiments: Sequence[Experiment], data: Data) -> Finding:
    """Whether the printed risk under noise is never above that of the table as it is."""
    for experiment in experiments:
        for weighted in AVERAGES:
            without = limit(experiment, weighted, False, False, data)
            for mechanism, title in TITLES.items():
                for found in curves(data, experiment, mechanism, weighted).values():
                    if (most := float(found.risks.max())) > without + 1e-9:
                        return Finding(
                            False,
                            f"{experiment.name}, over {AVERAGES[weighted]}: {without:.4f} without noise, and up to "
                            f"{most:.4f} with that of the mechanism {title}",
                        )
    return Finding(True, "in all experiments and averages, under all three mechanisms")


def near_minimum(experiments: Sequence[Experiment], data: Data) -> Finding:
    """How far above its lower end a curve is at epsilon = .1."""
    found = all_curves(data, experiments, RISING)
    worst, whose = worst_of(found, lambda each: each.at(0.1) - float(each.risks.min()))
    return Finding(worst <= SLIGHT, f"at epsilon = .1 it is up to {worst:.3f} above it ({whose})")


def half_way(experiments: Sequence[Experiment], data: Data) -> Finding:
    """Which share of a curve's rise is over at epsilon = 1."""

    def share(each: Curve) -> float:
        return float((each.at(1.0) - each.risks[0]) / (each.risks[-1] - each.risks[0]))

    worst, whose = worst_of(all_curves(data, experiments, RISING), share)
    return Finding(worst < 0.5, f"at epsilon = 1 up to {worst:.0%} of the rise is over ({whose})")


def largest_decade(
    low: float, high: float, mechanisms: Sequence[Mechanism], experiments: Sequence[Experiment], data: Data
) -> Finding:
    """Whether curves rise more between two epsilons than in any other decade between marks of the axis.

    A decade that begins between two marks may see more of the rise all the same: half a decade up or down is told.
    """
    decades = [(10.0**k, 10.0 ** (k + 1)) for k in range(-3, 2)]
    found = all_curves(data, experiments, mechanisms)
    elsewhere = [
        (name, start)
        for name, each in found
        for start, end in decades
        if not low <= start < high and each.at(end) - each.at(start) >= each.at(high) - each.at(low)
    ]
    if elsewhere:
        return Finding(False, f"{elsewhere[0][0]} rises as much in the decade from {elsewhere[0][1]:g}")
    half = 10.0**0.5

    def rise(each: Curve, start: float) -> float:
        return each.at(10.0 * start) - each.at(start)

    starts = (low * half, low / half)
    more, name, each, start = max(
        ((rise(each, start) - rise(each, low), name, each, start) for name, each in found for start in starts),
        key=lambda one: one[0],
    )
    seen = f"in all of {len(found)} curves"
    if more > 0.0:
        seen += (
            f"; a decade that begins between marks may see more: that from {start:.3g} {rise(each, start):.3f}, "
            f"that from {low:g} {rise(each, low):.3f} ({name})"
        )
    return Finding(True, seen)


def reached(epsilon: float, mechanism: Mechanism, experiments: Sequence[Experiment], data: Data) -> Finding:
    """How far below its upper end a curve is at an epsilon."""
    found = all_curves(data, experiments, (mechanism,))
    worst, whose = worst_of(found, lambda each: float(each.risks[-1]) - each.at(epsilon))
    return Finding(worst <= REACHED, f"at epsilon = {epsilon:g} it is up to {worst:.3f} below it ({whose})")


def spread_over_deltas(data: Data, experiment: Experiment, mechanism: Mechanism, weighted: bool) -> tuple[float, float]:
    """The largest effect of delta at any epsilon, and of epsilon at any delta."""
    risks = np.array([found.risks for found in curves(data, experiment, mechanism, weighted).values()])
    return float(np.ptp(risks, axis=0).max()), float(np.ptp(risks, axis=1).max())


def delta_matters_less(data: Data) -> Finding:
    """Whether delta moves a curve by less than a quarter of what epsilon does."""
    pairs = [spread_over_deltas(data, each, "probabilistic", weighted) for each in AS_PRINTED for weighted in AVERAGES]
    worst = max(of_delta / of_epsilon for of_delta, of_epsilon in pairs)
    return Finding(worst <= A_QUARTER, f"delta moves a curve by up to {worst:.0%} of what epsilon does")


def delta_hardly_matters(data: Data) -> Finding:
    """Whether delta moves no curve by more than a slight difference."""
    mechanisms: tuple[Mechanism, ...] = ("gaussian", "probabilistic")
    worst = max(
        spread_over_deltas(data, each, mechanism, weighted)[0]
        for each in AS_PRINTED
        for weighted in AVERAGES
        for mechanism in mechanisms
    )
    return Finding(worst <= SLIGHT, f"between the deltas of Figure 3 the risk differs by up to {worst:.3f}")


def alike(weighted: bool, adult: Experiment, data: Data) -> Finding:
    """How far the curves of the Adult and of the Bankruptcy data are apart, mechanism by mechanism, delta by delta."""
    worst, where = 0.0, ""
    for mechanism, title in TITLES.items():
        ours, theirs = (curves(data, each, mechanism, weighted) for each in (adult, BANKRUPTCY))
        for delta, found in theirs.items():
            gaps = np.abs(found.risks - ours[delta].risks)
            k = int(np.argmax(gaps))
            if gaps[k] > worst:
                worst, where = float(gaps[k]), f"{title}, epsilon = {found.epsilons[k]:.2g}"
    return Finding(worst <= SLIGHT, f"they are up to {worst:.3f} apart ({where})")


def as_simulated(experiment: Experiment, data: Data) -> Finding:
    """Whether the printed curve is what simulated releases would average to, within four standard errors."""
    gap, error, seen = 0.0, 0.0, ""
    for weighted in AVERAGES:
        printed, exact = (curve(data, experiment, "laplace", None, weighted, each) for each in (False, True))
        k = int(np.argmax(np.abs(printed.risks - exact.risks)))
        found = abs(float(printed.risks[k] - exact.risks[k]))
        if not seen or found > gap:
            gap, epsilon = found, float(printed.epsilons[k])
            error = standard_error(data, experiment, epsilon, weighted)
            seen = (
                f"over {AVERAGES[weighted]}, at epsilon = {epsilon:.2g}: {printed.risks[k]:.4f} printed, "
                f"{exact.risks[k]:.4f} expected"
            )
    return Finding(gap <= 4 * error, f"{seen}, with a standard error of {error:.4f} after {RELEASES} releases")


def standard_error(data: Data, experiment: Experiment, epsilon: float, weighted: bool) -> float:
    """Of the average local risk over the releases: the cells show a single right label independently."""
    ready = tables.ready(data, experiment.table(data), experiment.exact)
    chances = ready.risks(LaplaceNoise(1.0 / epsilon))
    spread = ready.weights_of_cells(weighted) ** 2 / ready.multiplicities
    return float(np.sqrt(spread @ (chances * (1.0 - chances)) / RELEASES))


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P0("Abstract, exact values", "what an attacker obtains from released cells that show one income", "P0-10"),
        "the exact value of the target",
        exact_values,
    ),
    Statement(
        P0("Definition 1, small epsilon", "the risk of the Adult data at epsilon = .001", "P0-9"),
        "attaining sensitive information has a low probability: less than half of that without noise",
        low_for_small,
    ),
    Statement(
        P0("Abstract, no privacy loss", "the risk as epsilon tends to 0, and the number of labels"),
        "it does not disappear, and depends on the number of labels",
        never_vanishes,
    ),
    Statement(
        P0("section 5, observation 1", "the printed risk of the three experiments with and without noise", "P0-8"),
        "sanitization lowers it",
        partial(mitigates, DESCRIBED),
        ((AS_PAIRS, partial(mitigates, AS_PRINTED)),),
    ),
    Statement(
        P0("section 5, observation 2, near the minimum", "the risk for epsilon below .1", MEASURED),
        "it is close to its minimum",
        partial(near_minimum, AS_PRINTED),
    ),
    Statement(
        P0("section 5, observation 2, reasonably small", "the risk for epsilon below 1", MEASURED),
        "it is reasonably small: less than half of its rise is over",
        partial(half_way, AS_PRINTED),
    ),
    Statement(
        P0("section 5, observation 2, steepest", "where the risk rises most"),
        "between epsilon = 1 and 10, more than in any other decade between marks of the axis (.001, .01, ...)",
        partial(largest_decade, 1.0, 10.0, RISING, AS_PRINTED),
    ),
    Statement(
        P0("section 5, observation 2, Laplace maximum", "the risk under Laplace noise for epsilon above 10"),
        "it has reached its maximum",
        partial(reached, 10.0, "laplace", AS_PRINTED),
    ),
    Statement(
        P0(
            "section 5, observation 2, Gaussian maximum",
            "the risk under probabilistic Gaussian noise for epsilon above 10",
            MEASURED,
        ),
        "it has reached its maximum",
        partial(reached, 10.0, "probabilistic", AS_PRINTED),
        (("for epsilon above 31.6, as section 5.2 says", partial(reached, 10.0**1.5, "probabilistic", AS_PRINTED)),),
    ),
    Statement(
        P0("section 5, observation 2, delta", "the effect of delta on the risk beside that of epsilon"),
        "it is relatively insignificant: less than a quarter",
        delta_matters_less,
    ),
    *(
        Statement(
            P0(
                f"section 5, observation 3, over {AVERAGES[weighted]}",
                "the curves of the Adult and of the Bankruptcy data",
                "P0-8",
            ),
            "they are similar",
            partial(alike, weighted, ADULT),
            ((AS_PAIRS, partial(alike, weighted, PAIRS)),),
        )
        for weighted in AVERAGES
    ),
    Statement(
        P0("section 5, observation 4", "the effect of delta on the risk", MEASURED),
        "it is negligible",
        delta_hardly_matters,
    ),
    Statement(
        P0("section 5, observation 4 and section 5.3, epsilon", "the risk at epsilon = 1", MEASURED),
        "it protects sufficiently compared to no sanitization: the risk is less than half of that without noise",
        good_at_one,
    ),
    Statement(
        P0("footnote 7, Adult and Bankruptcy data", "simulated risks beside the printed ones"),
        "nearly identical",
        lambda data: next(
            (found for each in (PAIRS, BANKRUPTCY) if not (found := as_simulated(each, data)).holds),
            as_simulated(BANKRUPTCY, data),
        ),
    ),
    Statement(
        P0("footnote 7, subset", "simulated risks beside the printed ones", MEASURED),
        "nearly identical",
        partial(as_simulated, SUBSET),
    ),
)
