from __future__ import annotations

import math

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import sequence
from epsilens.errors import ParameterError


def test_each_release_has_its_posterior() -> None:
    result = sequence.answer(sequence.Question((0.1, 0.2), (1, 0), prior=0.3)).to_dict()
    direct = posterior.sequence([1, 0], rho=[0.1, 0.2], prior=0.3)
    assert (result["posteriors"], result["risk_ratio"]) == (list(direct.posteriors), direct.risk_ratio)
    assert math.prod(result["ratios"]) == pytest.approx(result["risk_ratio"])


def test_decisions_are_those_of_as_many_levels() -> None:
    for rhos in ((0.1,) * 4, (0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.4, 0.5)):
        levels = posterior.expected_unique_at_levels(rhos)
        assert sequence.answer(sequence.Question(rhos)).expected == levels
    assert levels.correct_decision == pytest.approx(0.8069, abs=5e-5)


def test_somebody_who_is_not_there() -> None:
    absent = sequence.answer(sequence.Question((0.1, 0.2), absent=True)).expected
    assert absent == posterior.expected_sequence((0.1, 0.2), present=False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rho": ()}, "rho is missing: one budget per release"),
        ({"rho": (0.1, 0.0)}, "rho must be > 0"),
        ({"rho": (0.1, 0.2), "noisy": (1,)}, r"noisy must hold one count per release \(2\), got 1"),
        ({"rho": (0.1,), "noisy": (1.5,)}, "noisy must be a whole number"),
        ({"rho": (0.1,), "known": -1}, "known must be >= 0"),
        ({"rho": (0.1,), "prior": 0.0}, "prior must lie"),
    ],
)
def test_nonsense_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sequence.Question(**given)  # type: ignore[arg-type]


def test_decisions_are_left_out_where_noise_is_too_wide_to_be_listed() -> None:
    expected = sequence.answer(sequence.Question((1e-12, 0.1))).expected
    assert math.isnan(expected.correct_decision)
    assert expected.posterior == pytest.approx(0.5238, abs=5e-5)
