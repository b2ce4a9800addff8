"""Dials of hierarchies: the Bayesian adversary who also sees noisy counts of the groups above the target's.

One release publishes noisy counts at every level, each level paid for with a share of the budget. The people at stake
are those who are unique, or rare, at the lowest level; a person's risk is that of their situation
(``posterior.release_risk``).
"""

from __future__ import annotations

from dataclasses import replace

from epsilens.arrays import FloatArray
from epsilens.choice.choose.asked import POSTERIOR_MEASURES, Asked, Shape, checked_shares
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.of_table import posterior_limits
from epsilens.noise import Noise
from epsilens.posterior.attacks import attack_named
from epsilens.posterior.release_risk import chosen_situations, refuse_several_rows, release_risk
from epsilens.table.hierarchy import Situations


def hierarchy_dial(situations: Situations, asked: Asked) -> RiskDial:
    """The dial of the whole budget, ``shares`` of which go to the levels, lowest first (equal ones by default).

    Level l is published with the noise of the share s_l of the budget: epsilon_l = s_l epsilon, and likewise for rho,
    the sum of the shares being 1. The risk of a situation is that of ``attack`` (see ``release_risk``), and the people
    are those whose count at the lowest level is at most ``rare``, and that of a ``family`` at least.

    Source: P4 Eq. (3.4) over a whole table, with the budget of section 2 divided over the levels.
    Assumes that a person is counted once at every level, in one group, so that the levels' budgets add up; Gaussian
    noise of several levels costs together what one Gaussian with the sum of their 1 / sigma^2 would.
    """
    refuse_several_rows(situations.max_rows_per_unit)
    levels = situations.counts.shape[1]
    asked.fitting(Shape(levels=levels))
    adversary = attack_named(asked.attack)
    most, family, given = asked.rare, asked.family, asked.options.get("shares")
    chosen = chosen_situations(situations, most, family)
    at_stake = Situations(situations.counts[chosen], situations.siblings[chosen], situations.cells[chosen])
    decisions = asked.measure == "posterior-decision"

    def risks(noises: tuple[Noise, ...]) -> FloatArray:
        found = release_risk(at_stake, None, asked.prior, asked.attack, most, noises, decisions, family)
        return getattr(found, POSTERIOR_MEASURES[asked.measure])  # type: ignore[no-any-return]

    limits = posterior_limits(asked.measure, asked.prior)
    dial = RiskDial(
        data=at_stake,
        asked=asked,
        kind_risks=risks,
        people=at_stake.cells * at_stake.counts[:, 0],
        cells=at_stake.cells,
        slope=None,
        limits=limits,
        largest_count=family,
        shares=(1.0 / levels,) * levels if given is None else checked_shares(given, levels),
        attack=asked.attack,
        greatest=limits[1],
        too_wide=lambda noises, factor: adversary.too_wide(noises, decisions, factor),
    )
    if decisions and adversary.leans(asked.prior):
        dial = replace(dial, limits=(dial.risk(dial.default_range()[0]), 1.0))
    return _at_finite_noise(dial)


def _at_finite_noise(dial: RiskDial) -> RiskDial:
    """With a fixed delta some calibrations reach a finite scale as epsilon tends to 0: then that is the limit.

    Noise that is too wide to be summed hides one person but for a millionth or so: the limit stays.
    """
    least = dial.noises_of_delta()
    if least is None or (dial.too_wide is not None and dial.too_wide(least, 1.0)):
        return dial
    return replace(dial, limits=(dial.of_noise(*least), dial.limits[1]))
