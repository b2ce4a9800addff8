"""Figures 2, 3 and 6 to 9: how near the DP versions are to the traditional systems, in errors and in fairness."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from epsilens.avoidance.enumeration import Counts
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p2.curves import (
    BUDGETS,
    SHARES,
    SIZES,
    THRESHOLDS,
    Deviation,
    anonymous,
    dp_swapped,
    epsilon_name,
    sampled,
    share_moved,
    suppressed,
    swapped,
)
from epsilens.reproduce.p2.extracts import EXTRACTS, MASSACHUSETTS, OUTLIER, TEXAS, Extract
from epsilens.reproduce.p2.section_3 import EPSILONS, K

Measure: TypeAlias = Literal["error", "alpha"]
CLOSE = 0.2
"""Apart, as a share of the traditional system's: what is close."""
COMPARABLE = 2.0
"""Times the traditional system's: what is comparable."""
_CLOSE = f"(within {CLOSE:.0%} of them)"
_COMPARABLE = f"(at most {COMPARABLE:g} times as large)"
TRADITIONAL_SHARE = 0.1
"""Of rows that the traditional system swaps."""
_LISTED: dict[str, Callable[[float], DPSuppression | DPSwapping]] = {
    "suppression": lambda epsilon: DPSuppression(K, epsilon),
    "swapping": lambda epsilon: DPSwapping(epsilon, 2),
}
_BY_DISCREPANCY = "if whole cells are swapped, by their discrepancy as in section 3, as many as the DP version moves"
_NOTHING = 1e-9


def of(deviation: Deviation, measure: Measure) -> float:
    """The error or the alpha."""
    return deviation.error if measure == "error" else deviation.alpha


def told(number: float) -> str:
    """With three digits, and all of those before the point."""
    return f"{number:,.0f}" if abs(number) >= 100.0 else f"{number:.3g}"


def _ratio(dp: float, traditional: float) -> float:
    return dp / traditional if traditional > _NOTHING else float("inf")


def close(pairs: list[tuple[str, float, float]]) -> Finding:
    """Whether every error of a DP version is within a fifth of the traditional system's."""
    worst = max(pairs, key=lambda pair: abs(_ratio(pair[1], pair[2]) - 1.0))
    holds = abs(_ratio(worst[1], worst[2]) - 1.0) <= CLOSE
    seen = f"{told(worst[1])} against {told(worst[2])} {worst[0]}"
    return Finding(holds, f"the furthest of {len(pairs)} pairs are {seen}" if holds else seen)


def comparable(pairs: list[tuple[str, float, float]]) -> Finding:
    """Whether no alpha of a DP version is more than twice the traditional system's."""
    worst = max(pairs, key=lambda pair: _ratio(pair[1], pair[2]))
    holds = _ratio(worst[1], worst[2]) <= COMPARABLE
    seen = f"{told(worst[1])} against {told(worst[2])} {worst[0]}"
    return Finding(holds, f"the worst of {len(pairs)} pairs are {seen}" if holds else seen)


def suppression_pairs(data: Data, measure: Measure) -> list[tuple[str, float, float]]:
    """DP suppression beside suppression, at every threshold and budget."""
    return [
        (
            f"at k = {k} and epsilon = {epsilon:g}",
            of(suppressed(data, MASSACHUSETTS, k, epsilon), measure),
            of(suppressed(data, MASSACHUSETTS, k, None), measure),
        )
        for k in THRESHOLDS
        for epsilon in EPSILONS
    ]


def swapping_pairs(data: Data, measure: Measure, by: str) -> list[tuple[str, float, float]]:
    """DP swapping beside swapping of as many rows as it moves."""
    return [
        (
            f"at epsilon = {epsilon:g}, where {share_moved(epsilon):.0%} of rows are swapped",
            of(dp_swapped(data, MASSACHUSETTS, epsilon), measure),
            of(swapped(data, MASSACHUSETTS, share_moved(epsilon), by), measure),
        )
        for epsilon in EPSILONS
    ]


def anonymity_pairs(data: Data, measure: Measure, against: str) -> list[tuple[str, float, float]]:
    """DP k-anonymity beside k-anonymity at every budget, against the table or the sample."""
    compute = anonymous if against == "table" else sampled
    return [
        (
            f"at epsilon = {epsilon:g}",
            of(compute(data, MASSACHUSETTS, K, epsilon), measure),
            of(anonymous(data, MASSACHUSETTS, K, None), measure),
        )
        for epsilon in EPSILONS
    ]


def better_for_small_budgets(data: Data, measure: Measure, against: str) -> Finding:
    """Whether DP k-anonymity is below k-anonymity at the smallest budget."""
    where, dp, plain = anonymity_pairs(data, measure, against)[0]
    return Finding(dp < plain, f"{told(dp)} against {told(plain)} {where}")


def approaches(data: Data, extract: Extract) -> Finding:
    """Whether errors and alphas of all three are nearer to the traditional system's at the largest budget."""
    first, last = EPSILONS[0], EPSILONS[-1]
    seen = []
    for name, plain, at_first, at_last in (
        ("suppression", *(suppressed(data, extract, K, epsilon) for epsilon in (None, first, last))),
        (
            "swapping",
            swapped(data, extract, TRADITIONAL_SHARE),
            *(dp_swapped(data, extract, epsilon) for epsilon in (first, last)),
        ),
        ("k-anonymity", *(anonymous(data, extract, K, epsilon) for epsilon in (None, first, last))),
    ):
        for measure in ("error", "alpha"):
            far, near = (abs(of(dp, measure) - of(plain, measure)) for dp in (at_first, at_last))  # type: ignore[arg-type]
            seen.append(f"{measure} of {name} {told(far)} and {told(near)} away")
            if near > far:
                return Finding(False, seen[-1])
    return Finding(True, f"at epsilon = {first:g} and {last:g}: {', '.join(seen)}")


# -- the figures -------------------------------------------------------------------------------------------------------


def _panels(data: Data, extract: Extract, measure: Measure) -> list[Panel]:
    name = "l1 error" if measure == "error" else "alpha"
    by_threshold = [
        Series(epsilon_name(e), THRESHOLDS, [of(suppressed(data, extract, k, e), measure) for k in THRESHOLDS])
        for e in BUDGETS
    ]
    percents = [100.0 * share for share in SHARES]
    nearest, by_discrepancy = (
        [of(swapped(data, extract, share, by), measure) for share in SHARES] for by in ("nearest", "discrepancy")
    )
    swapping = [Series("nearest rows", percents, nearest), Series("by discrepancy, cells", percents, by_discrepancy)]
    swapping += [
        Series(epsilon_name(e), percents, [of(dp_swapped(data, extract, e), measure)] * len(percents)) for e in EPSILONS
    ]
    by_size = [
        Series(epsilon_name(e), SIZES, [of(anonymous(data, extract, k, e), measure) for k in SIZES]) for e in BUDGETS
    ]
    return [
        Panel("suppression", "threshold k", name, by_threshold),
        Panel("swapping", "rows swapped, %", name, swapping),
        Panel("k-anonymity", "k", name, by_size),
    ]


def _drawing(data: Data, extract: Extract, measure: Measure, place: str) -> Drawing:
    panels = _panels(data, extract, measure)
    what = "errors" if measure == "error" else "alphas"
    plain, dp = (suppressed(data, extract, K, epsilon) for epsilon in (None, EPSILONS[0]))
    apart, moved = anonymous(data, extract, K, None), anonymous(data, extract, K, EPSILONS[0])
    swap = dp_swapped(data, extract, EPSILONS[0])
    says = (
        f"{what.capitalize()} at epsilon = {EPSILONS[0]:g} and k = {K}: suppression {told(of(dp, measure))} "
        f"(traditional {told(of(plain, measure))}), swapping {told(of(swap, measure))} (nearest rows "
        f"{told(of(swapped(data, extract, TRADITIONAL_SHARE), measure))} with a tenth swapped), k-anonymity "
        f"{told(of(moved, measure))} (traditional {told(of(apart, measure))})."
    )
    return Drawing("P2", place, f"{what} of DP and traditional systems, {extract.area}", panels, says, columns=3)


_DRAWN: tuple[tuple[str, Extract, Measure], ...] = (
    ("Figure 2", MASSACHUSETTS, "error"),
    ("Figure 3", MASSACHUSETTS, "alpha"),
    ("Figure 6", TEXAS, "error"),
    ("Figure 7", OUTLIER, "error"),
    ("Figure 8", TEXAS, "alpha"),
    ("Figure 9", OUTLIER, "alpha"),
)
FIGURES = [
    Figure("P2", place, lambda data, e=extract, m=measure, p=place: _drawing(data, e, m, p))  # type: ignore[misc]
    for place, extract, measure in _DRAWN
]


def _place(where: str, what: str, departs: str | None = None) -> Place:
    return Place("P2", where, what, departs)


def listed_error(system: DPSuppression | DPSwapping, table: Counts) -> float:
    """The expected l1 error of a release of a small table, by listing all that may be released."""
    true = np.ravel(table)
    return sum(
        p * float(np.abs(np.ravel(np.array(shown)) - true).sum()) for shown, p in system.output_law(table).items()
    )


SMALL: tuple[Counts, ...] = (((0, 3), (7, 1)), ((5, 0), (2, 9)), ((4, 2), (0, 1)))
CLAIMS: list[Claim] = [
    *(
        Formula(
            _place(f"Figure 2, {name}, average", "the error that its curves are averages of"),
            "the expected l1 distance of a release from the table",
            lambda case, build=build: float(np.sum(build(case[0]).absolute_errors(np.array(case[1])))),  # type: ignore[misc]
            lambda case, build=build: listed_error(build(case[0]), case[1]),  # type: ignore[misc]
            list(product(EPSILONS, SMALL)),
            told=lambda case: f"epsilon = {case[0]:g}, counts {case[1]}",
        )
        for name, build in _LISTED.items()
    ),
    Statement(
        _place("Figure 2, suppression", "how near its errors are to the traditional system's"),
        f"errors of DP suppression are close to those of suppression {_CLOSE}",
        lambda data: close(suppression_pairs(data, "error")),
    ),
    Statement(
        _place("Figure 2, swapping", "how near its errors are to the traditional system's", "P2-10"),
        f"errors of DP swapping are close to those of swapping {_CLOSE}",
        lambda data: close(swapping_pairs(data, "error", "nearest")),
        (
            (
                _BY_DISCREPANCY,
                lambda data: close(swapping_pairs(data, "error", "discrepancy")),
            ),
        ),
    ),
    Statement(
        _place("Figure 2, k-anonymity", "how near its errors are to the traditional system's", "P2-8"),
        f"errors of DP k-anonymity are close to those of k-anonymity {_CLOSE}",
        lambda data: close(anonymity_pairs(data, "error", "table")),
        (("if they are taken against the sample", lambda data: close(anonymity_pairs(data, "error", "sample"))),),
    ),
    Statement(
        _place("Figure 2, k-anonymity", "small budgets", "P2-8"),
        "for a small epsilon DP k-anonymity errs less than k-anonymity, since fewer people are looked at",
        lambda data: better_for_small_budgets(data, "error", "table"),
        (("against the sample", lambda data: better_for_small_budgets(data, "error", "sample")),),
    ),
    Statement(
        _place("Figure 3, suppression", "its fairness beside the traditional system's"),
        f"alpha of DP suppression is comparable or better {_COMPARABLE}",
        lambda data: comparable(suppression_pairs(data, "alpha")),
    ),
    Statement(
        _place("Figure 3, swapping", "its fairness beside the traditional system's", "P2-10"),
        f"alpha of DP swapping is comparable or better {_COMPARABLE}",
        lambda data: comparable(swapping_pairs(data, "alpha", "nearest")),
        (
            (
                _BY_DISCREPANCY,
                lambda data: comparable(swapping_pairs(data, "alpha", "discrepancy")),
            ),
        ),
    ),
    Statement(
        _place("Figure 3, k-anonymity", "its fairness beside the traditional system's", "P2-8"),
        f"alpha of DP k-anonymity is comparable or better {_COMPARABLE}",
        lambda data: comparable(anonymity_pairs(data, "alpha", "table")),
        (
            (
                "if errors are taken against the sample",
                lambda data: comparable(anonymity_pairs(data, "alpha", "sample")),
            ),
        ),
    ),
    Statement(
        _place("Figure 3, k-anonymity", "small budgets", "P2-8"),
        "DP k-anonymity may be fairer than k-anonymity",
        lambda data: better_for_small_budgets(data, "alpha", "table"),
        (("if errors are taken against the sample", lambda data: better_for_small_budgets(data, "alpha", "sample")),),
    ),
    *(
        Statement(
            _place(f"section C.2, {extract.area}", "what happens as epsilon grows"),
            "errors and alphas of the DP versions approach those of the traditional systems",
            lambda data, extract=extract: approaches(data, extract),  # type: ignore[misc]
        )
        for extract in EXTRACTS.values()
    ),
]
