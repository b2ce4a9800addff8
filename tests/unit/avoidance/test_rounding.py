"""Rounding to a base: values, laws, what it leaks."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.enumeration import AUDIT_NEIGHBOURS
from epsilens.errors import ParameterError


def test_the_nearest_multiple_and_what_happens_halfway() -> None:
    counts = [0, 1, 2, 3, 7, 8, 12, 13]
    assert av.Rounding(5).release(counts).tolist() == [0, 0, 0, 5, 5, 10, 10, 15]
    assert av.Rounding(5).bias(counts).tolist() == [0, -1, -2, 2, -2, 2, -2, 2]
    assert av.Rounding(10).release([5, 15, 25]).tolist() == [10, 20, 30]
    assert av.Rounding(10, ties="even").release([5, 15, 25]).tolist() == [0, 20, 20]
    assert av.Rounding(5).shown_probabilities(counts).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert av.fairness(av.Rounding(5).bias(counts)) == 4.0
    assert "halves to even" in av.Rounding(4, ties="even").name


def test_random_rounding_is_right_on_average() -> None:
    counts = np.arange(12)
    exact = av.RandomRounding(5).moments(counts)
    assert not exact.bias.any()
    assert exact.variance.tolist() == [0, 4, 6, 6, 4, 0, 4, 6, 6, 4, 0, 4]
    rng, rounds = np.random.default_rng(1), 4000
    drawn = np.array([av.RandomRounding(5).release(counts, rng) for _ in range(rounds)])
    assert set(np.unique(drawn)) <= {0.0, 5.0, 10.0, 15.0}
    assert (np.abs(drawn.mean(axis=0) - counts) <= 5 * np.sqrt(exact.variance / rounds) + 1e-12).all()
    assert av.RandomRounding(5).shown_probabilities([0, 1, 4, 5, 9]).tolist() == [0.0, 0.2, 0.8, 1.0, 1.0]


@pytest.mark.parametrize("base", [2, 3, 5, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_delta_is_the_enumerated_one_at_every_epsilon(base: int, epsilon: float) -> None:
    for neighbours in AUDIT_NEIGHBOURS:
        random = av.audit(av.RandomRounding(base), neighbours, epsilon=epsilon)
        assert random.enumerated == pytest.approx(random.exact)
        expected = 1 / base if neighbours == "add-remove" else 1 - (1 - 1 / base) ** 2
        assert random.exact == pytest.approx(expected)
        assert av.audit(av.Rounding(base), neighbours, epsilon=epsilon).enumerated == 1.0
        assert av.audit(av.Rounding(base, "even"), neighbours, epsilon=epsilon).enumerated == 1.0
    assert av.Rounding(10).delta(bound=4) == 0.0
    assert av.Rounding(10).delta(bound=av.Rounding(10).least_bound) == 1.0
    assert av.Rounding(10).delta(bound=5) == 1.0
    assert av.Rounding(10, "even").delta(bound=5) == 0.0


def test_witnesses_and_beliefs() -> None:
    certain = av.witness(av.Rounding(5))
    random = av.witness(av.RandomRounding(5))
    assert certain is not None
    assert random is not None
    assert certain.probability == 1.0
    assert random.probability == pytest.approx(0.36)
    assert av.Rounding(5).expected_posterior([1, 2, 3, 4], 0.1).tolist() == [0.1, 0.1, 1.0, 0.1]
    # one person in a cell: seen with 1/5, and otherwise the prior falls a little
    belief = 0.2 + 0.8 * (0.1 * 0.8) / (0.1 * 0.8 + 0.9)
    assert av.RandomRounding(5).expected_posterior([1], 0.1) == pytest.approx([belief])


def test_remarks() -> None:
    def of(*counts: int) -> av.Histogram:
        return av.Histogram(np.array([counts]), ("q", "y"), (("a",), tuple(map(str, range(len(counts))))), ("q",))

    assert av.Rounding(5).remarks(of(5, 0, 10)) == ("does nothing here: every count is a multiple of 5 already",)
    assert av.RandomRounding(5).remarks(of(5, 0, 10)) == av.Rounding(5).remarks(of(5, 0, 10))
    assert av.Rounding(5).remarks(of(2, 1, 0, 10)) == ("publishes 2 occupied cells with 3 people as empty",)
    assert av.Rounding(5).remarks(of(3, 11)) == av.RandomRounding(5).remarks(of(3, 11)) == ()


def test_bad_input_says_the_rule() -> None:
    for call in (av.Rounding, av.RandomRounding, lambda base: av.Settings(base=base)):
        with pytest.raises(ParameterError, match="base must be"):
            call(1)
        with pytest.raises(ParameterError, match=r"base must be at most 1,000,000,000, got 2e\+09|got 2000000000"):
            call(2_000_000_000)
    with pytest.raises(ParameterError, match="ties must be one of"):
        av.Rounding(5, "down")  # type: ignore[arg-type]
