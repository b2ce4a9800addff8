"""The budget at which a risk starts to rise faster.

Against the logarithm of epsilon a risk is flat, rises, and is flat again. Somebody who has no ceiling in mind may take
the largest epsilon before the rise sets in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive, probability
from epsilens.errors import ParameterError
from epsilens.notebook import brief, internal_facts_html

SHARE = 0.25
"""Which share of its greatest slope a risk has at its knee."""
_STEP = 0.05  # of the scan, on the log axis
_FINE = 0.02  # of the differences that are solved for
_STENCIL = as_floats([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
_FLAT = 1e-6  # a slope per e-fold of epsilon that nobody would call a rise


@dataclass(frozen=True)
class Knee:
    """Where a risk starts to rise faster, where it rises fastest, and where that is over.

    ``epsilon`` is None where there is no such place in the range; ``why`` says why.
    """

    epsilon: float | None
    risk: float | None
    fastest_at: float | None
    fastest_slope: float
    """The greatest d risk / d log(epsilon)."""
    until: float | None
    """Above this epsilon the slope is below the share for good; None where that lies beyond the range."""
    share: float = SHARE
    why: str | None = None
    """``flat``: it rises nowhere; ``start``: at the low end it rises so already; ``end``: fastest at the high end."""

    __repr__ = brief
    _repr_html_ = internal_facts_html

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


def knee_of(risk: Callable[[float], float], lowest: float, highest: float, share: float = SHARE) -> Knee:
    """The knee of a risk as a function of epsilon between ``lowest`` and ``highest``.

    With x = log(epsilon) and s(x) = d risk / d x the slope, S = max s at x*: the knee is the least x at which s reaches
    q S, so that below it the risk nowhere rises faster than at the share q of its greatest rate. The rise is over at
    the largest x at which s = q S. Symbols: q is ``share``; the risk may fall before it rises (P0-9), which is a slope
    below 0 and no rise.

    s is the central difference of sixth order, (45 (f1 - f-1) - 9 (f2 - f-2) + f3 - f-3) / (60 h), whose error is
    h^6 / 140 times the seventh derivative. The axis is scanned at h = 0.05, where a risk that is made of terms in
    exp(-n epsilon) or of Gaussian tails cannot turn unseen; S and both ends are then solved for with h = 0.02, each
    to a relative error of 1e-6 or less.

    Source: P1 section 4. It takes an epsilon by eye, before the growth sets in, and defines no such place. A quarter
    gives .67 (Adult) and .45 (Bankruptcy) where it has .5 (probabilistic DP, delta = .001, averages over cells).
    Assumes that the risk is smooth in epsilon, as every measure of ours is.
    """
    q = probability("share", share)
    low, high = math.log(positive("lowest", lowest)), math.log(positive("highest", highest))
    if high - low < 1.0:
        raise ParameterError("must be at least e times `lowest` to show a rise", parameter="highest", got=highest)
    xs = np.linspace(low, high, math.ceil((high - low) / _STEP) + 1)
    values = as_floats([risk(math.exp(x)) for x in xs])
    slopes = np.convolve(values, _STENCIL[::-1], mode="valid") / (xs[1] - xs[0])
    xs = xs[3:-3]
    top = int(np.argmax(slopes))
    if slopes[top] <= _FLAT:
        return Knee(None, None, None, max(0.0, float(slopes[top])), None, q, "flat")
    if top == len(xs) - 1:
        return Knee(None, None, None, float(slopes[top]), None, q, "end")

    def slope(x: float) -> float:
        return (
            sum(
                float(weight) * risk(math.exp(x + place * _FINE))
                for place, weight in zip(range(-3, 4), _STENCIL, strict=True)
                if weight
            )
            / _FINE
        )

    steepest, fastest = _maximum(slope, xs, top)
    first, until = _ends(slope, q * steepest, xs, slopes)
    if first is None:
        return Knee(None, None, math.exp(fastest), steepest, until, q, "start")
    return Knee(math.exp(first), risk(math.exp(first)), math.exp(fastest), steepest, until, q)


def _maximum(slope: Callable[[float], float], xs: FloatArray, top: int) -> tuple[float, float]:
    """The greatest slope next to the greatest that was seen, and its place."""
    from scipy import optimize  # lazy: most of this room needs no solver

    if top == 0:
        return slope(float(xs[0])), float(xs[0])
    found = optimize.minimize_scalar(
        lambda x: -slope(x), bounds=(xs[top - 1], xs[top + 1]), method="bounded", options={"xatol": 1e-8}
    )
    return -float(found.fun), float(found.x)


def _ends(
    slope: Callable[[float], float], target: float, xs: FloatArray, slopes: FloatArray
) -> tuple[float | None, float | None]:
    """Where the slope first reaches ``target``, as a logarithm, and the epsilon where it last does; None beyond."""
    from scipy import optimize

    def crossing(left: int) -> float:
        return float(optimize.brentq(lambda x: slope(x) - target, xs[left], xs[left + 1], xtol=1e-12))

    reached = np.flatnonzero(slopes >= target)
    first, last = int(reached[0]), int(reached[-1])
    return (
        None if first == 0 else crossing(first - 1),
        None if last == len(xs) - 1 else math.exp(crossing(last)),
    )
