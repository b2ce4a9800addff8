"""The papers' recipe in vectorised NumPy: sanitise the table again and again, and count what an attacker sees."""

from __future__ import annotations

from typing import Literal

import numpy as np

from epsilens.noise import Noise

Attack = Literal["local", "expected", "hard", "soft"]


def sanitised(
    counts: np.ndarray, noise: Noise, attack: Attack, repeats: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Mean and standard error of the risk, averaged over people, of ``repeats`` sanitised tables.

    ``expected`` draws each table anew by its cells' own shares before it adds noise; the others add noise to the table
    as it is. Noisy counts are rounded half up and clipped at 0; a cell that shows nobody gives no guess.
    """
    sizes = counts.sum(axis=1)
    shares = counts / np.maximum(sizes, 1)[:, None]
    averages = np.empty(repeats)
    for r in range(repeats):
        drawn = rng.multinomial(sizes, shares) if attack == "expected" else counts
        noisy = np.maximum(np.floor(drawn + noise.sample(counts.shape, rng) + 0.5), 0.0)
        averages[r] = (sizes * _right(noisy, drawn, attack)).sum() / sizes.sum()
    return float(averages.mean()), float(averages.std(ddof=1) / np.sqrt(repeats))


def _right(noisy: np.ndarray, counts: np.ndarray, attack: Attack) -> np.ndarray:
    """By cell, the share about whom the attack is right (``local``, ``expected``: whether it is about anybody)."""
    if attack in ("local", "expected"):
        shown = noisy > 0
        return np.asarray((shown.sum(axis=1) == 1) & (shown & (counts > 0)).any(axis=1))
    weights = noisy * (noisy == noisy.max(axis=1, keepdims=True)) if attack == "hard" else noisy
    truly = counts / np.maximum(counts.sum(axis=1), 1)[:, None]
    return np.asarray((weights * truly).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0))
