"""Who is better: what sections 4, 6, 7 and C.2 say of Tables 1 to 3, by print's numbers and by ours."""

from __future__ import annotations

from collections.abc import Iterable

from epsilens.avoidance import published
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import bias_l1, fairness
from epsilens.reproduce.claims import Claim, Estimate, Finding, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import EXTRACTS, MASSACHUSETTS, histogram, race_column
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.section_3 import EPSILONS, K
from epsilens.reproduce.p2.table_values import of_samples
from epsilens.reproduce.p2.tables import TITLES, told

NOISE = ("laplace", "discrete-gaussian")
TRADITIONAL = ("dp-suppression", "dp-swapping", "dp-k-anonymity")
FIRST = "P2 Table 1"
ALMOST_ALWAYS = 0.95
ADVANTAGE = 5.0
"""Times as large: what makes an advantage significant."""
_COLUMNS = ("delta", "bias", "alpha")


def won(noise: Iterable[str], table: str, columns: Iterable[str], at_least: float = 1.0) -> Finding:
    """Whether the printed number of noise is the smaller one against each other system at each budget."""
    printed = published.PUBLISHED_TABLES[table][1]
    lost, compared = [], 0
    for epsilon in EPSILONS:
        for column in columns:
            at = _COLUMNS.index(column)
            for name in noise:
                for other in TRADITIONAL:
                    compared += 1
                    if printed[name][epsilon][at] >= printed[other][epsilon][at]:
                        lost.append(_told(column, epsilon, name, printed, other))
    seen = f"{compared - len(lost)} of {compared} comparisons of printed numbers are won"
    return Finding(compared - len(lost) >= at_least * compared, f"{seen}, but {lost[0]}" if lost else seen)


def _told(
    column: str, epsilon: float, name: str, printed: dict[str, dict[float, tuple[float, float, float]]], other: str
) -> str:
    at = _COLUMNS.index(column)
    ours, theirs = told(printed[name][epsilon][at]), told(printed[other][epsilon][at])
    return f"{column} is {ours} of {TITLES[name]} and {theirs} of {TITLES[other]} at epsilon = {epsilon:g}"


def won_exactly(data: Data, noise: Iterable[str]) -> Finding:
    """Whether exact biases and alphas have it so against suppression and swapping, on the Massachusetts table."""
    table, race = histogram(data, MASSACHUSETTS), race_column(data, MASSACHUSETTS)
    lost = []
    for epsilon in EPSILONS:
        others = {
            "dp-suppression": DPSuppression(K, epsilon).bias(table),
            "dp-swapping": DPSwapping(epsilon, LEVELS, (race,)).bias(table),
        }
        for name in noise:
            noisy = NoisyCounts.as_published(name, epsilon).bias(table)
            for measure, of in (("bias", bias_l1), ("alpha", fairness)):
                for other, bias in others.items():
                    if of(noisy) >= of(bias):
                        lost.append(
                            f"{measure} is {of(noisy):.4g} of {TITLES[name]} and {of(bias):.4g} of {TITLES[other]}"
                        )
    return Finding(not lost, lost[0] if lost else f"at epsilon = {', '.join(f'{e:g}' for e in EPSILONS)}")


def advantage_over_anonymity(data: Data) -> Finding:
    """Whether alpha of DP k-anonymity is many times that of Laplace noise, in print and here."""
    in_print, here = [], []
    for epsilon in EPSILONS:
        printed = published.PUBLISHED_TABLE
        in_print.append(printed["dp-k-anonymity"][epsilon][2] / printed["laplace"][epsilon][2])
        theirs = of_samples(data, MASSACHUSETTS, epsilon, "alpha", "table")
        ours = fairness(NoisyCounts.as_published("laplace", epsilon).bias(histogram(data, MASSACHUSETTS)))
        here.append((theirs.value if isinstance(theirs, Estimate) else 0.0) / ours)
    return Finding(
        min(*in_print, *here) >= ADVANTAGE,
        f"alpha of DP k-anonymity is at least {min(in_print):.3g} times that of Laplace noise in print, and "
        f"{min(here):.3g} times here",
    )


def errors_need_not_fall(data: Data) -> Finding:
    """Whether DP suppression errs more at a larger budget, and less than plain suppression at a small one."""
    table = histogram(data, MASSACHUSETTS)
    first, second = (bias_l1(DPSuppression(K, epsilon).bias(table)) for epsilon in EPSILONS[:2])
    plain = bias_l1(Suppression(K).bias(table))
    return Finding(
        first < second and first < plain,
        f"DP suppression errs by {first:,.0f} at epsilon = {EPSILONS[0]:g} and by {second:,.0f} at {EPSILONS[1]:g}, "
        f"plain suppression by {plain:,.0f}",
    )


def _place(where: str, what: str, departs: str | None = None) -> Place:
    return Place("P2", where, what, departs)


CLAIMS: list[Claim] = [
    Statement(
        _place("section 4", "whether errors fall with the budget"),
        "DP versions need not err less at a larger budget, and may err less than the traditional system",
        errors_need_not_fall,
    ),
    Statement(
        _place("section 6, k-anonymity", "Laplace noise against DP k-anonymity"),
        f"Laplace noise has a significant advantage in fairness (alpha is at least {ADVANTAGE:g} times smaller)",
        advantage_over_anonymity,
    ),
    Statement(
        _place("section 7, data release", "the printed numbers of both noises against the other systems", "P2-16"),
        "Laplace and discrete Gaussian noise have the smaller bias and alpha in Table 1",
        lambda _: won(NOISE, FIRST, ("bias", "alpha")),
        (("for Laplace noise alone", lambda _: won(NOISE[:1], FIRST, ("bias", "alpha"))),),
    ),
    Statement(
        _place("section 7, data release", "exact numbers of Laplace noise against suppression and swapping"),
        "Laplace noise has the smaller bias and alpha on the Massachusetts table",
        lambda data: won_exactly(data, NOISE[:1]),
    ),
    Statement(
        _place("section 7, data release", "delta of both noises against the other systems"),
        "they have the smaller delta in Table 1",
        lambda _: won(NOISE, FIRST, ("delta",)),
    ),
    *(
        Statement(
            _place(f"section C.2, {extract.area}", "who has the smaller numbers"),
            "Laplace and discrete Gaussian noise almost always have the smaller delta, bias and alpha",
            lambda _, table=table: won(NOISE, table, _COLUMNS, ALMOST_ALWAYS),  # type: ignore[misc]
        )
        for table, extract in EXTRACTS.items()
        if table != FIRST
    ),
]
