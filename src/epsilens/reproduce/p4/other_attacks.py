"""P4, section S1 and Figure 7: other targets, other attacks, and adversaries who know more."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.posterior.categories import expected_categories
from epsilens.posterior.census_2020 import CENSUS_2020
from epsilens.posterior.combined import unique_at_levels, unique_levels_curve
from epsilens.posterior.single import expected_single_level, single_level
from epsilens.posterior.two_levels.expected import expected_two_level
from epsilens.posterior.two_levels.posterior import two_level
from epsilens.reproduce.claims import Claim, Compute, Finding, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.census_1940 import LEVELS_1940
from epsilens.reproduce.p4.setting import (
    PRIORS,
    RHO_BLOCK,
    RHO_GROUP,
    SIBLINGS,
    Check,
    discrete_gaussian,
    formula,
    listed,
    number,
    statement,
)

LEVELS = tuple(range(1, len(CENSUS_2020.level_names) + 1))
OTHERS_KNOWN = (1, 4, 50)
HIGHER = CENSUS_2020.level_names[2:]
CLOSE = 1e-4
MUCH_SHARPER = 0.05
"""Of the risk R of p = 1/2: more than one level alone gives."""


class Case(NamedTuple):
    """Budgets by level, the people known of, the noisy counts by level, and a prior."""

    rhos: tuple[float, ...]
    known: int
    noisy: tuple[int, ...]
    prior: float


CASES = [
    Case(rhos, known, tuple(known + more for more in noisy[: len(rhos)]), prior)
    for rhos in ((0.099,), (0.099, 0.246), (0.5, 0.05, 0.05, 1.0))
    for known in (0, 3)
    for noisy in ((2, -1, 4, 0), (0, 0, 0, 0), (1, 2, 1, 1))
    for prior in (1 / 2, 1 / 864)
]


def told(case: Case) -> str:
    """A case in words."""
    return f"rho = {listed(list(case.rhos))}, noisy counts {case.noisy}, known = {case.known}, p = {case.prior:.4g}"


def counted(case: Case) -> float:
    """Of all that shows these noisy counts, the share in which the target is there."""
    chances = []
    for more, chance in ((0, 1.0 - case.prior), (1, case.prior)):
        for rho, noisy in zip(case.rhos, case.noisy, strict=True):
            values, probabilities = discrete_gaussian(rho)
            chance *= float(probabilities[int(noisy - case.known - more - values[0])])
        chances.append(chance)
    return chances[1] / sum(chances)


def printed(case: Case) -> float:
    """Eq. (S1.1) as it stands."""
    there, not_there = (
        math.exp(-math.fsum(r * (x - case.known - more) ** 2 for r, x in zip(case.rhos, case.noisy, strict=True)))
        for more in (1, 0)
    )
    return case.prior * there / (case.prior * there + (1.0 - case.prior) * not_there)


def averaged(levels: int, prior: float) -> float:
    """The marginal posterior, from the law of the log odds as a whole.

    All that the noisy counts tell is the sum of rho_i z_i, z_i the noise of level i. Its law is convolved on a fine
    grid of log odds, to either neighbour in proportion: what that leaves out is of second order.
    """
    step, size = 0.002, 30_000
    law = np.zeros(2 * size + 1)
    law[size] = 1.0
    for rho in CENSUS_2020.histogram_rhos[:levels]:
        values, probabilities = discrete_gaussian(rho)
        one = np.zeros(2 * size + 1)
        kept = probabilities > 1e-18
        place = 2.0 * rho * values[kept] / step + size
        low = np.floor(place).astype(int)
        np.add.at(one, low, probabilities[kept] * (1.0 - (place - low)))
        np.add.at(one, low + 1, probabilities[kept] * (place - low))
        padded = 1 << (4 * size + 1).bit_length()
        product = np.fft.irfft(np.fft.rfft(law, padded) * np.fft.rfft(one, padded), padded)
        law = np.maximum(product[size : 3 * size + 1], 0.0)
    odds = math.log(prior / (1.0 - prior)) + math.fsum(CENSUS_2020.histogram_rhos[:levels])
    return float(law @ (1.0 / (1.0 + np.exp(-(odds + step * np.arange(-size, size + 1))))))


def _curve(data: Data) -> dict[str, FloatArray]:
    return data.once(("Figure 7",), lambda: unique_levels_curve(CENSUS_2020.histogram_rhos, tuple(PRIORS.values())))


def _not_unique(_: Data) -> Finding:
    """One level and two: people known of move every noisy count, and nothing else."""
    rho = (RHO_BLOCK, RHO_GROUP)

    def holds(known: int) -> bool:
        one = all(
            math.isclose(single_level(x + known, known, rho[0]), single_level(x, 0, rho[0]), rel_tol=1e-12)
            for x in range(-3, 6)
        )
        two = all(
            math.isclose(
                two_level(x + known, z + known, y, SIBLINGS, rho, known=known).posterior,
                two_level(x, z, y, SIBLINGS, rho).posterior,
                rel_tol=1e-9,
            )
            for x, z, y in itertools.product((0, 2), (-1, 1, 4), (-9, 0, 12))
        )
        moved = expected_two_level(1 + known, SIBLINGS, rho, known=known)
        return (
            one
            and two
            and math.isclose(
                moved.correct_decision, expected_two_level(1, SIBLINGS, rho).correct_decision, rel_tol=1e-9
            )
        )

    return everywhere(OTHERS_KNOWN, holds, lambda known: f"not with {known} others")


def _unknown_variable(whole_histogram: bool) -> Check:
    """Two values, equally likely beforehand: the target is counted in one of two cells, and both are published."""

    def check(_: Data) -> Finding:
        one = expected_single_level(RHO_BLOCK).posterior
        seen = expected_categories(0, [0.5, 0.5], rho=RHO_BLOCK).posterior if whole_histogram else one
        return Finding(math.isclose(seen, one, rel_tol=1e-6), f"{seen:.4f} for {one:.4f} in the main text, p = 1/2")

    return check


def _lie(_: Data) -> Finding:
    """A target who may have reported any other of the histogram's values, all of whose counts are seen."""
    others = math.prod(LEVELS_1940) - 1
    one = expected_single_level(RHO_BLOCK).posterior
    many, single = (expected_categories(0, [0.5, *[0.5 / k] * k], rho=RHO_BLOCK).posterior for k in (others, 1))
    seen = f"{many:.4f} for {one:.4f} in the main text, p = 1/2; {single:.4f} if only one other value may be reported"
    return Finding(abs(many - one) < CLOSE, seen)


def two_cells(rho: float, prior: float) -> float:
    """The expected posterior of the true of two values, by adding up over all pairs of noisy counts."""
    values, probabilities = discrete_gaussian(rho)
    log_odds = (
        math.log(prior / (1.0 - prior)) + rho * (2.0 * (values + 1.0) - 1.0)[:, None] - rho * (2.0 * values - 1.0)
    )
    joint = probabilities[:, None] * probabilities
    return float((joint / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))).sum())


def _participation(_: Data) -> Finding:
    """Whoever may be missing is in one cell or in none: every other count has the same law either way."""
    cases = [Case((0.099,), 3, (x,), 0.5) for x in range(8)]
    return everywhere(
        cases,
        lambda case: math.isclose(
            single_level(case.noisy[0], case.known, case.rhos[0], case.prior), counted(case), rel_tol=1e-9
        ),
        told,
    )


def _rises(prior: str) -> Check:
    def check(data: Data) -> Finding:
        row = _curve(data)["risk_ratio"][list(PRIORS).index(prior)]
        return Finding(bool((np.diff(row) > 0.0).all()), f"R is {listed(row.tolist())} for 1 to {len(row)} levels")

    return check


def _most_at_first(prior: str) -> Check:
    def check(data: Data) -> Finding:
        steps = np.diff(_curve(data)["risk_ratio"][list(PRIORS).index(prior)])
        return Finding(int(np.argmax(steps)) == 0, f"the steps of R are {listed(steps.tolist(), 3)}")

    return check


def _sharper(data: Data) -> Finding:
    row = _curve(data)["posterior"][0]
    return Finding(
        row[-1] - row[0] > MUCH_SHARPER, f"the posterior of p = 1/2 rises from {row[0]:.3f} to {row[-1]:.3f}"
    )


def _rho(level: str) -> Compute:
    return lambda _: CENSUS_2020.histogram_rho(level)


def _figure(data: Data) -> Drawing:
    found = _curve(data)

    def series(name: str) -> list[Series]:
        return [Series(f"p = {p}", LEVELS, row.tolist()) for p, row in zip(PRIORS, found[name], strict=True)]

    panels = [
        Panel("marginal posterior", "levels", "P(X1 = 1 | x1 = 1)", series("posterior"), legend="prior", log_y=True),
        Panel("disclosure risk", "levels", "R", series("risk_ratio"), legend="prior"),
    ]
    risks = found["risk_ratio"]
    says = (
        f"From one level to {LEVELS[-1]} the risk rises from {risks[0, 0]:.2f} to {risks[0, -1]:.2f} for p = 1/2 and "
        f"from {risks[-1, 0]:.2f} to {risks[-1, -1]:.2f} for p = 1/864."
    )
    return Drawing("P4", "Figure 7", "unique at several levels", panels, says)


def _second_is_largest(_: Data) -> Finding:
    rhos = CENSUS_2020.histogram_rhos
    return Finding(rhos.index(max(rhos)) == 1, f"rho is {', '.join(f'{rho:.4f}' for rho in rhos)} for levels 1 to 6")


CLAIMS: list[Claim] = [
    statement(
        "section S1.1, others in the cell",
        "the risk of a target who is not unique",
        "that of one who is, with every noisy count moved",
        _not_unique,
    ),
    statement(
        "section S1.2, participation", "whether somebody answered", "the attack of the main text", _participation
    ),
    statement(
        "section S1.2, a lie or a mistake",
        f"whether somebody's answers are right; wrong ones may be any other (to within {CLOSE:g})",
        "the attack of the main text",
        _lie,
        "P4-12",
    ),
    statement(
        "section S1.2, unknown variable",
        "the risk of an unknown value",
        "that of the main text, with the prior of the value",
        _unknown_variable(whole_histogram=True),
        "P4-12",
        readings=(
            ("of somebody who looks at the cell of the true value alone", _unknown_variable(whole_histogram=False)),
        ),
    ),
    formula(
        "section S1.2, unknown variable, ours",
        "the risk where all values of the histogram are seen, for two values",
        "expected_categories",
        in_print=False,
        printed=lambda case: float(expected_categories(0, [case[1], 1.0 - case[1]], rho=case[0]).posterior),
        true=lambda case: two_cells(*case),
        cases=list(itertools.product((0.05, RHO_BLOCK, 0.5), (1 / 2, 1 / 10))),
        tolerance=1e-6,
        told=lambda case: f"rho = {case[0]:g}, prior {case[1]:g}",
    ),
    formula(
        "Eq. (S1.1), posterior",
        "somebody known to be unique at several levels",
        "p times a product over levels, over itself and the same for the smaller count",
        printed=printed,
        true=counted,
        cases=CASES,
        told=told,
    ),
    formula(
        "Eq. (S1.1), ours",
        "the same by our own function",
        "unique_at_levels",
        in_print=False,
        printed=lambda case: float(unique_at_levels(case.noisy, case.known, case.rhos, case.prior)),
        true=counted,
        cases=CASES,
        told=told,
    ),
    formula(
        "section S1.3, marginal posterior",
        "averaged over the noisy counts of all levels",
        "Eq. (S1.1), averaged as in Eq. (3.3)",
        "P4-5",
        printed=lambda case: float(
            unique_levels_curve(CENSUS_2020.histogram_rhos[: case[0]], (case[1],))["posterior"][0, -1]
        ),
        true=lambda case: averaged(*case),
        cases=list(itertools.product(LEVELS, (1 / 2, 1 / 10))),
        tolerance=1e-5,
        told=lambda case: f"{case[0]} levels, p = {case[1]}",
    ),
    statement(
        "section S1.3, largest rho",
        "the level with the most accurate release",
        "the second, which has the largest rho",
        _second_is_largest,
    ),
    *(number(f"section S1.3, rho, {level}", "of the histogram", "0.05", _rho(level)) for level in HIGHER),
    *(
        statement(f"Figure 7, p = {prior}", "risk against the number of levels", "it rises", _rises(prior))
        for prior in PRIORS
    ),
    *(
        statement(
            f"Figure 7, first step, p = {prior}",
            "risk against the number of levels",
            "it rises most from 1 to 2",
            _most_at_first(prior),
        )
        for prior in PRIORS
    ),
    statement(
        "section S1.3, conclusion",
        "what the hierarchy adds to this attack",
        f"a substantially sharper posterior (by more than {MUCH_SHARPER:g} for p = 1/2)",
        _sharper,
    ),
]
FIGURES = [Figure("P4", "Figure 7", _figure)]
