"""Dials of hierarchies: the Bayesian adversary who also sees noisy counts of the groups above the target's.

One release publishes noisy counts at every level, each level paid for with a share of the budget. The people at stake
are those who are unique, or rare, at the lowest level; a person's risk is that of their situation
(``posterior.release_risk``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from epsilens.arrays import FloatArray
from epsilens.checks import positive, probability, whole
from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.dial import POSTERIOR_MEASURES, Parameter, RiskDial
from epsilens.choice.choose.of_table import posterior_limits
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.posterior.attacks import attack_named
from epsilens.posterior.release_risk import release_risk
from epsilens.table.hierarchy import Situations


def hierarchy_dial(
    situations: Situations,
    mechanism: str,
    parameter: Parameter,
    delta: float | None,
    neighbours: str,
    measure: str,
    aggregate: AnyAggregate,
    attack: str = "unique-levels",
    prior: float = 0.5,
    rare: int = 1,
    shares: Sequence[float] | None = None,
    **options: object,
) -> RiskDial:
    """The dial of the whole budget, ``shares`` of which go to the levels, lowest first (equal ones by default).

    Level l is published with the noise of the share s_l of the budget: epsilon_l = s_l epsilon, and likewise for rho,
    the sum of the shares being 1. The risk of a situation is that of ``attack`` (see ``release_risk``), and the people
    are those whose count at the lowest level is at most ``rare``.

    Source: P4 Eq. (3.4) over a whole table, with the budget of section 2 divided over the levels.
    Assumes that a person is counted once at every level, in one group, so that the levels' budgets add up; Gaussian
    noise of several levels costs together what one Gaussian with the sum of their 1 / sigma^2 would.
    """
    if measure not in POSTERIOR_MEASURES:
        raise ParameterError(
            f"measure {measure!r} is one of a table; of a hierarchy there are {', '.join(POSTERIOR_MEASURES)}"
        )
    if options:
        raise ParameterError(
            f"measures of a hierarchy take attack, prior, rare and shares and no other option, got {', '.join(options)}"
        )
    adversary = attack_named(attack)
    p, most, levels = probability("prior", prior), whole("rare", rare, 1), situations.counts.shape[1]
    if levels < adversary.levels_needed:
        raise ParameterError(
            f"`attack={attack}` needs a hierarchy of at least {adversary.levels_needed} levels", got=levels
        )
    chosen = situations.counts[:, 0] <= most
    if not chosen.any():
        raise ParameterError(f"nobody's count at the lowest level is <= {most}", remedy="raise `rare`")
    at_stake = Situations(situations.counts[chosen], situations.siblings[chosen], situations.cells[chosen])
    decisions = measure == "posterior-decision"

    def risks(noises: tuple[Noise, ...]) -> FloatArray:
        found = release_risk(at_stake, None, p, attack, most, noises, decisions)
        return getattr(found, POSTERIOR_MEASURES[measure])  # type: ignore[no-any-return]

    dial = RiskDial(
        at_stake,
        mechanism,
        parameter,
        delta,
        neighbours,
        measure,
        aggregate,
        risks,
        at_stake.cells * at_stake.counts[:, 0],
        at_stake.cells,
        None,
        posterior_limits(measure, p),
        shares=_shares(shares, levels),
        attack=attack,
        greatest=posterior_limits(measure, p)[1],
        too_wide=lambda noises, factor: adversary.too_wide(noises, decisions, factor),
    )
    if decisions and adversary.leans(p):
        dial = replace(dial, limits=(dial.risk(dial.default_range()[0]), 1.0))
    return _at_finite_noise(dial)


def _at_finite_noise(dial: RiskDial) -> RiskDial:
    """With a fixed delta some calibrations reach a finite scale as epsilon tends to 0: then that is the limit."""
    tiny, tinier = (math.sqrt(dial.noise(value).variance) for value in (1e-7, 1e-8))
    return replace(dial, limits=(dial.risk(1e-8), dial.limits[1])) if tinier < 1.001 * tiny else dial


def _shares(given: Sequence[float] | None, levels: int) -> tuple[float, ...]:
    """One share per level, which add up to 1."""
    if given is None:
        return (1.0 / levels,) * levels
    shares = tuple(positive("a share of the budget", share) for share in given)
    if len(shares) != levels:
        raise ParameterError(f"shares need one number per level, {levels} of them, got {len(shares)}")
    if abs(sum(shares) - 1.0) > 1e-9:
        raise ParameterError(f"shares must add up to 1, got {sum(shares):g}; the budget is divided, not multiplied")
    return shares
