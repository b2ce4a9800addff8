"""Risk profiles: how much more likely a disclosure may become, depending on how likely it was before.

The adversary believes that the target takes part with probability q and, if so, has the sensitive value with
probability p. A profile r*(p, q) is a ceiling on posterior / prior of "takes part and has it". Pure differential
privacy bounds that ratio by 1 / D, and the largest epsilon with 1 / D <= r* for *every* p and q is what the profile
allows. Nothing here looks at data.

With x = e^-epsilon, D is bilinear in (p, q) and grows with x. So over a box of (p, q) it is least at a corner, and a
profile that falls in p and q is least at the upper corner: together they bound, from the safe side, the x that the box
demands. Boxes that cannot demand more than some point already does are dropped, the others are cut. A grid would look
at points only, and err on the unsafe side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import NEIGHBOURS
from epsilens.checks import finite, one_of, positive
from epsilens.errors import ParameterError

Ratio: TypeAlias = Callable[[FloatArray, FloatArray], npt.ArrayLike]

_TOLERANCE = 1e-12
_MOST_BOXES = 200_000
_MOST_LEVELS = 60


@dataclass(frozen=True)
class RiskProfile:
    """A ceiling r*(p, q) on posterior / prior, for p and q in closed ranges (an end at 0 is approached only).

    ``ratio`` takes arrays. It must not rise with p or with q; a profile that does needs ``slope``, a bound on
    |r*(p, q) - r*(p', q')| / (|p - p'| + |q - q'|) instead.
    """

    ratio: Ratio
    text: str
    prior: tuple[float, float] = (0.0, 1.0)
    taking_part: tuple[float, float] = (1.0, 1.0)
    slope: float | None = None

    def __post_init__(self) -> None:
        for name, (low, high) in (("prior", self.prior), ("taking_part", self.taking_part)):
            if not 0 <= finite(name, low) <= finite(name, high) <= 1 or high == 0:
                raise ParameterError(f"the range of {name} must ascend within [0, 1], got {low:g} to {high:g}")
        if self.slope is not None:
            positive("slope", self.slope)

    def least(self, p: tuple[FloatArray, FloatArray], q: tuple[FloatArray, FloatArray]) -> FloatArray:
        """A lower bound on the profile over boxes [p[0], p[1]] x [q[0], q[1]]."""
        if self.slope is None:
            return as_floats(self.ratio(p[1], q[1]))
        half = 0.5 * ((p[1] - p[0]) + (q[1] - q[0]))
        return as_floats(self.ratio(0.5 * (p[0] + p[1]), 0.5 * (q[0] + q[1]))) - self.slope * half


@dataclass(frozen=True)
class CappedProfile(RiskProfile):
    """r*(p, q) = max(a / p, r), or max(a / (p q), r) where ``joint``: see :func:`capped_profile`."""

    a: float = 0.0
    r: float = 1.0
    joint: bool = False


def constant_profile(r: float, taking_part: tuple[float, float] = (1.0, 1.0)) -> CappedProfile:
    """The same ceiling ``r`` on the ratio for everybody."""
    return capped_profile(0.0, r, taking_part)


def capped_profile(
    a: float, r: float, taking_part: tuple[float, float] = (1.0, 1.0), joint: bool = False
) -> CappedProfile:
    """max(a / p, r): the ratio may be r, or more as long as the posterior stays at or below a.

    ``joint``: max(a / (p q), r), which caps the posterior of taking part *and* having the value.

    Source: Kazan and Reiter 2024.
    """
    if not 0 <= finite("a", a) < 1:
        raise ParameterError(f"a, the posterior that is always tolerable, must lie in [0, 1), got {a:g}")
    if not finite("r", r) > 1:
        raise ParameterError(f"r, the tolerable ratio, must be > 1, got {r:g}; a ratio of 1 allows no release at all")
    text = f"{r:g}" if a == 0 else f"max({a:g}/{'(pq)' if joint else 'p'}, {r:g})"

    def ratio(p: FloatArray, q: FloatArray) -> FloatArray:
        return np.maximum(a / (p * q if joint else p), r)

    return CappedProfile(ratio, text, (0.0, 1.0), taking_part, None, float(a), float(r), joint)


def parse_profile(text: str, taking_part: tuple[float, float] = (1.0, 1.0)) -> CappedProfile:
    """A profile as the command line spells it: ``3``, ``max(0.25/p,3)`` or ``max(0.25/(pq),3)``."""
    number = r"(\d*\.?\d+(?:[eE]-?\d+)?)"
    plain = text.replace(" ", "")
    if re.fullmatch(number, plain):
        return constant_profile(float(plain), taking_part)
    if found := re.fullmatch(rf"max\({number}/(p|\(p\*?q\)),{number}\)", plain):
        joint = found[2] != "p"
        # a joint cap without a say about q is about every q
        return capped_profile(float(found[1]), float(found[3]), (0.0, 1.0) if joint else taking_part, joint)
    raise ParameterError(f"must read like 3, max(0.25/p,3) or max(0.25/(pq),3); got {text!r}", parameter="profile")


def worst_ratio(
    p: npt.ArrayLike, q: npt.ArrayLike, epsilon: npt.ArrayLike, neighbours: str = "add-remove"
) -> FloatArray:
    """1 / D(p, q, e^-epsilon), the largest posterior / prior that epsilon-DP permits.

    posterior / prior = 1 / (p q + sum over the other states of their prior times their likelihood ratio). Under
    substitution D = p q + (1 - p) x + p (1 - q) x^2. Under add-remove somebody who stays away is one step from
    somebody with the value, somebody with another value two: D = p q + (1 - q) x + q (1 - p) x^2. Symbols: p is the
    prior of having the value given that one takes part, q that of taking part, x = e^-epsilon.

    Source: Kazan and Reiter 2024.
    Assumes that, given the others' records, the adversary's beliefs about them do not depend on the target.
    """
    one_of("neighbours", neighbours, NEIGHBOURS)
    square, linear, constant = _coefficients(as_floats(p), as_floats(q), neighbours)
    x = np.exp(-as_floats(epsilon))
    return as_floats(1.0 / (constant + x * (linear + x * square)))


@dataclass(frozen=True)
class ProfileBudget:
    """The largest epsilon that a profile allows.

    ``epsilon`` is on the safe side by at most ``gap``; ``binding`` is the (p, q) that limits it.
    """

    profile: RiskProfile
    neighbours: str
    epsilon: float
    gap: float
    binding: tuple[float, float]
    closed_form: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "profile": self.profile.text,
            "neighbours": self.neighbours,
            "taking_part": list(self.profile.taking_part),
            "epsilon": self.epsilon,
            "gap": self.gap if math.isfinite(self.gap) else None,
            "binding_prior": self.binding[0],
            "binding_taking_part": self.binding[1],
            "closed_form": self.closed_form,
        }


def profile_budget(profile: RiskProfile, neighbours: str = "add-remove", certify: bool = False) -> ProfileBudget:
    """The largest epsilon with worst ratio <= r*(p, q) for every p and q of the profile.

    epsilon = inf over (p, q) of -log x(p, q), where x solves D(p, q, x) = 1 / r*(p, q). In closed form for r* =
    max(a / p, r): log((r - a) / (1 - a)), bound at p = a / r and q = 1, where a label costs one step (substitution);
    half of it where it costs two (add-remove), and for max(a / (p q), r) over all q under either. Other profiles are
    minimised by cutting boxes, to a certified ``gap`` and from the safe side. ``certify=True`` does that even where a
    closed form exists.

    Source: Kazan and Reiter 2024.
    Assumes pure differential privacy. Departs from the usual grid search, which errs on the unsafe side.
    """
    one_of("neighbours", neighbours, NEIGHBOURS)
    if isinstance(profile, CappedProfile) and not certify and (steps := _steps(profile, neighbours)) is not None:
        epsilon = math.log((profile.r - profile.a) / (1.0 - profile.a)) / steps
        edge = profile.a / profile.r
        where = (edge, 1.0) if not (profile.joint and neighbours == "substitute") else (1.0, edge)
        return ProfileBudget(profile, neighbours, epsilon, 0.0, where, True)
    bound, reached, where = _largest_demand(profile, neighbours)
    if bound >= 1.0 - _TOLERANCE and reached >= 1.0 - _TOLERANCE:
        raise ParameterError(
            f"the profile {profile.text} allows no epsilon > 0: at p = {where[0]:.3g}, q = {where[1]:.3g} it tolerates "
            "no ratio above 1"
        )
    if bound <= 0.0:
        raise ParameterError(f"the profile {profile.text} allows everything: nowhere is its ratio below 1 / (p q)")
    epsilon = max(0.0, -math.log(bound))
    gap = math.inf if reached <= 0.0 else -math.log(reached) - epsilon
    return ProfileBudget(profile, neighbours, epsilon, gap, where, False)


def point_budget(p: npt.ArrayLike, q: npt.ArrayLike, ratio: npt.ArrayLike, neighbours: str) -> FloatArray:
    """The largest epsilon whose worst ratio at (p, q) is at most ``ratio``; inf where certainty is tolerated."""
    with np.errstate(divide="ignore"):
        return as_floats(-np.log(_demand(as_floats(p), as_floats(q), 1.0 / as_floats(ratio), neighbours)))


def _coefficients(p: FloatArray, q: FloatArray, neighbours: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """D as a polynomial in x: the factors of x^2, x and 1. They add up to 1."""
    if neighbours == "substitute":
        return p * (1.0 - q), 1.0 - p, p * q
    return q * (1.0 - p), 1.0 - q, p * q


def _demand(p: FloatArray, q: FloatArray, target: FloatArray, neighbours: str) -> FloatArray:
    """The least x >= 0 with D(p, q, x) >= target, by the root of a quadratic that does not cancel."""
    square, linear, constant = _coefficients(p, q, neighbours)
    missing = np.maximum(target - constant, 0.0)
    bottom = linear + np.sqrt(linear**2 + 4.0 * square * missing)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(missing > 0.0, np.where(bottom > 0.0, 2.0 * missing / bottom, np.inf), 0.0)


def _steps(profile: CappedProfile, neighbours: str) -> int | None:
    """How many steps of epsilon the binding change costs, where the closed form holds; None elsewhere."""
    if profile.taking_part == (1.0, 1.0):
        return 1 if neighbours == "substitute" else 2
    if profile.joint and profile.taking_part == (0.0, 1.0):
        return 2
    return None


def _largest_demand(profile: RiskProfile, neighbours: str) -> tuple[float, float, tuple[float, float]]:
    """(an upper bound on sup x, the largest x seen at a point, where), by cutting boxes."""
    p0, p1 = (np.array([end]) for end in profile.prior)
    q0, q1 = (np.array([end]) for end in profile.taking_part)
    bound, reached, where = np.inf, 0.0, (profile.prior[1], profile.taking_part[1])
    for _ in range(_MOST_LEVELS):
        seen = _demand(p1, q1, 1.0 / as_floats(profile.ratio(p1, q1)), neighbours)
        if (best := int(np.argmax(seen))) >= 0 and seen[best] > reached:
            reached, where = float(seen[best]), (float(p1[best]), float(q1[best]))
        target = 1.0 / np.maximum(profile.least((p0, p1), (q0, q1)), 1e-300)
        corners = [_demand(p, q, target, neighbours) for p in (p0, p1) for q in (q0, q1)]
        bounds = np.minimum(np.max(corners, axis=0), 1.0 if profile.slope is not None else np.inf)
        bound = max(reached, float(bounds.max()))
        keep = bounds > reached * (1.0 + _TOLERANCE)
        if not keep.any() or keep.sum() > _MOST_BOXES:
            break
        p0, p1, q0, q1 = _cut(p0[keep], p1[keep], q0[keep], q1[keep])
    return min(bound, 1.0) if reached <= 1.0 else bound, min(reached, 1.0), where


def _cut(p0: FloatArray, p1: FloatArray, q0: FloatArray, q1: FloatArray) -> tuple[FloatArray, ...]:
    """Every box in halves, or in quarters where it has two sides."""
    pm, qm = 0.5 * (p0 + p1), 0.5 * (q0 + q1)
    ps = [(p0, pm), (pm, p1)] if (p1 > p0).any() else [(p0, p1)]
    qs = [(q0, qm), (qm, q1)] if (q1 > q0).any() else [(q0, q1)]
    boxes = [(a, b, c, d) for a, b in ps for c, d in qs]
    return tuple(np.concatenate([box[i] for box in boxes]) for i in range(4))
