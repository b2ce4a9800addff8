"""Risk profiles for mechanisms whose privacy loss has no bound: a profile that holds but for a small probability.

Under Gaussian noise some outputs tell everything, though hardly ever. So the profile must hold with probability at
least 1 - delta over the noise, given that the target takes part and has the value; that probability comes from the
mechanism's own law, not from its (epsilon, delta).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.budget import NEIGHBOURS, ZCDP, count_sensitivity
from epsilens.checks import one_of, probability
from epsilens.choice.beside.profiles import ProfileBudget, RiskProfile, profile_budget
from epsilens.choice.choose.dial import RiskDial
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.composed_loss import loss_of
from epsilens.noise.loss import PrivacyLoss
from epsilens.noise.loss_range import greatest_exceedance
from epsilens.noise.mechanisms import law_named

LEAST_SUMMED = 1e-11
"""Sums of probabilities have no digits left for chances of failure below this: their bound is taken as it is."""
_SMALLEST_SIZE = 1e-3


@dataclass(frozen=True)
class ProfileNoise:
    """The least noise of a law from which on all honour a profile but for a probability of ``failure``."""

    allowed: ProfileBudget
    noise: Noise
    failure: float
    """P(the profile is exceeded), or an upper bound where not taking part is possible; at most what was asked for."""

    @property
    def scale(self) -> float:
        """The law's own parameter."""
        return self.noise.size

    def epsilon(self, delta: float) -> float:
        """The epsilon at which this noise is (epsilon, ``delta``)-DP, from its exact law."""
        from scipy import optimize

        loss = PrivacyLoss.of(self.noise, self.allowed.neighbours)
        if loss.delta(0.0) <= probability("delta", delta):
            return 0.0
        high = 1.0
        while loss.delta(high) > delta:
            high *= 2.0
        root, step = float(optimize.brentq(lambda e: loss.delta(e) - delta, 0.0, high, xtol=1e-10)), 1e-12
        while loss.delta(root) > delta:  # to the safe side
            root, step = root + step, 2.0 * step
        return root

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            **self.allowed.to_dict(),
            "law": type(self.noise).__name__,
            "scale": self.scale,
            "failure": self.failure,
        }


def profile_noise(
    profile: RiskProfile, law: str = "gaussian", failure: float = 1e-6, neighbours: str = "add-remove"
) -> ProfileNoise:
    """The least scale of ``law`` from which on every scale keeps the profile with probability at least 1 - ``failure``.

    The ratio exceeds r*(p, q) only if an alternative is too unlikely: of another label (two counts move) or, where
    q < 1, of not being there. With l the loss that the profile allows, P(exceeded) = P(L_2 > l) for q = 1, where l =
    -log of the largest likelihood ratio demanded. For q < 1 it is at most P(L_1 > epsilon) + P(L_2 > 2 epsilon) under
    add-remove, and 2 P(L_2 > epsilon) under substitution. Symbols: L_m is the privacy loss with m counts moved,
    epsilon that of :func:`profile_budget`.

    The probability is a saw-tooth in the scale, since published counts are whole numbers: of a discrete Gaussian law
    L_2 > l means Z_1 + Z_2 >= k for one k on each tooth, likelier with every scale, until l sigma^2 passes a whole
    number and k becomes k + 1. So a scale that is enough may have larger ones above it that are not, and the least of
    all that are enough is of no use to somebody who rounds a budget down. :func:`least_factor` finds the one from which
    on all are.

    Source: Kazan and Reiter 2024, with the law's own loss in the place of epsilon; the tail as in P0 Eq. (2).
    Assumes published whole numbers; the profile must hold given that the target is there and has the value.
    """
    kind = law_named(law)
    bar = probability("failure", failure)
    one_of("neighbours", neighbours, NEIGHBOURS)
    allowed = profile_budget(profile, neighbours)
    noise = scaled((kind,), least_factor(allowed, (kind,), bar))[0]
    return ProfileNoise(allowed, noise, min(bar, exceeded(allowed, (noise,))))  # the sum may be on the safe side


def scaled(noises: Sequence[Noise], factor: float) -> tuple[Noise, ...]:
    """The same laws, each ``factor`` times as large."""
    return tuple(noise.of_size(factor * noise.size) for noise in noises)


def exceeded(allowed: ProfileBudget, noises: Sequence[Noise]) -> float:
    """P(the profile is exceeded), as :func:`profile_noise` says, by counts of one level or of several."""
    chances = [loss_of(noises, moved).exceedance(loss) for moved, loss in _bars(allowed)]
    return min(1.0, _weight(allowed) * sum(chances))


def least_factor(allowed: ProfileBudget, noises: Sequence[Noise], failure: float) -> float:
    """The least factor from which on all larger ones make noises that keep the profile but for ``failure``.

    inf {t : P(exceeded at s) <= d for every s >= t}, on the safe side by 1e-10 at most; 1e-6 for several levels, 1e-4
    for noise of a thousand people.

    *Beyond some factor* all are enough, by a bound that falls with the noise: a loss that is bounded falls below what
    the profile allows, and of rho-zCDP noise P(loss > l) <= exp(-(l - rho)^2 / (4 rho)), which is :func:`profile_rho`.
    *Below it* stretches [s / (1 + w), s] are taken one after the other, downwards. Each is passed only if
    :func:`greatest_exceedance`, a bound on the probability that holds at every factor of the stretch, is at most d;
    else w is made smaller. The descent ends at the first place that no stretch, however short, can pass: there the
    probability itself, or its limit from below, exceeds d. Symbols: d is ``failure``.

    Source: P4 Theorem 1 for the bound beyond; P0 Eq. (2), one side of it, below.
    Assumes that all levels' sizes grow together, as they do on a dial.
    """
    start = _surely_enough(allowed, noises, failure)
    if failure < LEAST_SUMMED:
        return start

    def chance(low: float, high: float) -> float:
        between = scaled(noises, low), scaled(noises, high)
        bounds = [greatest_exceedance(*between, moved, loss) for moved, loss in _bars(allowed)]
        return _weight(allowed) * sum(bounds)

    # levels, and wide noise, are summed on a lattice, which has fewer digits and takes its time
    closest = 1e-6 if len(noises) > 1 else 1e-10
    if any(PrivacyLoss(noise).is_wide for noise in scaled(noises, start)):
        closest = 1e-4
    high, width, again = start, 0.5, False
    while high * min(noise.size for noise in noises) > _SMALLEST_SIZE:
        low = high / (1.0 + width)
        if chance(low, high) <= failure:
            high, width, again = low, min(2.0 * width, 0.5) if again else width, True
        elif width <= closest:
            break
        else:
            width, again = max(0.25 * width, closest), False
    return high


def _surely_enough(allowed: ProfileBudget, noises: Sequence[Noise], failure: float) -> float:
    """A factor from which on all are enough, by the bounds that :func:`least_factor` names."""
    if not any(noise.has_delta for noise in noises):
        factor = 1.0
        while any(
            sum(noise.largest_loss(moved) for noise in scaled(noises, factor)) > loss for moved, loss in _bars(allowed)
        ):
            factor *= 2.0
        return factor
    rho = profile_rho(allowed.profile, failure, allowed.neighbours)
    moved = count_sensitivity(allowed.neighbours, 2)
    return math.sqrt(sum(_rho_of(noise, moved) for noise in noises) / rho) * (1.0 + 1e-12)


def _rho_of(noise: Noise, sensitivity: float) -> float:
    """The rho of a noise: its size is that of rho = 1/2 at a sensitivity of 1, times sensitivity / sqrt(2 rho)."""
    mechanism = MECHANISMS.get(noise.name)
    if mechanism is None or not mechanism.has_rho:
        raise ParameterError(
            f"{noise.title} noise has a privacy loss without bound and no rho, so nothing is known of all larger "
            "scales of it",
            remedy="take a law whose loss is bounded, or one that is rho-zCDP",
        )
    unit = mechanism.rules[ZCDP](ZCDP(0.5), 1.0).size
    return 0.5 * (sensitivity * unit / noise.size) ** 2


def _bars(allowed: ProfileBudget) -> list[tuple[int, float]]:
    """The counts that move and the loss that they may have, for every alternative that a profile is about."""
    if allowed.neighbours == "substitute":
        return [(2, allowed.epsilon)]
    label = (2, 2.0 * allowed.epsilon)
    return [label] if _always_there(allowed.profile) else [label, (1, allowed.epsilon)]


def _weight(allowed: ProfileBudget) -> float:
    """Under substitution not being there is one more alternative like a change of label."""
    return 2.0 if allowed.neighbours == "substitute" and not _always_there(allowed.profile) else 1.0


def _always_there(profile: RiskProfile) -> bool:
    return profile.taking_part == (1.0, 1.0)


def profile_rho(profile: RiskProfile, failure: float = 1e-6, neighbours: str = "substitute") -> float:
    """The largest rho whose zCDP alone, without a law, keeps the profile but for a probability of ``failure``.

    rho = (sqrt(log(1 / d) + l) - sqrt(log(1 / d)))^2, since P(loss > l) <= exp(-(l - rho)^2 / (4 rho)). Symbols: d is
    ``failure``, halved where the target may not take part; l is the loss allowed between neighbours by substitution.
    Under add-remove a change of label is two steps, which cost 4 rho.

    Source: P4 Theorem 1 for the tail; Kazan and Reiter 2024, section 3, for l.
    """
    sure = profile.taking_part == (1.0, 1.0)
    allowed = profile_budget(profile, one_of("neighbours", neighbours, NEIGHBOURS))
    log_inverse = -math.log(probability("failure", failure) / (1.0 if sure else 2.0))

    def within(loss: float) -> float:
        return (math.sqrt(log_inverse + loss) - math.sqrt(log_inverse)) ** 2

    if neighbours == "substitute":
        return within(allowed.epsilon)
    two_steps = 0.25 * within(2.0 * allowed.epsilon)
    return two_steps if sure else min(two_steps, within(allowed.epsilon))


def profile_cap(profile: RiskProfile, dial: RiskDial, failure: float | None = None) -> tuple[float, dict[str, Any]]:
    """The largest value of a dial's parameter up to which all keep the profile, and what binds, as plain values.

    For pure mechanisms the epsilon of :func:`profile_budget`, over all levels together. For Gaussian ones, whose loss
    has no bound, the epsilon or rho whose noise is that of :func:`least_factor`: of a table that of
    :func:`profile_noise`, of a hierarchy the one whose levels together fail as rarely. The chance of failure is the
    dial's delta, unless ``failure`` is given; a dial in rho has no delta, and needs it.

    Source: Kazan and Reiter 2024, with the mechanism's own loss where epsilon alone bounds nothing.
    Assumes that a person is counted in one group of every level, and that the noise falls as the parameter grows, as
    every calibration's does.
    """
    allowed = profile_budget(profile, dial.neighbours)
    if not MECHANISMS[dial.mechanism].has_delta:
        return allowed.epsilon, allowed.to_dict()
    if dial.attack is None and dial.table.max_rows_per_unit > 1:
        raise ParameterError(
            f"the `profile` of {dial.mechanism!r} is known for one count per person, not for several",
            remedy="take `mechanism=laplace`, whose epsilon bounds everything, or leave the `profile` out",
        )
    bar = _chance_of_failure(dial, failure)
    start = dial.noises(0.5)
    if dial.attack is None:
        start = (law_named(start[0].name),)
    least = scaled(start, least_factor(allowed, start, bar))[0].size
    cap = _largest_with(dial, allowed, least)
    noises = dial.noises(cap)
    scale = {"scale": least} if dial.attack is None else {"scales": [noise.size for noise in noises]}
    return cap, allowed.to_dict() | {dial.parameter: cap, "failure": min(bar, exceeded(allowed, noises)), **scale}


def keeps_profile(profile: RiskProfile, dial: RiskDial, value: float, failure: float | None = None) -> bool:
    """Whether this very value of the dial keeps the profile, but for the chance that :func:`profile_cap` speaks of."""
    allowed = profile_budget(profile, dial.neighbours)
    if not MECHANISMS[dial.mechanism].has_delta:
        return value <= allowed.epsilon
    bar, noises = _chance_of_failure(dial, failure), dial.noises(value)
    return exceeded(allowed, noises) <= bar or _surely_enough(allowed, noises, bar) <= 1.0


def _chance_of_failure(dial: RiskDial, failure: float | None) -> float:
    if failure is not None:
        return probability("failure", failure)
    if dial.delta is None:
        raise ParameterError(
            f"a `profile` in {dial.parameter} holds but for a small chance, and none is given",
            remedy="give `failure`, such as 1e-6",
        )
    return probability("delta", dial.delta)


def _largest_with(dial: RiskDial, allowed: ProfileBudget, least: float) -> float:
    """The largest value of the dial whose noise (of the lowest level) is at least ``least``; noise falls with it."""

    def enough(value: float) -> bool:
        return dial.noise(value).size >= least

    most = min(1e4, dial.highest_valid * (1.0 - 1e-9))
    low = high = min(allowed.epsilon, most)
    while not enough(low):
        low, high = 0.5 * low, low
        if low < 1e-9:
            raise ParameterError(
                f"no {dial.parameter} of {dial.mechanism!r} keeps the `profile` at this `delta`",
                remedy="take a smaller `delta`",
            )
    while high < most and enough(high):
        low, high = high, min(2.0 * high, most)
    while not enough(high) and high > low * (1.0 + 1e-12):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    return high if enough(high) else low
