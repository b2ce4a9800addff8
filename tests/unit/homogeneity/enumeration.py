"""Risks by going through every count vector, written without anything of the package but the noise's cdf."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from epsilens.noise import Noise

Probability = Callable[[Sequence[int]], float]


def count_vectors(size: int, labels: int) -> Iterator[tuple[int, ...]]:
    """All ways to split ``size`` people over ``labels``."""
    if labels == 1:
        yield (size,)
        return
    for first in range(size + 1):
        for rest in count_vectors(size - first, labels - 1):
            yield (first, *rest)


def local_risk(counts: Sequence[int], noise: Noise, match: str, possible: Sequence[bool] | None = None) -> float:
    """The chance that one label is shown alone and is right; impossible labels are never shown."""
    open_labels = possible or [True] * len(counts)
    hidden = [float(noise.cdf(0.5 - c)) if can else 1.0 for c, can in zip(counts, open_labels, strict=True)]
    shown = [float(noise.sf(0.5 - c)) if can else 0.0 for c, can in zip(counts, open_labels, strict=True)]
    risk = 0.0
    for k, count in enumerate(counts):
        if count > 0:
            alone = shown[k] * math.prod(h for j, h in enumerate(hidden) if j != k)
            risk += alone * (1.0 if match == "any" else count / sum(counts))
    return risk


def shown_labels(
    counts: Sequence[int], noise: Noise, possible: Sequence[bool] | None = None
) -> tuple[list[float], list[float]]:
    """Per label the chance that it is shown alone and a random member has it, and that it is and the member has not."""
    open_labels = possible or [True] * len(counts)
    hidden = [float(noise.cdf(0.5 - c)) if can else 1.0 for c, can in zip(counts, open_labels, strict=True)]
    shown = [float(noise.sf(0.5 - c)) if can else 0.0 for c, can in zip(counts, open_labels, strict=True)]
    alone = [a * math.prod(h for j, h in enumerate(hidden) if j != k) for k, a in enumerate(shown)]
    size = sum(counts)
    right = [a * c / size for a, c in zip(alone, counts, strict=True)]
    return right, [a * (size - c) / size for a, c in zip(alone, counts, strict=True)]


def enumerated_labels(
    size: int, probability: Probability, labels: int, noise: Noise, possible: Sequence[bool] | None = None
) -> tuple[list[float], list[float]]:
    """:func:`shown_labels` of a cell of ``size`` people, expected over its counts."""
    right, wrong = [0.0] * labels, [0.0] * labels
    for counts in count_vectors(size, labels):
        if possible is None or not any(c > 0 and not can for c, can in zip(counts, possible, strict=True)):
            chance = probability(counts)
            for total, part in zip((right, wrong), shown_labels(counts, noise, possible), strict=True):
                for k, value in enumerate(part):
                    total[k] += chance * value
    return right, wrong


def multinomial(shares: Sequence[float]) -> Probability:
    def probability(counts: Sequence[int]) -> float:
        ways = math.factorial(sum(counts)) / math.prod(math.factorial(c) for c in counts)
        return ways * math.prod(p**c for p, c in zip(shares, counts, strict=True))

    return probability


def dirichlet_multinomial(alpha: Sequence[float]) -> Probability:
    def rising(start: float, steps: int) -> float:
        return math.prod(start + i for i in range(steps))

    def probability(counts: Sequence[int]) -> float:
        ways = math.factorial(sum(counts)) / math.prod(math.factorial(c) for c in counts)
        return ways * math.prod(map(rising, alpha, counts)) / rising(sum(alpha), sum(counts))

    return probability


def enumerated(
    size: int, probability: Probability, labels: int, noise: Noise, match: str, possible: Sequence[bool] | None = None
) -> float:
    """The risk of a cell of ``size`` people, expected over its counts."""
    total = 0.0
    for counts in count_vectors(size, labels):
        if possible is None or not any(c > 0 and not can for c, can in zip(counts, possible, strict=True)):
            total += probability(counts) * local_risk(counts, noise, match, possible)
    return total
