"""P4, section S6 and Figure 12: what post-processing does to the risk."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.posterior.postprocessing import PostprocessingRisk, Step, postprocessing_risk
from epsilens.posterior.single import expected_single_level
from epsilens.reproduce.claims import Claim, Finding
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.setting import RHO_BLOCK, SIBLINGS, Check, discrete_gaussian, formula, statement

SHOWN = tuple(range(1, 101))
COLOURED = (1, 10, 100)
RHOS = tuple(np.geomspace(0.01, 10.0, 31).tolist())
MINOR = 0.05
"""Of the posterior: a tenth of the way from p = 1/2 to certainty."""
CLOSE = 1e-10


class Split(NamedTuple):
    """Noisy counts of the group and of its siblings, and the count above that they are made to add up to."""

    noisy: int
    siblings: tuple[int, ...]
    shown: int


SPLITS = [
    Split(noisy, siblings, shown)
    for noisy in (-3, 0, 1, 4)
    for siblings in ((2,), (0, -1, 3), (5, 1, 0, 0, -4, 2))
    for shown in (0, 1, 7, 50)
]


class Case(NamedTuple):
    """The count shown above, how many siblings, the budget and the prior."""

    shown: int
    siblings: int
    rho: float
    prior: float


CASES = list(map(Case._make, itertools.product((0, 1, 2, 5, 12), (1, 3, 27), (0.099, 0.5, 1.0), (1 / 2, 1 / 10))))


def least_squares(split: Split) -> float:
    """The group's share in the nearest counts that add up, from the equations of its minimum, solved as they are."""
    values = np.asarray([split.noisy, *split.siblings, split.shown], dtype=np.float64)
    size = len(values)
    equations = np.eye(size)
    equations[:-1, -1] = 1.0
    equations[-1, :-1], equations[-1, -1] = 1.0, 0.0
    return float(np.linalg.solve(equations, values)[0])


def closed_form(noisy: int, others: int, shown: int, siblings: int) -> float:
    """(S6.2)."""
    return (siblings * noisy + (shown - others)) / (siblings + 1)


def processed(noisy: int, others: int, shown: int, siblings: int) -> int:
    """(S6.3); halves are rounded up, of which print says nothing."""
    middle = closed_form(noisy, others, shown, siblings)
    return 0 if middle < 0.0 else shown if middle > shown else math.floor(middle + 0.5)


def counted(case: Case) -> float:
    """(S6.8) by (S6.6) and (S6.7): every pair of noisy counts, one by one, the siblings' by print's approximation."""
    values, probabilities = discrete_gaussian(case.rho)
    kept = probabilities > 1e-13
    total = DiscreteGaussianNoise(math.sqrt(0.5 * case.siblings / case.rho))
    reach = math.ceil(9.0 * total.sigma)
    others = range(-reach, reach + 1)
    of_others = total.pmf(np.arange(-reach, reach + 1.0))
    likelihood = np.zeros((2, case.shown + 1))
    for child in (0, 1):
        for noise, weight in zip(values[kept], probabilities[kept], strict=True):
            for other, share in zip(others, of_others, strict=True):
                # one person above: in the group, or in one of its siblings
                shown = processed(int(child + noise), (1 - child) + other, case.shown, case.siblings)
                likelihood[child, shown] += weight * share
    absent, present = likelihood
    seen = present > 0.0
    there, not_there = case.prior * present[seen], (1.0 - case.prior) * absent[seen]
    return float((present[seen] * there / (there + not_there)).sum())


def risk(data: Data, shown: int, rho: float = RHO_BLOCK, step: Step = "simplified") -> PostprocessingRisk:
    """Print's setting: 27 siblings, p = 1/2, one person above."""
    return data.once(("processed", shown, rho, step), lambda: postprocessing_risk(shown, SIBLINGS, rho, step=step))


def _never_above(against_all: bool, rhos: tuple[float, ...], shown: tuple[int, ...]) -> Check:
    def check(data: Data) -> Finding:
        excess = {}
        for rho, count in itertools.product(rhos, shown):
            found = risk(data, count, rho)
            bound = found.raw_posterior if against_all else found.raw_posterior_child
            excess[rho, count] = found.posterior - bound
        worst = max(excess, key=lambda case: excess[case])
        seen = f"at most {excess[worst]:+.6f}, at x2~ = {worst[1]} and rho = {worst[0]:.4g}"
        return Finding(excess[worst] <= CLOSE, seen)

    return check


def _closer(against_all: bool) -> Check:
    """How far from the bound the risk is, on either side, at every count up to 100."""

    def check(data: Data) -> Finding:
        found = [risk(data, count) for count in SHOWN]
        distances = [
            abs((each.raw_posterior if against_all else each.raw_posterior_child) - each.posterior) for each in found
        ]
        falls = all(later <= earlier for earlier, later in itertools.pairwise(distances))
        least = min(range(len(SHOWN)), key=distances.__getitem__)
        ends = {SHOWN[k]: f"{distances[k]:.6f} at {SHOWN[k]}" for k in (0, least, -1)}
        return Finding(falls, f"it is {', '.join(ends.values())}")

    return check


def _minor(rhos: tuple[float, ...]) -> Check:
    def check(data: Data) -> Finding:
        falls = {}
        for rho, count in itertools.product(rhos, COLOURED):
            found = risk(data, count, rho)
            falls[rho, count] = found.raw_posterior_child - found.posterior
        worst = max(falls, key=lambda case: falls[case])
        seen = f"the posterior falls by at most {falls[worst]:.4f}, at x2~ = {worst[1]} and rho = {worst[0]:.3g}"
        return Finding(falls[worst] < MINOR, seen)

    return check


def _limited(rhos: tuple[float, ...]) -> Check:
    """The steps that print leaves out: counts that are not negative, and rounding that keeps the sum."""

    def check(data: Data) -> Finding:
        apart = {}
        for rho, count in itertools.product(rhos, (1, 2, 5, 10)):
            both = (risk(data, count, rho, step) for step in ("simplified", "constrained"))
            simple, whole = (found.posterior for found in both)
            apart[rho, count] = abs(simple - whole)
        worst = max(apart, key=lambda case: apart[case])
        seen = f"the posterior changes by at most {apart[worst]:.4f}, at x2~ = {worst[1]} and rho = {worst[0]:.3g}"
        return Finding(apart[worst] < MINOR, seen)

    return check


def _decisions(data: Data) -> Finding:
    raw = expected_single_level(RHO_BLOCK).correct_decision
    found = {count: risk(data, count).correct_decision for count in SHOWN}
    best = max(found, key=lambda count: found[count])
    return Finding(found[best] <= raw + CLOSE, f"{found[best]:.4f} at x2~ = {best}, {raw:.4f} from the raw count")


def _figure(data: Data) -> Drawing:
    raw = expected_single_level(RHO_BLOCK).risk_ratio
    by_count = [Series("with post-processing", SHOWN, [risk(data, count).risk_ratio for count in SHOWN])]
    by_rho = [Series(f"x2~ = {count}", RHOS, [risk(data, count, rho).risk_ratio for rho in RHOS]) for count in COLOURED]
    without = Series("without", RHOS, [expected_single_level(rho).risk_ratio for rho in RHOS])
    above = next((count for count in SHOWN if risk(data, count).risk_ratio > raw), None)
    panels = [
        Panel("at the census's rho", "count shown above, x2~", "R", by_count, horizontals=[("without", raw)]),
        Panel("against rho", "rho", "R", [*by_rho, without], log_x=True, verticals=[("the census", RHO_BLOCK)]),
    ]
    passes = "never passes it" if above is None else f"passes it at x2~ = {above}"
    says = (
        f"The risk is {risk(data, 1).risk_ratio:.4f} at x2~ = 1 and {risk(data, 100).risk_ratio:.4f} at 100. "
        f"From the raw count it is {raw:.4f} (the line); the risk {passes}."
    )
    return Drawing("P4", "Figure 12", "risk with post-processing", panels, says)


def _ours(case: Case) -> float:
    shown, siblings, rho, prior = case
    return postprocessing_risk(shown, siblings, rho, prior, sum_law="approximate").posterior


_CENSUS = (RHO_BLOCK,)
_RANGE = (RHO_BLOCK, *RHOS[::3])

CLAIMS: list[Claim] = [
    formula(
        "Eq. (S6.2), closed form",
        "the group's count in the nearest counts that add up",
        "(d x1* + (x2~ - y1*)) / (d + 1)",
        printed=lambda split: closed_form(split.noisy, sum(split.siblings), split.shown, len(split.siblings)),
        true=least_squares,
        cases=SPLITS,
        told=lambda split: f"noisy counts {split.noisy} and {split.siblings}, x2~ = {split.shown}",
    ),
    formula(
        "Eq. (S6.8), marginal risk",
        "by Eqs. (S6.3), (S6.6) and (S6.7)",
        "sum over x1~ of the posterior times P(x1~ | x1 = 1)",
        printed=_ours,
        true=counted,
        cases=CASES,
        told=lambda case: f"x2~ = {case.shown}, d = {case.siblings}, rho = {case.rho}, p = {case.prior}",
        tolerance=1e-8,
    ),
    statement(
        "Figure 12, left panel",
        "risk with post-processing",
        "never above that from the group's raw count",
        _never_above(False, _CENSUS, SHOWN),
        "P4-7",
        readings=(("against all raw counts that the step uses", _never_above(True, _CENSUS, SHOWN)),),
    ),
    statement(
        "Figure 12, right panel",
        "risk with post-processing",
        "never above that from the group's raw count",
        _never_above(False, _RANGE, COLOURED),
        "P4-7",
        readings=(("against all raw counts that the step uses", _never_above(True, _RANGE, COLOURED)),),
    ),
    statement(
        "Figure 12, larger counts above",
        "the distance to the risk from the raw count",
        "it falls",
        _closer(against_all=False),
        "P4-7",
        readings=(("of the risk from all raw counts that the step uses", _closer(against_all=True)),),
    ),
    statement(
        "section S6, size, census",
        "what post-processing takes from the risk",
        "little (less than .05 of the posterior)",
        _minor(_CENSUS),
    ),
    statement(
        "section S6, size, other rho",
        "what post-processing takes from the risk",
        "little (less than .05 of the posterior)",
        _minor(_RANGE),
        "P4-14",
    ),
    statement(
        "section S6, omitted steps, census",
        "no negative counts, rounding that keeps the sum",
        "a limited effect (less than .05 of the posterior)",
        _limited(_CENSUS),
    ),
    statement(
        "section S6, omitted steps, other rho",
        "no negative counts, rounding that keeps the sum",
        "a limited effect (less than .05 of the posterior)",
        _limited(_RANGE),
        "P4-14",
    ),
    statement(
        "section 5, post-processing",
        "risk, as right decisions about a target who is there",
        "post-processing should not make them more",
        _decisions,
        "P4-7",
    ),
]
FIGURES = [Figure("P4", "Figure 12", _figure)]
