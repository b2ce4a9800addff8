"""P4, Figure 4: when the level above changes the adversary's decision.

The decisions of print are those of draws: 250,000 for each tile where the posterior is near one half. What such draws
would give on average, and how far from it they may be, follows from the law of the sampler.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from epsilens.lazy import LaterModule
from epsilens.noise.sums import noise_of_sum
from epsilens.posterior.noises import one_noise
from epsilens.posterior.two_levels.expected import DecisionMap, ExpectedTwoLevel, decision_map, expected_two_level
from epsilens.posterior.two_levels.parent_priors import ParentPrior
from epsilens.reproduce.claims import Claim, Compute, Estimate, Finding, Reading
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.budgets import rho_of_group
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

special = LaterModule("scipy.special")

BUDGETS = (RHO_BLOCK, RHO_GROUP)
PARENTS, OTHERS = (-3, 5), (-30, 30)
"""The noisy counts of the block group and of the other blocks that are drawn."""
DRAWS = 2.5e5
RIGHT, WRONG, NET = "2.48 %", "1.83 %", "0.65 %"
BLOCKS = (-12, 14)
"""The noisy counts of the block that are looked at: all that occur."""
SHOWN = (-1, 2)
THERE, NOT_THERE = "there", "not there"

BoolCube: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def decisions(
    data: Data, published: bool = False, prior: ParentPrior | None = None, blocks: tuple[int, int] = BLOCKS
) -> DecisionMap:
    """What the adversary says at each combination of noisy counts in print's box."""
    return data.once(
        ("decisions", published, prior, blocks),
        lambda: decision_map(1, SIBLINGS, BUDGETS, blocks, PARENTS, OTHERS, parent_prior=prior, published=published),
    )


def average(data: Data, published: bool = False) -> ExpectedTwoLevel:
    """Over all noisy counts, in the box or not, of a person who is alone in the block group."""
    return data.once(("Figure 4", published), lambda: expected_two_level(1, SIBLINGS, BUDGETS, published=published))


def _inside(data: Data, published: bool, right: bool) -> float:
    """The probability, in the box, of a decision that the level above turns right, or turns wrong."""
    found = decisions(data, published)
    alone = np.broadcast_to(found.present_alone[:, None, None], found.present.shape)
    return float(found.probability[(found.present != alone) & (found.present == right)].sum())


def _share(right: bool) -> Compute:
    return lambda data: _inside(data, False, right)


def _simulated(data: Data, asks: bool, right: bool) -> Estimate:
    """The same where each tile is decided by so many draws of the sampler: on average, and its standard error."""
    found = decisions(data)
    law = data.once(
        ("sampler in the box", asks),
        lambda: chain(found.child[:, None, None], found.parent[:, None], found.siblings, asks),
    )
    apart = (law.present - 0.5) / np.maximum(law.error(DRAWS), 1e-300)
    says = special.ndtr(apart if right else -apart)
    weight = np.where(found.present_alone[:, None, None] == right, 0.0, found.probability)
    return Estimate(float((weight * says).sum()), math.sqrt(float((weight**2 * says * (1.0 - says)).sum())))


def _error(right: bool) -> Callable[[Data], float]:
    return lambda data: _simulated(data, True, right).standard_error


def _sampled(right: bool) -> Reading:
    return Reading(CHAIN, lambda data: _simulated(data, False, right))


def _net_simulated(data: Data, asks: bool) -> Estimate:
    """The same; a tile is among those that may turn right or among those that may turn wrong, and drawn for itself."""
    right, wrong = (_simulated(data, asks, turned) for turned in (True, False))
    return Estimate(right.value - wrong.value, math.hypot(right.standard_error, wrong.standard_error))


def _net(data: Data) -> float:
    return _inside(data, False, True) - _inside(data, False, False)


def _mass(values: tuple[int, int], rho: float, around: int) -> float:
    noise, probabilities = discrete_gaussian(rho)
    return math.fsum(probabilities[(noise + around >= values[0]) & (noise + around <= values[1])])


def _box() -> tuple[float, float]:
    """How much of the noisy counts of the block group, and of the other blocks, is drawn."""
    total = noise_of_sum(one_noise(RHO_BLOCK, None), SIBLINGS)
    return _mass(PARENTS, RHO_GROUP, 1), float(np.exp(total.logpmf(np.arange(OTHERS[0], OTHERS[1] + 1.0))).sum())


def _box_together(_: Data) -> Finding:
    share = math.prod(_box())
    return Finding(share > 0.99, f"it holds {percent(share, 2)}")


def _box_apart(_: Data) -> Finding:
    shares = _box()
    return Finding(min(shares) > 0.99, f"{percent(shares[0], 2)} and {percent(shares[1], 2)}")


def _alone(data: Data) -> Finding:
    found = decisions(data)
    holds = bool((found.present_alone == (found.child >= 1.0)).all())
    return Finding(holds, f"at all noisy counts from {BLOCKS[0]} to {BLOCKS[1]}")


def _unchanged(published: bool) -> Check:
    def check(data: Data) -> Finding:
        found = decisions(data, published)
        changed = (found.present != found.present_alone[:, None, None]).any(axis=(1, 2))
        where = [int(x) for x in found.child[changed]]
        return Finding(set(where) <= {0, 1}, f"it changes some decision at x1* = {', '.join(map(str, where))}")

    return check


def _at_the_edge(block: int, edge: int, there: bool, published: bool) -> Check:
    """Whether every noisy count of the block group comes to this decision at the last noisy count of the others."""

    def check(data: Data) -> Finding:
        found = decisions(data, published)
        said = found.present[int(block - found.child[0]), :, 0 if edge < 0 else -1]
        many = int((said == there).sum())
        return Finding(many == said.size, f"at y* = {edge} in {many} of {said.size} columns")

    return check


def _turns(data: Data, published: bool) -> list[int]:
    """For each noisy count of the block group how many noisy counts of the others say yes at x1* = 1."""
    found = decisions(data, published)
    return [int(column.sum()) for column in found.present[int(1 - found.child[0])]]


def _depends(data: Data) -> Finding:
    turns = _turns(data, published=False)
    return Finding(
        len(set(turns)) > 1, f"x1* = 1 is said to be there at {', '.join(map(str, turns))} of 61 noisy counts"
    )


def _gains(published: bool) -> Check:
    def check(data: Data) -> Finding:
        found = average(data, published)
        seen = f"from {percent(found.correct_decision_alone, 2)} to {percent(found.correct_decision, 2)}"
        return Finding(found.net_gain > 0.0, seen)

    return check


def map_panels(found: DecisionMap, title: str) -> list[Panel]:
    """One map for each noisy count of the block: what the adversary says."""
    y, x = np.meshgrid(found.siblings, found.parent)
    panels = []
    for block, said in zip(found.child, found.present, strict=True):
        words = [THERE if there else NOT_THERE for there in said.ravel()]
        series = Series("", x.astype(int).ravel().tolist(), y.astype(int).ravel().tolist(), words)
        panels.append(Panel(f"{title}, x1* = {int(block)}", "x2*", "y1*", [series], "map", legend="decision"))
    return panels


def _figure(data: Data) -> Drawing:
    exact, drawn = average(data), average(data, published=True)
    panels = [
        *map_panels(decisions(data, blocks=SHOWN), "posterior"),
        *map_panels(decisions(data, published=True, blocks=SHOWN), "print's sampler"),
    ]
    here, tiles = [
        " and ".join(percent(share, 2) for share in shares)
        for shares in (
            [_inside(data, False, right) for right in (True, False)],
            [_simulated(data, False, right).value for right in (True, False)],
        )
    ]
    says = (
        f"In the box the level above turns {here} of decisions right and wrong by the posterior, and {tiles} where "
        f"print's sampler decides each tile; in the box and beyond, {percent(exact.right_changes, 2)} and "
        f"{percent(exact.wrong_changes, 2)}, and under that sampler's law {percent(drawn.right_changes, 2)} and "
        f"{percent(drawn.wrong_changes, 2)}."
    )
    return Drawing("P4", "Figure 4", "decisions by noisy counts", panels, says, columns=4)


CLAIMS: list[Claim] = [
    rho_of_group("section 4.3, rho with Figure 4", "0.247"),
    statement(
        "Figure 4, box",
        "noisy counts of block group and other blocks",
        "the box that is drawn holds more than 99 % of the probability",
        _box_together,
        "P4-11",
        readings=(("of each of its sides for itself", _box_apart),),
    ),
    statement("Figure 4, alone", "decisions from the block's count alone", "there just where x1* >= 1", _alone),
    statement(
        "Figure 4, beyond 0 and 1",
        "decisions that hierarchical information changes",
        "none where x1* is 2 or more, or -1 or less",
        _unchanged(published=False),
        "P4-2",
        readings=((CHAIN, _unchanged(published=True)),),
    ),
    statement(
        "Figure 4, x1* = 1",
        "decision where the other blocks show many",
        "not there",
        _at_the_edge(1, OTHERS[1], there=False, published=False),
    ),
    statement(
        "Figure 4, x1* = 0",
        "decision where the other blocks show far below none",
        "there",
        _at_the_edge(0, OTHERS[0], there=True, published=False),
        "P4-2",
        readings=((CHAIN, _at_the_edge(0, OTHERS[0], there=True, published=True)),),
    ),
    statement("Figure 4, turning points", "where decisions turn", "they depend on x2*", _depends),
    *(
        number(
            f"Figure 4, {name}",
            "probability of such tiles",
            text,
            _share(right),
            "P4-2",
            error=_error(right),
            readings=(_sampled(right),),
        )
        for name, text, right in (("decisions turned right", RIGHT, True), ("decisions turned wrong", WRONG, False))
    ),
    number(
        "Figure 4, net gain",
        "by how much more often the decision is right",
        NET,
        _net,
        "P4-2",
        error=lambda data: _net_simulated(data, True).standard_error,
        readings=(Reading(CHAIN, lambda data: _net_simulated(data, False)),),
        leaves_open="which draws decided its tiles, and chance moves what is left of two shares by as much",
    ),
    statement(
        "Figure 4, gain",
        "right decisions with hierarchical information",
        "there are slightly more of them",
        _gains(published=False),
        "P4-2",
        readings=((CHAIN, _gains(published=True)),),
    ),
    statement(
        "section 3.2, improvement",
        "hierarchical information",
        "it should improve the adversary's inference",
        _gains(published=False),
        "P4-2",
        readings=((CHAIN, _gains(published=True)),),
    ),
]
FIGURES = [Figure("P4", "Figure 4", _figure)]
