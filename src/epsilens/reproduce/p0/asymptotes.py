"""Section 5.2: the ends of the curves of Figure 3, and the two Gaussian mechanisms beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from epsilens.noise import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.curves import (
    ADULT,
    AS_PRINTED,
    AVERAGES,
    BANKRUPTCY,
    BELOW_ONE,
    DESCRIBED,
    FAR,
    PAIRS,
    SLIGHT,
    SUBSET,
    SUBSET_EXPECTED,
    Experiment,
    Mechanism,
    curve,
    curves,
    deltas_of,
    limit,
    noise_of,
)
from epsilens.reproduce.p0.enumeration import Cell, Law, homogeneous_risk, over_draws
from epsilens.reproduce.p0.experiments import AS_PAIRS, count, diagnosed
from epsilens.reproduce.p0.observations import MEASURED, delta_matters_less, reached
from epsilens.reproduce.p0.theorems import BOUND, FORMULAS
from epsilens.reproduce.printed import Printed

P0 = partial(Place, "P0")
LITTLE_NOISE = Law("laplace", 500.0)
MIXED: tuple[Cell, ...] = ((2, 1), (1, 3), (2, 0, 1), (0, 2, 1), (1, 1, 1), (2, 3, 1), (1, 4, 2))


def asymptote(experiment: Experiment, weighted: bool, small: bool, text: str) -> Number:
    """A printed end of a curve; that of the Adult data follows of pairs."""
    adult = experiment is ADULT
    pairs = Reading(AS_PAIRS, partial(limit, PAIRS, weighted, small, False))
    return Number(
        P0(
            f"section 5.2, {'lower' if small else 'upper'} asymptote of {experiment.name} over {AVERAGES[weighted]}",
            f"the risk as epsilon {'tends to 0' if small else 'grows'}",
            "P0-8" if adult else None,
        ),
        Printed(text),
        partial(limit, experiment, weighted, small, False),
        exact=partial(limit, experiment, weighted, small, True),
        readings=(pairs,) if adult else (),
    )


def as_it_stands(weighted: bool, small: bool, data: Data) -> float:
    """The end of the subset's local risk by Eq. (13) with the factor that it has before both of its terms."""
    from epsilens.homogeneity import published

    table = tables.subset(data)
    sizes = table.counts.sum(axis=1)
    weights = sizes / sizes.sum() if weighted else np.full(len(sizes), 1.0 / len(sizes))
    noise = LaplaceNoise(FAR if small else 1.0 / FAR)
    return float(weights @ published.local(table, noise, as_printed=True).risks)


def low_local(weighted: bool, text: str) -> Number:
    """The printed lower end of the subset's local risk, which follows from Eq. (13) without its stray factor only."""
    mended = Reading(
        "by Eq. (13) without the factor before its second term", partial(limit, SUBSET, weighted, True, False), True
    )
    return Number(
        P0(
            f"section 5.2, lower asymptote of {SUBSET.name} over {AVERAGES[weighted]}",
            "the risk as epsilon tends to 0, by Eq. (13)",
            FORMULAS,
        ),
        Printed(text),
        partial(as_it_stands, weighted, True),
        exact=partial(limit, SUBSET, weighted, True, True),
        readings=(mended,),
    )


def applied(weighted: bool, text: str) -> Number:
    """The upper end of the subset's local risk by the equation that print says it applied, Eq. (14)."""
    return Number(
        P0(
            f"section 5.1, equation of the local risk over {AVERAGES[weighted]}",
            "the local risk of the subset as epsilon grows, by Eq. (14)",
            FORMULAS,
        ),
        Printed(text),
        partial(limit, SUBSET_EXPECTED, weighted, False, False),
        exact=partial(limit, SUBSET, weighted, False, True),
        readings=(Reading("by Eq. (13)", partial(as_it_stands, weighted, False), slip=True),),
    )


def bounds_average(data: Data) -> Finding:
    """Whether the printed averages are at least the exact ones at every epsilon of Figure 3."""
    seen = []
    for weighted in AVERAGES:
        printed, exact = (curve(data, SUBSET, "laplace", None, weighted, each) for each in (False, True))
        gaps = exact.risks - printed.risks
        below = printed.epsilons[gaps > 1e-12]
        if len(below):
            seen.append(f"over {AVERAGES[weighted]} by up to {gaps.max():.4f}, for epsilon up to {below.max():.3g}")
    return Finding(not seen, f"it is below the exact average {', '.join(seen)}" if seen else "at every epsilon")


def lowest_alike(data: Data) -> Finding:
    """Whether the lower ends do not depend on the mechanism or on delta."""
    gaps = [0.0]
    mechanisms: tuple[Mechanism, ...] = ("laplace", "gaussian", "probabilistic")
    for experiment in (PAIRS, BANKRUPTCY, SUBSET, SUBSET_EXPECTED):
        for weighted in AVERAGES:
            ends = [
                experiment.at(data, noise_of(mechanism, 1.0 / FAR, delta), weighted)
                for mechanism in mechanisms
                for delta in deltas_of(experiment, mechanism)
            ]
            gaps.append(max(ends) - min(ends))
    return Finding(max(gaps) < 5e-3, f"they differ by {max(gaps):.1g} at most")


def gaps_of_gaussians(experiments: Sequence[Experiment], data: Data) -> tuple[float, float]:
    """By how much the risk under the probabilistic Gaussian mechanism is larger, epsilon below 1: least and most."""
    gaps = []
    for experiment in experiments:
        for weighted in AVERAGES:
            for delta, found in curves(data, experiment, "gaussian", weighted).items():
                noises = [noise_of("probabilistic", float(epsilon), delta) for epsilon in BELOW_ONE]
                gaps.append(experiment.risks(data, noises, weighted) - found.risks)
    return min(float(each.min()) for each in gaps), max(float(each.max()) for each in gaps)


def between_gaussians(experiments: Sequence[Experiment], data: Data) -> Finding:
    """Whether the risk under the probabilistic Gaussian mechanism is larger, and slightly so."""
    least, most = gaps_of_gaussians(experiments, data)
    return Finding(least >= 0.0 and most <= SLIGHT, f"it is larger by {least:.2g} to {most:.4f}")


def first_label_alone(case: Case) -> float:
    """Print's limit for one cell: p^n + (1 - p)^n, p the share of the first label."""
    p, n = case.shares[0], sum(case.cell)
    return float(p**n + (1.0 - p) ** n)


def all_labels(case: Case) -> float:
    """The sum over all labels of p_k^n."""
    return float(sum(p ** sum(case.cell) for p in case.shares))


def without_noise(case: Case) -> float:
    """P(a multinomial draw with the cell's proportions is homogeneous), and shown so under next to no noise."""
    return over_draws(sum(case.cell), case.shares, lambda drawn: homogeneous_risk(drawn, case.law))


def reaches_share(weighted: bool, data: Data) -> Finding:
    """Whether the local risk of the subset tends to the share of homogeneous cells, or of the people in them."""
    found = diagnosed(data, tables.subset)
    share = found.share_of_people_in_homogeneous_cells if weighted else found.share_of_homogeneous_cells
    risk = limit(SUBSET, weighted, False, False, data)
    return Finding(abs(risk - share) < 1e-9, f"it tends to {risk:.4f}, and the share is {share:.4f}")


def as_low(data: Data) -> Finding:
    """Whether the lower ends of the local and expected risk over cells agree to the printed digits."""
    printed, exact = (
        [limit(each, False, True, exact, data) for each in (SUBSET, SUBSET_EXPECTED)] for exact in (False, True)
    )
    return Finding(
        max(map(float, map(np.ptp, (printed, exact)))) < 0.01,
        f"the bounds are {printed[0]:.4f} and {printed[1]:.4f}, the risks {exact[0]:.4f} and {exact[1]:.4f}",
    )


CLAIMS: tuple[Claim, ...] = (
    *(
        asymptote(experiment, weighted, small, text)
        for experiment in (ADULT, BANKRUPTCY)
        for weighted in AVERAGES
        for small, text in ((False, "1"), (True, "0.25"))
    ),
    Statement(
        P0("section 5.2, Laplace from epsilon = 10", "the risk of the homogeneous experiments, as printed"),
        "it has reached 1",
        partial(reached, 10.0, "laplace", (PAIRS, BANKRUPTCY)),
    ),
    Statement(
        P0("section 5.2, Gaussian from epsilon = 31.6", "the same under probabilistic Gaussian noise, every delta"),
        "it has reached 1",
        partial(reached, 10.0**1.5, "probabilistic", (PAIRS, BANKRUPTCY)),
    ),
    Statement(
        P0("section 5.2, lower asymptotes", "the lower ends under different mechanisms and deltas"),
        "they are the same",
        lowest_alike,
    ),
    applied(False, "0.69"),
    applied(True, "0.57"),
    Statement(
        P0("section 5.2, bound of the subset", "the printed average local risk of the subset, an upper bound", BOUND),
        "it is an upper bound for a whole data set",
        bounds_average,
    ),
    asymptote(SUBSET, False, False, "0.69"),
    asymptote(SUBSET, True, False, "0.57"),
    asymptote(SUBSET_EXPECTED, False, False, "0.75"),
    asymptote(SUBSET_EXPECTED, True, False, "0.63"),
    low_local(False, "0.16"),
    asymptote(SUBSET_EXPECTED, False, True, "0.16"),
    low_local(True, "0.18"),
    asymptote(SUBSET_EXPECTED, True, True, "0.17"),
    Statement(
        P0("section 5.2, lower ends over cells", "the lower ends of the local and of the expected risk"),
        "they are the same",
        as_low,
    ),
    count(
        "section 5.2, homogeneous cells of the subset",
        "cells with one value of FF",
        "54",
        lambda data: diagnosed(data, tables.subset).homogeneous_cells,
    ),
    count(
        "section 5.2, cells of the subset", "non-empty cells", "78", lambda data: diagnosed(data, tables.subset).cells
    ),
    count(
        "section 5.2, people in homogeneous cells of the subset",
        "people in cells with one value of FF",
        "142",
        lambda data: diagnosed(data, tables.subset).people_in_homogeneous_cells,
    ),
    count("section 5.2, people of the subset", "all people", "250", lambda data: diagnosed(data, tables.subset).people),
    Statement(
        P0("section 5.2, share of homogeneous cells", "the local risk over cells as epsilon grows"),
        "it tends to the share of homogeneous cells",
        partial(reaches_share, False),
    ),
    Statement(
        P0("section 5.2, people in homogeneous cells", "the local risk over people as epsilon grows"),
        "it tends to the share of people in homogeneous cells",
        partial(reaches_share, True),
    ),
    Formula(
        P0("section 5.2, limit of the expected risk", "what the expected risk of the subset, K = 3, tends to", "P0-18"),
        "the average of p_i^n_i + (1 - p_i)^n_i",
        first_label_alone,
        without_noise,
        [Case(LITTLE_NOISE, cell) for cell in MIXED],
        mended=(("a sum over all labels of p_ik^n_i in the place of two terms", all_labels),),
    ),
    Statement(
        P0("section 5.2, impact of delta", "the impact of delta beside that of epsilon"),
        "it is relatively minor: less than a quarter",
        delta_matters_less,
    ),
    Statement(
        P0("section 5.2, two Gaussian mechanisms", "the risk under both Gaussian mechanisms, epsilon below 1", "P0-8"),
        "that of (epsilon, delta)-pDP is slightly larger",
        partial(between_gaussians, DESCRIBED),
        ((AS_PAIRS, partial(between_gaussians, AS_PRINTED)),),
    ),
    Number(
        P0(
            "section 5.2, difference of two Gaussian mechanisms",
            "by how much the risk under (epsilon, delta)-pDP is larger, at most",
            MEASURED,
        ),
        Printed("0.05"),
        lambda data: gaps_of_gaussians(AS_PRINTED, data)[1],
    ),
)
