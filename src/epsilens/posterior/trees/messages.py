"""Messages of exact summation on a tree of counts: a law on a run of whole numbers, and how much it may have lost.

A message is kept normalised; what the normalisation took out is in ``log_mass``. Ends whose share is below ``cut`` are
dropped, and ``lost`` bounds the relative effect of everything dropped so far on the final answer: a share s dropped
below a node whose evidence keeps the fraction t of the mass can weigh at most s / t above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.noise.published import CountLaw


@dataclass(frozen=True, eq=False)
class Message:
    """P(count = low + i) proportional to ``values[i]``, which sum to 1; empty when no count is possible.

    ``floor`` and ``ceiling`` are the smallest and largest counts possible at all, before any end was cut off.
    """

    low: int
    values: FloatArray
    log_mass: float
    lost: float
    floor: float
    ceiling: float

    @property
    def impossible(self) -> bool:
        """No count is possible."""
        return not np.isfinite(self.log_mass)


def certain(count: int) -> Message:
    """The message of a count that is known."""
    return Message(count, np.ones(1), 0.0, 0.0, count, count)


def impossible(lost: float = 0.0) -> Message:
    """The message of a contradiction; ``lost`` is infinite if something that was cut off might have resolved it."""
    return Message(0, np.zeros(0), -np.inf, lost, np.inf, -np.inf)


def from_log_weights(
    low: int, log_weights: FloatArray, cut: float, floor: float = 0.0, ceiling: float = np.inf
) -> Message:
    """A message from unnormalised log weights."""
    top = float(log_weights.max(initial=-np.inf))
    if not np.isfinite(top):
        return impossible()
    weights = np.exp(log_weights - top)
    total = float(weights.sum())
    start, stop, dropped = _cut_ends(weights / total, cut)
    kept = weights[start:stop]
    return Message(low + start, kept / kept.sum(), top + float(np.log(total)), dropped, floor, ceiling)


def summed(messages: Sequence[Message], cut: float) -> Message:
    """The law of the sum of independent counts: convolution, smallest pairs first."""
    if any(message.impossible for message in messages):
        return impossible(max(message.lost for message in messages))
    queue = sorted(messages, key=lambda message: len(message.values))
    if not queue:
        return certain(0)
    while len(queue) > 1:
        pairs = [queue[i : i + 2] for i in range(0, len(queue), 2)]
        queue = [_pair(pair[0], pair[1], cut) if len(pair) == 2 else pair[0] for pair in pairs]
    return queue[0]


def _pair(left: Message, right: Message, cut: float) -> Message:
    values = np.convolve(left.values, right.values)
    start, stop, dropped = _cut_ends(values, cut)
    values = values[start:stop]
    return Message(
        left.low + right.low + start,
        values / values.sum(),
        left.log_mass + right.log_mass,
        left.lost + right.lost + dropped,
        left.floor + right.floor,
        left.ceiling + right.ceiling,
    )


def observed(message: Message, law: CountLaw, noisy: float, cut: float) -> Message:
    """The message times the likelihood of its noisy count, relative to the likelihood of no noise at all."""
    if message.impossible:
        return message
    counts = message.low + np.arange(len(message.values), dtype=np.float64)
    relative = law.logpmf(noisy - counts) - float(law.logpmf(0.0))
    with np.errstate(divide="ignore"):
        weights = np.log(message.values) + relative
    kept = from_log_weights(message.low, weights, cut)
    if kept.impossible:
        return impossible(np.inf if message.lost else 0.0)
    share = kept.log_mass  # log of the fraction that the evidence keeps
    with np.errstate(over="ignore"):
        lost = float(message.lost * np.exp(-share)) + kept.lost if message.lost else kept.lost
    return Message(kept.low, kept.values, message.log_mass + share, lost, message.floor, message.ceiling)


def fixed(message: Message, count: int) -> Message:
    """The message when the count is known to be ``count``."""
    if message.impossible or not message.floor <= count <= message.ceiling:
        return impossible(message.lost if message.impossible else 0.0)
    position = count - message.low
    share = float(message.values[position]) if 0 <= position < len(message.values) else 0.0
    if share == 0.0:
        return impossible(np.inf if message.lost else 0.0)
    return Message(count, np.ones(1), message.log_mass + float(np.log(share)), message.lost / share, count, count)


def _cut_ends(values: FloatArray, cut: float) -> tuple[int, int, float]:
    """Where the run without its negligible ends starts and stops, and the share of mass outside."""
    upward, downward = np.cumsum(values), np.cumsum(values[::-1])
    start = int(np.searchsorted(upward, cut, side="right"))
    stop = len(values) - int(np.searchsorted(downward, cut, side="right"))
    if stop <= start:
        return 0, len(values), 0.0
    dropped = (float(upward[start - 1]) if start else 0.0) + (
        float(downward[len(values) - stop - 1]) if stop < len(values) else 0.0
    )
    return start, stop, dropped
