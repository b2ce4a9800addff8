"""Appendix C.1 and what was really behind Tables 1 to 3: which people and columns, and which of two mechanisms.

Print's own estimates tell: what could not have given them is ruled out, whatever races the people have.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from epsilens.arrays import IntArray
from epsilens.avoidance import published
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import bias_l1, fairness
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Number, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import means
from epsilens.reproduce.p2.extracts import EXTRACTS, MASSACHUSETTS, Age, Extract, histogram, known, race_column
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.section_3 import EPSILONS, K
from epsilens.reproduce.p2.swapped_means import EXPERIMENTS, of_swapping
from epsilens.reproduce.p2.table_values import estimated
from epsilens.reproduce.p2.tables import told
from epsilens.reproduce.printed import Printed
from epsilens.reproduce.verdicts import STANDARD_ERRORS

Counted: TypeAlias = Literal["above", "below"]
COUNTED: dict[Counted, str | None] = {"above": None, "below": "0"}
"""As what people without an income count: the value they are given."""
UNLIKELY = 0.05
_SEED = 2


def without_income_as(data: Data, counted: Counted) -> Finding:
    """Whether people without an income may count so: the alphas of swapping tell, which hang on the largest cells.

    The other way of counting them is the measure: what makes these alphas much less likely is taken for wrong.
    """
    apart = {way: _distances(data, way) for way in COUNTED}
    ratio = math.exp(0.5 * sum(d**2 for d in apart[_other(counted)]) - 0.5 * sum(d**2 for d in apart[counted]))
    places = ", ".join(f"{d:.1f}" for d in apart[counted])
    likely = f"{ratio:.0f} times" if ratio >= 1.0 else f"one {1.0 / ratio:.0f}th"
    return Finding(
        ratio >= UNLIKELY,
        f"the four alphas of DP swapping are {places} standard errors away, and {likely} as likely as the other way",
    )


def _other(counted: Counted) -> Counted:
    return "below" if counted == "above" else "above"


def _distances(data: Data, counted: Counted) -> list[float]:
    """How many standard errors the printed alphas of swapping are from what they are on average."""
    table = known(data, MASSACHUSETTS, COUNTED[counted])

    def find() -> list[float]:
        found = []
        for epsilon in EPSILONS:
            alpha = of_swapping(epsilon, table).alpha
            printed = published.PUBLISHED_TABLE["dp-swapping"][epsilon][2]
            found.append(max(alpha.low - printed, printed - alpha.high, 0.0) / alpha.standard_error)
        return found

    return data.once(("P2", "without income", counted), find)


def cells_behind(data: Data, age: Age) -> Finding:
    """Whether the bias of Laplace noise on a table is of the size that is printed."""
    table, epsilon = histogram(data, MASSACHUSETTS, age), EPSILONS[0]
    bias = bias_l1(NoisyCounts.as_published("laplace", epsilon).bias(table))
    printed = published.PUBLISHED_TABLE["laplace"][epsilon][1]
    return Finding(
        0.5 * printed < bias < 2.0 * printed,
        f"on {table.n_cells:,} cells the bias of Laplace noise is {bias:,.0f} at epsilon = {epsilon:g}; {printed:,.0f} "
        "is printed",
    )


def suppressed_behind(data: Data, reading: Literal["equation-2", "algorithm-2"]) -> Finding:
    """Whether the alphas of DP suppression are within chance of one reading of it."""
    for epsilon in EPSILONS:
        printed = published.PUBLISHED_TABLE["dp-suppression"][epsilon][2]
        if reading == "equation-2":
            found = estimated(data, MASSACHUSETTS, "suppression", epsilon)["alpha"]
        else:
            found = one_threshold(np.asarray(histogram(data, MASSACHUSETTS).counts), epsilon)
        if not _within_chance(printed, found):
            return _told(printed, epsilon, found)
    return Finding(True, "all four alphas are within chance")


def one_threshold(counts: IntArray, epsilon: float) -> means.Expected:
    """Alpha as print estimates it by Algorithm 2, whose counts share a threshold: simulated."""
    points, rng = np.unique(counts), np.random.default_rng(_SEED)
    thresholds = K + LaplaceNoise(2.0 / epsilon).sample((EXPERIMENTS, means.REPETITIONS), rng)
    errors = [np.where(x < thresholds, np.floor(0.5 * thresholds) - x, 0.0).mean(axis=1) for x in points]
    alphas = np.ptp(np.stack(errors), axis=0)
    mean, error = float(alphas.mean()), float(alphas.std(ddof=1) * math.sqrt(1.0 + 1.0 / EXPERIMENTS))
    return means.Expected(mean, mean, error)


def _within_chance(printed: float, found: means.Expected) -> bool:
    margin = STANDARD_ERRORS * found.standard_error
    return found.low - margin <= printed <= found.high + margin


def _told(printed: float, epsilon: float, found: means.Expected) -> Finding:
    seen = f"{told(printed)} is printed at epsilon = {epsilon:g}, and it is {found.high:.5g} on average"
    return Finding(False, f"{seen} with a standard error of {found.standard_error:.2g}")


def swapped_behind(data: Data, reading: Literal["equation-4", "algorithm-4"]) -> Finding:
    """Whether the alphas of DP swapping are within chance of one reading of it."""
    for epsilon in EPSILONS:
        printed = published.PUBLISHED_TABLE["dp-swapping"][epsilon][2]
        if reading == "equation-4":
            found = estimated(data, MASSACHUSETTS, "swapping", epsilon)["alpha"]
        else:
            found = _of_rows(data, epsilon)
        if not _within_chance(printed, found):
            return _told(printed, epsilon, found)
    return Finding(True, "all four alphas are within chance")


def _of_rows(data: Data, epsilon: float) -> means.Expected:
    """Alpha by Algorithm 4: people move alone, so that chance in the two extreme errors is all but nothing."""
    table = histogram(data, MASSACHUSETTS)
    moments = DPSwapping(epsilon, LEVELS, (race_column(data, MASSACHUSETTS),), "algorithm-4").moments(table)
    extremes = [int(moments.bias.argmin()), int(moments.bias.argmax())]
    error = math.sqrt(float(moments.variance.ravel()[extremes].sum()) / means.REPETITIONS)
    return means.Expected(fairness(moments.bias), fairness(moments.bias), error)


def areas(data: Data, extract: Extract) -> float:
    """How many areas (PUMAs) there are."""
    return float(len(histogram(data, extract).levels[0]))


def columns(data: Data, extract: Extract) -> float:
    """How many columns the file has."""
    with Path(data.file(extract.file)).open(newline="") as lines:
        return float(len(next(csv.reader(lines))))


def _place(where: str, what: str, departs: str | None = None) -> Place:
    return Place("P2", where, what, departs)


CLAIMS: list[Claim] = [
    *(
        Number(
            _place(f"section C.1, {extract.area}", "areas (PUMAs)"),
            Printed(extract.areas_printed),
            lambda data, extract=extract: areas(data, extract),  # type: ignore[misc]
        )
        for extract in EXTRACTS.values()
    ),
    Number(
        _place("section C.1, columns", "columns of the extracts, about"),
        Printed("20", unit=10),
        lambda data: columns(data, MASSACHUSETTS),
    ),
    Statement(
        _place("section C.1, columns", "by which columns the tables are", "P2-1"),
        "the tables are by race, sex, tenure, income and age (and PUMA)",
        lambda data: cells_behind(data, "brackets"),
        (("without age", lambda data: cells_behind(data, "")),),
    ),
    Statement(
        _place("section C.1, income", "who earns more than 50,000", "P2-1"),
        "only people who earn more than 50,000 count as such",
        lambda data: without_income_as(data, "below"),
        (
            (
                "if those whose income does not apply (9999999 in IPUMS) count as above",
                lambda data: without_income_as(data, "above"),
            ),
        ),
    ),
    Statement(
        _place("Algorithm 2", "that the alphas of the tables are its", "P2-5"),
        "Tables 1 to 3 have DP suppression by Algorithm 2",
        lambda data: suppressed_behind(data, "algorithm-2"),
        (("by Eq. (2)", lambda data: suppressed_behind(data, "equation-2")),),
    ),
    Statement(
        _place("Algorithm 4", "that the alphas of the tables are its", "P2-5"),
        "Tables 1 to 3 have DP swapping by Algorithm 4, of people",
        lambda data: swapped_behind(data, "algorithm-4"),
        (("by Eq. (4), of whole cells", lambda data: swapped_behind(data, "equation-4")),),
    ),
]
