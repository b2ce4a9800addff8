"""Messages of exact summation on a tree of counts: a law on a run of whole numbers, and how much it may have lost.

A message is kept in logarithms and normalised; what the normalisation took out is in ``log_mass``. Ends whose share is
below e^``log_cut`` are dropped, and ``log_lost`` bounds the relative effect of everything dropped so far on the final
answer: a share s dropped below a node whose evidence keeps the fraction t of the mass can weigh at most s / t above it.
No share is too small for logarithms, so evidence may lie as far from the priors as it likes.

**Sums.** Counts add up, so laws are convolved. All terms are positive: a convolution of doubles keeps the relative
error of every entry down to where doubles underflow, some 640 nats below the largest. What lies deeper is found after
tilting: the laws of X and Y times e^{theta k} convolve to that of X + Y times e^{theta k}, and theta moves the window
of 640 nats to where entries are missing. Whatever no tilt reaches is added up in logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.noise.published import CountLaw

_UNDERFLOW = 1e-280
_SAFE = 620.0  # nats between the largest term of a convolution and those that may underflow
_MOST_TILTS = 200
_MOST_PRODUCTS = 1_000_000_000
_MOST_SINGLE_TERMS = 50_000_000


@dataclass(frozen=True, eq=False)
class Message:
    """Log P(count = low + i) = ``logs[i]``, normalised; empty when no count is possible.

    ``floor`` and ``ceiling`` are the smallest and largest counts possible at all, before any end was cut off.
    """

    low: int
    logs: FloatArray
    log_mass: float
    log_lost: float
    floor: float
    ceiling: float

    @property
    def impossible(self) -> bool:
        """No count is possible."""
        return not np.isfinite(self.log_mass)

    @property
    def values(self) -> FloatArray:
        """The probabilities."""
        return np.exp(self.logs)

    @property
    def lost(self) -> float:
        """The bound on the relative effect of what was dropped; infinite if nothing is known about it."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_lost))


def certain(count: int) -> Message:
    """The message of a count that is known."""
    return Message(count, np.zeros(1), 0.0, -np.inf, count, count)


def impossible(log_lost: float = -np.inf) -> Message:
    """The message of a contradiction; what was cut off might have resolved it if ``log_lost`` is infinite."""
    return Message(0, np.zeros(0), -np.inf, log_lost, np.inf, -np.inf)


def from_log_weights(
    low: int, log_weights: FloatArray, log_cut: float, floor: float = 0.0, ceiling: float = np.inf
) -> Message:
    """A message from unnormalised log weights."""
    total = _log_sum(log_weights)
    if not np.isfinite(total):
        return impossible()
    start, kept, dropped = _without_ends(log_weights - total, log_cut)
    return Message(low + start, kept, total, dropped, floor, ceiling)


def summed(messages: Sequence[Message], log_cut: float) -> Message:
    """The law of the sum of independent counts: convolution, smallest pairs first, and equal ones once for all."""
    if any(message.impossible for message in messages):
        return impossible(max(message.log_lost for message in messages))
    times: dict[int, int] = {}
    by_id = {id(message): message for message in messages}
    for message in messages:
        times[id(message)] = times.get(id(message), 0) + 1
    queue = [_multiple(by_id[key], n, log_cut) for key, n in times.items()]
    if not queue:
        return certain(0)
    queue.sort(key=lambda message: len(message.logs))
    while len(queue) > 1:
        pairs = [queue[i : i + 2] for i in range(0, len(queue), 2)]
        queue = [_pair(pair[0], pair[1], log_cut) if len(pair) == 2 else pair[0] for pair in pairs]
    return queue[0]


def _multiple(message: Message, times: int, log_cut: float) -> Message:
    """The law of the sum of ``times`` independent counts with one and the same law, by repeated doubling."""
    found: Message | None = None
    while True:
        if times & 1:
            found = message if found is None else _pair(found, message, log_cut)
        times >>= 1
        if not times:
            assert found is not None
            return found
        message = _pair(message, message, log_cut)


def _pair(left: Message, right: Message, log_cut: float) -> Message:
    logs = convolved_logs(left.logs, right.logs)
    total = _log_sum(logs)
    start, kept, dropped = _without_ends(logs - total, log_cut)
    return Message(
        left.low + right.low + start,
        kept,
        left.log_mass + right.log_mass + total,
        float(np.logaddexp(np.logaddexp(left.log_lost, right.log_lost), dropped)),
        left.floor + right.floor,
        left.ceiling + right.ceiling,
    )


def convolved_logs(left: FloatArray, right: FloatArray) -> FloatArray:
    """Logs of the convolution of two laws given by their logs, every entry with its relative precision."""
    if (products := len(left) * len(right)) > _MOST_PRODUCTS:
        raise ParameterError(
            f"the counts of this tree spread over {max(len(left), len(right))} whole numbers, and sums of them need "
            f"{products:.1g} products, at most {_MOST_PRODUCTS:.0g} are tried",
            remedy="use a larger `rho`, or narrower leaf priors",
        )
    if len(left) == 1 or len(right) == 1:
        return as_floats(left + right)
    deepest = _lowest(left) - left.max() + _lowest(right) - right.max()
    logs, reached = _tilted(left, right, 0.0)
    if deepest > -_SAFE:
        return logs
    possible = np.ones(len(logs), dtype=bool)
    if np.isinf(left).any() or np.isinf(right).any():
        possible = np.convolve(np.isfinite(left) * 1.0, np.isfinite(right) * 1.0) > 0.5
    reached |= ~possible
    for _ in range(_MOST_TILTS):
        before = int(reached.sum())
        for theta in _next_tilts(logs, reached):
            further, now = _tilted(left, right, theta)
            gained = now & ~reached
            logs[gained] = further[gained]
            reached |= now
        if int(reached.sum()) == before:
            break
    missing = np.flatnonzero(~reached)
    if len(missing) * min(len(left), len(right)) > _MOST_SINGLE_TERMS:
        raise ParameterError(
            "the noisy counts of this tree lie too far from what its priors and its other counts allow to be summed",
            remedy="widen the priors or check the counts",
        )
    for n in missing.tolist():
        first, last = max(0, n - len(right) + 1), min(len(left) - 1, n)
        logs[n] = _log_sum(left[first : last + 1] + right[n - last : n - first + 1][::-1])
    logs[~possible] = -np.inf
    return logs


def _lowest(logs: FloatArray) -> float:
    return float(logs.min(initial=0.0, where=np.isfinite(logs)))


def _tilted(left: FloatArray, right: FloatArray, theta: float) -> tuple[FloatArray, BoolArray]:
    """Logs of the convolution by way of laws times e^{theta k}, and where they can be relied upon."""
    if theta:
        left = left + theta * np.arange(len(left))
        right = right + theta * np.arange(len(right))
    tops = float(left.max()), float(right.max())
    convolution = np.convolve(np.exp(left - tops[0]), np.exp(right - tops[1]))
    with np.errstate(divide="ignore"):
        logs = np.log(convolution) + (tops[0] + tops[1])
    if theta:
        logs = logs - theta * np.arange(len(logs))
    return as_floats(logs), np.asarray(convolution > _UNDERFLOW)


def _next_tilts(logs: FloatArray, reached: BoolArray) -> list[float]:
    """The tilts that level the law at the edges between entries that are known and others that are not."""
    tilts = []
    for edge in np.flatnonzero(np.diff(reached.astype(np.int8))).tolist():
        inside, step = (edge, -1) if reached[edge] else (edge + 1, 1)
        other = inside + step
        if 0 <= other < len(logs) and reached[other] and np.isfinite(logs[[inside, other]]).all():
            tilts.append(float(logs[other] - logs[inside]) * -step)
    return tilts[:: max(1, len(tilts) // 8)]


def observed(message: Message, law: CountLaw, noisy: float, log_cut: float) -> Message:
    """The message times the likelihood of its noisy count, relative to the likelihood of no noise at all."""
    if message.impossible:
        return message
    counts = message.low + np.arange(len(message.logs), dtype=np.float64)
    relative = law.logpmf(noisy - counts) - float(law.logpmf(0.0))
    kept = from_log_weights(message.low, message.logs + relative, log_cut)
    if kept.impossible:
        return impossible(np.inf if np.isfinite(message.log_lost) else -np.inf)
    share = kept.log_mass  # log of the fraction that the evidence keeps
    lost = float(np.logaddexp(message.log_lost - share, kept.log_lost))
    return Message(kept.low, kept.logs, message.log_mass + share, lost, message.floor, message.ceiling)


def fixed(message: Message, count: int) -> Message:
    """The message when the count is known to be ``count``."""
    if message.impossible or not message.floor <= count <= message.ceiling:
        return impossible(message.log_lost if message.impossible else -np.inf)
    position = count - message.low
    share = float(message.logs[position]) if 0 <= position < len(message.logs) else -np.inf
    if not np.isfinite(share):
        return impossible(np.inf if np.isfinite(message.log_lost) else -np.inf)
    return Message(count, np.zeros(1), message.log_mass + share, message.log_lost - share, count, count)


def _log_sum(logs: FloatArray) -> float:
    """Log of the sum of e^logs; minus infinity for none."""
    top = float(logs.max(initial=-np.inf))
    return top + float(np.log(np.exp(logs - top).sum())) if np.isfinite(top) else top


def _without_ends(logs: FloatArray, log_cut: float) -> tuple[int, FloatArray, float]:
    """Where the run without its negligible ends starts, that run normalised, and the log of the share left out."""
    if not np.isfinite(log_cut):
        return 0, logs, -np.inf
    if log_cut > -_SAFE:
        shares = np.exp(logs)
        cut = np.exp(log_cut)
        start = int(np.searchsorted(np.cumsum(shares), cut, side="right"))
        stop = len(logs) - int(np.searchsorted(np.cumsum(shares[::-1]), cut, side="right"))
    else:  # shares this small underflow: entries below the cut over their number add up to no more than the cut
        kept = np.flatnonzero(logs > log_cut - np.log(len(logs)))
        start, stop = int(kept[0]), int(kept[-1]) + 1
    if stop <= start:
        return 0, logs, -np.inf
    if (start, stop) == (0, len(logs)):
        return 0, logs, -np.inf
    dropped = float(np.logaddexp(_log_sum(logs[:start]), _log_sum(logs[stop:])))
    run = logs[start:stop]
    return start, run - np.log1p(-min(np.exp(dropped), 0.5)), dropped
