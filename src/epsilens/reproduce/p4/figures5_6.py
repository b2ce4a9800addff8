"""P4, Figures 5 and 6: right decisions with two levels, against the true count above and against its rho."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.lazy import LaterModule
from epsilens.noise.sums import noise_of_sum
from epsilens.posterior.noises import one_noise
from epsilens.posterior.single import expected_single_level
from epsilens.posterior.two_levels.expected import ExpectedTwoLevel, expected_two_level
from epsilens.reproduce.claims import Claim, Compute, Finding, Reading
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.budgets import epsilon_of_levels, rho_of_group
from epsilens.reproduce.p4.sampler import chain
from epsilens.reproduce.p4.setting import (
    RHO_BLOCK,
    RHO_GROUP,
    SIBLINGS,
    Check,
    discrete_gaussian,
    number,
    percent,
    statement,
)
from epsilens.reproduce.p4.tables7_8 import CHAIN

stats = LaterModule("scipy.stats")

PARENTS = tuple(range(1, 21))
"""True counts above; print does not say how far its axis goes."""
FLAT_FROM = 4
SEVERAL = (1, 10, 100)
RHOS = tuple(np.geomspace(0.02, 100.0, 26).tolist())
LEADS = (0.02, 0.1, 1.0, 100.0)
LARGE_RHO = 100.0
DATA_SETS_5, DATA_SETS_6 = 1e6, 5e5
DRAWS = 1000
_RARE = 1e-7
SIMILAR = 0.005
"""Half a point: print's own spread in Figure 5, whose range it calls small, is from 58.9 to 59.5 %."""
NOTICEABLE = 0.01
DRAWN = f"from {DRAWS:,} draws at a time of print's sampler, which ignores that X2 >= X1, half of them enough for yes"


def decision(data: Data, parent: int, published: bool = False, rho: float = RHO_GROUP) -> ExpectedTwoLevel:
    """On average, at a true count above and its rho."""
    return data.once(
        ("two levels", parent, published, rho),
        lambda: expected_two_level(parent, SIBLINGS, (RHO_BLOCK, rho), published=published),
    )


def alone() -> float:
    """Right decisions from the block's count alone."""
    return expected_single_level(RHO_BLOCK).correct_decision


def from_draws(parent: int, rho: float = RHO_GROUP, draws: int = DRAWS) -> float:
    """Right decisions of somebody who runs the sampler so often and says yes if half of the draws or more say so.

    Draws are all but independent of one another here, so that those that say yes are binomial.
    """
    block, group = discrete_gaussian(RHO_BLOCK), discrete_gaussian(rho)
    others = noise_of_sum(one_noise(RHO_BLOCK, None), SIBLINGS)
    reach = others.reach(_RARE)
    y = np.arange(-reach, reach + 1.0)
    x1, weight1 = _likely(*block)
    x2, weight2 = _likely(*group)
    plane = weight2[:, None] * np.exp(others.logpmf(y))
    law = chain((1.0 + x1)[:, None, None], (parent + x2)[:, None], parent - 1.0 + y, asks=False, rho=(RHO_BLOCK, rho))
    return float(weight1 @ (plane * stats.binom.sf(draws // 2 - 1, draws, law.present)).sum(axis=(1, 2)))


def _likely(values: FloatArray, probabilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    kept = probabilities > _RARE
    return values[kept], probabilities[kept]


def _average(of: Callable[[Data, int], float]) -> Compute:
    return lambda data: float(np.mean([of(data, parent) for parent in PARENTS if parent >= FLAT_FROM]))


def _right(data: Data, parent: int) -> float:
    return decision(data, parent).correct_decision


def _right_by_sampler(data: Data, parent: int) -> float:
    return decision(data, parent, published=True).correct_decision


def _right_from_draws(data: Data, parent: int) -> float:
    return data.once(("from draws", parent), lambda: from_draws(parent))


def _one_point(data_sets: float) -> Callable[[Data], float]:
    """The standard error of one point of a figure, drawn from so many data sets."""

    def error(_: Data) -> float:
        share = alone()
        return math.sqrt(share * (1.0 - share) / data_sets)

    return error


def _outlier(published: bool) -> Check:
    def check(data: Data) -> Finding:
        first, *others = (decision(data, parent, published).correct_decision for parent in PARENTS)
        seen = f"{percent(first, 2)}; {percent(alone(), 2)} without, up to {percent(max(others), 2)} at x2 > 1"
        return Finding(first > max([alone(), *others]), seen)

    return check


def _more_above_one(published: bool) -> Check:
    """Whether decisions gain at x2 > 1 as well, and less than at 1."""

    def check(data: Data) -> Finding:
        gains = [decision(data, parent, published).net_gain for parent in PARENTS]
        points = [100.0 * gain for gain in (gains[0], min(gains[1:]), max(gains[1:]))]
        seen = f"{points[0]:+.2f} points at x2 = 1, {points[1]:+.2f} to {points[2]:+.2f} beyond"
        return Finding(min(gains[1:]) > 0.0 and max(gains[1:]) < gains[0], seen)

    return check


def _small_range(published: bool) -> Check:
    def check(data: Data) -> Finding:
        values = [decision(data, parent, published).correct_decision for parent in PARENTS]
        return Finding(
            max(values) - min(values) < NOTICEABLE, f"from {percent(min(values), 2)} to {percent(max(values), 2)}"
        )

    return check


def _lead(published: bool) -> Check:
    """How far x2 = 1 is ahead of 10, at four rho."""

    def check(data: Data) -> Finding:
        leads = [
            decision(data, 1, published, rho).correct_decision - decision(data, 10, published, rho).correct_decision
            for rho in LEADS
        ]
        told = ", ".join(f"{100.0 * lead:+.2f}" for lead in leads)
        falls = all(later < earlier for earlier, later in itertools.pairwise(leads))
        return Finding(leads[0] > 0.0 and falls, f"{told} points at rho = {', '.join(f'{rho:g}' for rho in LEADS)}")

    return check


def _similar(published: bool) -> Check:
    def check(data: Data) -> Finding:
        worst = (0.0, 0.0)
        for rho in (1.0, 2.0, 5.0, 10.0, LARGE_RHO):
            values = [decision(data, parent, published, rho).correct_decision for parent in SEVERAL]
            worst = max(worst, (max(values) - min(values), rho))
        return Finding(worst[0] < SIMILAR, f"at most {100.0 * worst[0]:.2f} points apart, at rho = {worst[1]:g}")

    return check


def _no_increase(data: Data) -> Finding:
    values = [decision(data, parent, rho=LARGE_RHO).correct_decision for parent in SEVERAL]
    told = ", ".join(percent(value, 2) for value in values)
    return Finding(max(values) - alone() < NOTICEABLE, f"{told} at rho = {LARGE_RHO:g}, {percent(alone(), 2)} without")


def _improves(published: bool) -> Check:
    def check(data: Data) -> Finding:
        ends = [
            [decision(data, parent, published, rho).correct_decision for rho in (LEADS[0], LARGE_RHO)]
            for parent in SEVERAL
        ]
        told = "; ".join(
            f"x2 = {parent}: {percent(low, 2)} to {percent(high, 2)}"
            for parent, (low, high) in zip(SEVERAL, ends, strict=True)
        )
        return Finding(all(high > low for low, high in ends), told)

    return check


def _no_certainty(_: Data) -> Finding:
    def right(rho_block: float) -> float:
        return expected_two_level(1, SIBLINGS, (rho_block, 1000.0)).correct_decision

    small, large = right(RHO_BLOCK), right(30.0)
    seen = f"{percent(small)} at the census's rho of the block, {percent(large, 3)} at 30, with rho above = 1,000"
    return Finding(small < 0.75 and large > 0.999, seen)


def _only_the_block(published: bool) -> Check:
    """Less than a tenth of what rho of the block does over the same range."""

    def check(data: Data) -> Finding:
        above = [decision(data, 1, published, rho).correct_decision for rho in (*LEADS, 10.0)]
        block = [expected_single_level(rho).correct_decision for rho in (LEADS[0], LARGE_RHO)]
        reach, most = max(above) - min(above), 0.1 * (block[1] - block[0])
        seen = f"by {100.0 * reach:.1f} points, rho of the block by {1000.0 * most:.1f}"
        return Finding(reach < most, seen)

    return check


def _no_effect(published: bool) -> Check:
    def check(data: Data) -> Finding:
        gain = decision(data, 1, published).net_gain
        return Finding(abs(gain) < NOTICEABLE, f"{100.0 * gain:+.2f} points")

    return check


def _even_chance(parent: int, rho: float) -> Reading:
    def compute(data: Data) -> float:
        found = decision(data, parent, rho=rho)
        return found.correct_decision + found.undecided

    return Reading("if an even chance counts as yes", compute)


def _by_parent(data: Data) -> Drawing:
    lines = (("posterior", _right), ("law of print's sampler", _right_by_sampler), ("1,000 draws", _right_from_draws))
    series = [Series(name, PARENTS, [of(data, parent) for parent in PARENTS]) for name, of in lines]
    without = [("", alone())]  # a name would hide points, and is told below
    panels = [
        Panel("by the posterior", "x2", "P(decision is right)", series[:1], "point", horizontals=without),
        Panel("by print's sampler", "x2", "P(decision is right)", series[1:], "point", horizontals=without),
    ]
    first, last = _right(data, PARENTS[0]), _right(data, PARENTS[-1])
    says = (
        f"By the posterior decisions are right {percent(first)} of the time at x2 = 1 and {percent(last)} at "
        f"{PARENTS[-1]}; from 1,000 draws of print's sampler {percent(_right_from_draws(data, 1), 2)} and "
        f"{percent(_right_from_draws(data, PARENTS[-1]), 2)}. The level line is the block's count alone."
    )
    return Drawing("P4", "Figure 5", "right decisions against the true count above", panels, says)


def _by_rho(data: Data) -> Drawing:
    panels = [
        Panel(
            title,
            "rho of the block group",
            "P(decision is right)",
            [
                Series(f"x2 = {x2}", RHOS, [decision(data, x2, published, rho).correct_decision for rho in RHOS])
                for x2 in SEVERAL
            ],
            log_x=True,
            legend="count above",
            verticals=[("the census", RHO_GROUP)],
            horizontals=[("", alone())],
        )
        for title, published in (("by the posterior", False), ("by print's sampler", True))
    ]
    low = min(RHOS, key=lambda rho: decision(data, 1, rho=rho).correct_decision)
    says = (
        f"By the posterior decisions about x2 = 1 are right {percent(decision(data, 1, rho=low).correct_decision)} of "
        f"the time at rho = {low:.2g} and {percent(decision(data, 1, rho=RHOS[-1]).correct_decision)} at "
        f"{RHOS[-1]:g}; by print's sampler {percent(decision(data, 1, True, low).correct_decision)} and "
        f"{percent(decision(data, 1, True, RHOS[-1]).correct_decision)}. The level line is the block's count alone."
    )
    return Drawing("P4", "Figure 6", "right decisions against rho above", panels, says)


def _chain(check: Callable[[bool], Check]) -> tuple[tuple[str, Check], ...]:
    return ((CHAIN, check(True)),)


CLAIMS: list[Claim] = [
    rho_of_group("Figure 5, rho", "0.247"),
    statement(
        "Figure 5, x2 = 1",
        "right decisions",
        "more than without hierarchical information and than at any larger x2",
        _outlier(published=False),
        "P4-2",
        readings=_chain(_outlier),
    ),
    number(
        "Figure 5, x2 > 3",
        "right decisions, on average",
        "59.05 %",
        _average(_right),
        "P4-13",
        error=_one_point(DATA_SETS_5),
        readings=(Reading(DRAWN, _average(_right_from_draws)), Reading(CHAIN, _average(_right_by_sampler))),
    ),
    statement(
        "Figure 5, larger x2",
        "what is gained there",
        "something as well, though less than at x2 = 1",
        _more_above_one(published=False),
        "P4-2",
        readings=_chain(_more_above_one),
    ),
    statement(
        "Figure 5, range",
        "what x2 changes",
        "remarkably little (less than a point)",
        _small_range(published=False),
        "P4-2",
        readings=_chain(_small_range),
    ),
    rho_of_group("Figure 6, rho", "0.247"),
    statement(
        "Figure 6, x2 = 1",
        "its lead over larger x2",
        "it lessens as rho of the block group grows",
        _lead(published=False),
        "P4-2",
        readings=_chain(_lead),
    ),
    statement(
        "Figure 6, rho above 1",
        "right decisions at x2 = 1, 10 and 100",
        "they are quite similar (within half a point)",
        _similar(published=False),
        "P4-2",
        readings=_chain(_similar),
    ),
    statement(
        "Figure 6, large rho",
        "right decisions, beside those without hierarchical information",
        "no noticeable increase (less than a point)",
        _no_increase,
    ),
    number("Figure 6, without", "right decisions from the block's count alone", "58.89 %", lambda _: alone()),
    number(
        "Figure 6, rho = 100",
        "right decisions",
        "59.2 %",
        lambda data: decision(data, 1, rho=LARGE_RHO).correct_decision,
        "P4-8",
        error=_one_point(DATA_SETS_6),
        readings=(_even_chance(1, LARGE_RHO),),
    ),
    statement(
        "Figure 6, growing rho",
        "right decisions as the count above gets better known",
        "they become more",
        _improves(published=False),
        "P4-2",
        readings=_chain(_improves),
    ),
    statement(
        "Figure 6, certainty",
        "right decisions when the count above is all but known",
        "not all of them, unless rho of the block grows too",
        _no_certainty,
    ),
    statement(
        "section 4.3, rho above",
        "what it changes in right decisions",
        "nothing that matters: only rho of the block does (less than a tenth of that)",
        _only_the_block(published=False),
        "P4-2",
        readings=_chain(_only_the_block),
    ),
    statement(
        "section 5, hierarchical information",
        "its effect on right decisions",
        "none to speak of (less than a point)",
        _no_effect(published=False),
        "P4-2",
        readings=_chain(_no_effect),
    ),
    epsilon_of_levels("section 5, epsilon"),
]
FIGURES = [Figure("P4", "Figure 5", _by_parent), Figure("P4", "Figure 6", _by_rho)]
