"""Answers that several systems share."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee, believed, refuse_other_epsilon
from epsilens.errors import ParameterError
from tests.support.avoidance import random_histogram


def test_the_usual_answers_promise_nothing() -> None:
    usual = UsualAnswers()
    assert usual.moments([1, 2]) is None
    assert usual.shown_probabilities([1, 2]) is None
    assert usual.added_noise is None
    assert usual.expected_posterior([1, 2], 0.1).tolist() == [1.0, 1.0]  # type: ignore[union-attr]
    assert usual.visible(np.array([0.0, 5.0]), np.array([0.5, 0.4])).tolist() == [True, False]
    assert (usual.least_bound, usual.published_delta(), usual.delta(), usual.enumeration()) == (1, None, None, None)
    assert usual.remarks(random_histogram(1)) == ()
    with pytest.raises(ParameterError, match="neighbours must be one of"):
        usual.delta("rows")  # type: ignore[arg-type]


def test_without_a_guarantee_delta_is_one() -> None:
    assert (WithoutGuarantee().epsilon, WithoutGuarantee().delta("qid", epsilon=9.0)) == (None, 1.0)
    with pytest.raises(ParameterError, match="neighbours must be one of"):
        WithoutGuarantee().delta("rows")  # type: ignore[arg-type]


def test_a_delta_that_is_known_for_one_epsilon_is_refused_for_others() -> None:
    refuse_other_epsilon(av.DPSwapping(0.5), None)
    refuse_other_epsilon(av.DPSwapping(0.5), 0.5)
    refuse_other_epsilon(av.Suppression(3), 0.7)
    for system in (av.DPSwapping(0.5, 3), av.DPSuppression(3, 0.5), av.DPKAnonymity(3, 0.5)):
        with pytest.raises(ParameterError, match=r"epsilon must be the 0.5 that .* was built for, got 1; build it"):
            system.delta(epsilon=1.0)


def test_belief_by_hand() -> None:
    found = believed(np.array([0.2, 0.5, 0.0, 0.0]), np.array([0.4, 0.0, 0.3, 0.0]), 0.5)
    np.testing.assert_allclose(found, [1 / 3, 1.0, 0.0, 0.5])  # an output that cannot occur teaches nothing
