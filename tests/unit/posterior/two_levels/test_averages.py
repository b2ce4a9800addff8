"""Averages over the child's noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from epsilens.posterior.two_levels.averages import ChildEvidence

SEEN = ChildEvidence.of(np.array([0.3, -1.2, 0.0, 4.0]), np.array([0.4, 0.3, 0.2, 0.1]), 1e-9)


def test_nodes_and_direct_averages_agree() -> None:
    plane = np.random.default_rng(3).normal(0.0, 2.0, (300, 200))
    direct = (special.expit(plane[..., None] + SEEN.odds) * SEEN.weight).sum(axis=-1)
    assert SEEN.posterior(plane) == pytest.approx(direct, abs=1e-12)
    assert SEEN.posterior(plane[:1, :2]) == pytest.approx(direct[:1, :2], abs=1e-15)


def test_certainty_is_certainty() -> None:
    certain = np.tile([-np.inf, -1e300, 1e300, np.inf], 50)
    assert SEEN.posterior(certain) == pytest.approx(np.tile([0.0, 0.0, 1.0, 1.0], 50), abs=1e-12)
    assert SEEN.posterior(np.zeros(9)) == pytest.approx(np.full(9, special.expit(SEEN.odds) @ SEEN.weight))


def test_decisions_count_no_ties() -> None:
    plane = np.array([0.0, 1.2, -5.0])
    assert SEEN.yes(plane) == pytest.approx([0.5, 0.7, 0.0])
    assert SEEN.yes_or_even(plane) == pytest.approx([0.7, 1.0, 0.0])
    assert SEEN.yes_alone == pytest.approx(0.5)
