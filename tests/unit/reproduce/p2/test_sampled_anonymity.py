from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.reproduce.p2.sampled_anonymity import against_the_sample, against_the_table

COUNTS = np.array([[40, 3, 0], [25, 1, 9]])
TABLE = av.Histogram(COUNTS, ("a", "b"), (("x", "y"), ("1", "2", "3")), ("b",))


def test_against_the_table_whoever_is_not_sampled_is_missed() -> None:
    system = av.DPKAnonymity(4, 0.5)
    found = against_the_table(TABLE, 4, 0.5, 40)
    missed = (1.0 - system.beta) * COUNTS.sum()
    assert found.l1.value >= missed - 4 * found.l1.standard_error
    exact = av.simulated_moments(system, TABLE, np.random.default_rng(0), 400)
    assert found.l1.value == pytest.approx(av.bias_l1(exact.bias), rel=0.15)
    assert found.alpha.value == pytest.approx(av.fairness(exact.bias), rel=0.15)


def test_against_the_sample_nobody_is_missed_and_a_large_budget_makes_both_alike() -> None:
    sample, table = against_the_sample(TABLE, 4, 0.5, 20), against_the_table(TABLE, 4, 0.5, 20)
    assert sample.l1.value < 0.5 * table.l1.value
    everybody = against_the_sample(TABLE, 4, 30.0, 20), against_the_table(TABLE, 4, 30.0, 20)
    plain = av.bias_l1(av.KAnonymity(4).bias(TABLE))
    for one in everybody:
        assert one.l1.value == pytest.approx(plain, abs=max(4 * one.l1.standard_error, 2.0))
