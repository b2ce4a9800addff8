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

from epsilens.budget import NEIGHBOURS
from epsilens.checks import one_of, probability
from epsilens.choice.beside.profiles import ProfileBudget, RiskProfile, profile_budget
from epsilens.choice.choose.dial import RiskDial
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.composed_loss import loss_of
from epsilens.noise.loss import PrivacyLoss
from epsilens.noise.mechanisms import law_named


@dataclass(frozen=True)
class ProfileNoise:
    """The least noise of a law that honours a profile but for a probability of ``failure``."""

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
        return float(optimize.brentq(lambda e: loss.delta(e) - delta, 0.0, high, xtol=1e-10))

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
    """The smallest scale of ``law`` at which the profile holds with probability at least 1 - ``failure``.

    The ratio exceeds r*(p, q) only if an alternative is too unlikely: of another label (two counts move) or, where
    q < 1, of not being there. With l the loss that the profile allows, P(exceeded) = P(L_2 > l) for q = 1, where l =
    -log of the largest likelihood ratio demanded. For q < 1 it is at most P(L_1 > epsilon) + P(L_2 > 2 epsilon) under
    add-remove, and 2 P(L_2 > epsilon) under substitution. Symbols: L_m is the privacy loss with m counts moved,
    epsilon that of :func:`profile_budget`.

    Source: Kazan and Reiter 2024, with the law's own loss in the place of epsilon; the tail as in P0 Eq. (2).
    Assumes published whole numbers; the profile must hold given that the target is there and has the value.
    """
    make = law_named(law).of_size
    bar = probability("failure", failure)
    one_of("neighbours", neighbours, NEIGHBOURS)
    allowed = profile_budget(profile, neighbours)

    def exceeded(scale: float) -> float:
        return _exceeded(allowed, (make(scale),))

    low = high = 1.0
    while exceeded(high) > bar:
        high *= 2.0
    while low > 1e-3 and exceeded(low) <= bar:
        low *= 0.5
    # discrete losses make the probability jump, so the last scale that was found to be enough is kept
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if exceeded(middle) <= bar else (middle, high)
    return ProfileNoise(allowed, make(high), exceeded(high))


def _exceeded(allowed: ProfileBudget, noises: Sequence[Noise]) -> float:
    """P(the profile is exceeded), as :func:`profile_noise` says, by counts of one level or of several."""
    always_there = allowed.profile.taking_part == (1.0, 1.0)
    label = loss_of(noises, 2)
    if allowed.neighbours == "substitute":
        return (1.0 if always_there else 2.0) * label.exceedance(allowed.epsilon)
    changed = label.exceedance(2.0 * allowed.epsilon)
    return changed if always_there else changed + loss_of(noises, 1).exceedance(allowed.epsilon)


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


def profile_cap(profile: RiskProfile, dial: RiskDial) -> tuple[float, dict[str, Any]]:
    """The largest epsilon of a dial that keeps the profile, and what binds, as plain values for JSON.

    For pure mechanisms that of :func:`profile_budget`, over all levels together. For Gaussian ones, whose loss has no
    bound, the epsilon whose noise is that of :func:`profile_noise`, with the dial's delta as the failure; of a
    hierarchy the one whose levels together fail as rarely.

    Source: Kazan and Reiter 2024, with the mechanism's own loss where epsilon alone bounds nothing.
    Assumes that a person is counted in one group of every level, and that the noise falls as epsilon grows, as every
    calibration's does.
    """
    allowed = profile_budget(profile, dial.neighbours)
    if dial.delta is None:
        return allowed.epsilon, allowed.to_dict()
    if dial.attack is None and dial.table.max_rows_per_unit > 1:
        raise ParameterError(
            f"the `profile` of {dial.mechanism!r} is known for one count per person, not for several",
            remedy="take `mechanism=laplace`, whose epsilon bounds everything, or leave the `profile` out",
        )
    found = None
    if dial.attack is None:
        found = profile_noise(profile, MECHANISMS[dial.mechanism].law.name, dial.delta, dial.neighbours)
    failure = probability("delta", dial.delta)

    def enough(epsilon: float) -> bool:
        if found is None:
            return _exceeded(allowed, dial.noises(epsilon)) <= failure
        return dial.noise(epsilon).size >= found.scale

    most = min(1e4, dial.highest_valid * (1.0 - 1e-9))
    low = high = min(allowed.epsilon, most)  # where Laplace noise would be; very wide noise takes long
    while not enough(low):
        low, high = 0.5 * low, low
        if low < 1e-9:
            raise ParameterError(
                f"no epsilon of {dial.mechanism!r} keeps the `profile` at this `delta`", remedy="take a smaller `delta`"
            )
    while high < most and enough(high):
        low, high = high, min(2.0 * high, most)
    # a lattice of losses leaves fewer digits than a scale, and levels cost more time
    while not enough(high) and high > low * (1.0 + (1e-12 if found is not None else 1e-6)):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    cap = high if enough(high) else low
    noises = dial.noises(cap)
    scales = [noise.size for noise in noises]
    kept = found.failure if found is not None else _exceeded(allowed, noises)
    scale = {"scale": found.scale} if found is not None else {"scales": scales}
    return cap, allowed.to_dict() | {"epsilon": cap, "failure": kept, **scale}
