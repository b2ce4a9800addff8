"""DP k-anonymity, simulated: who is sampled decides the classes, so that its bias has no closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import several_releases
from epsilens.reproduce.claims import Estimate

BATCHES = 5
_SEED = 6


@dataclass(frozen=True)
class Deviation:
    """How far the mean of several releases is from what they are measured against."""

    l1: Estimate
    alpha: Estimate


def against_the_table(table: Histogram, k: int, epsilon: float, repetitions: int) -> Deviation:
    """Mean errors of so many releases, against the table; several times, to tell how exactly."""
    truth, rng = as_floats(table.counts), np.random.default_rng(_SEED)
    batches = []
    for _ in range(BATCHES):
        total = np.zeros(truth.shape)
        for released in several_releases(DPKAnonymity(k, epsilon), table, rng, repetitions):
            total += released - truth
        batches.append(_spread(total / repetitions))
    return _estimated(np.array(batches))


def against_the_sample(table: Histogram, k: int, epsilon: float, repetitions: int) -> Deviation:
    """The same against the people who were sampled, so that whoever was not is not missed."""
    counts, rng = np.asarray(table.counts, dtype=np.int64), np.random.default_rng(_SEED)
    beta, plain = DPKAnonymity(k, epsilon).beta, KAnonymity(k)
    batches = []
    for _ in range(BATCHES):
        total = np.zeros(counts.shape)
        for _ in range(repetitions):
            sample = rng.binomial(counts, beta)
            if sample.sum() >= k:
                total += np.asarray(plain.release(table.released(sample), rng).counts) - sample
        batches.append(_spread(total / repetitions))
    return _estimated(np.array(batches))


def _spread(errors: FloatArray) -> tuple[float, float]:
    return float(np.abs(errors).sum()), float(errors.max() - errors.min())


def _estimated(batches: FloatArray) -> Deviation:
    """The standard error is that of one batch, which is print's own experiment, and of the mean of ours."""
    errors = batches.std(axis=0, ddof=1) * np.sqrt(1.0 + 1.0 / len(batches))
    l1, alpha = (Estimate(float(mean), float(se)) for mean, se in zip(batches.mean(axis=0), errors, strict=True))
    return Deviation(l1, alpha)
