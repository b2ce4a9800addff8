from __future__ import annotations

import numpy as np
import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import single
from epsilens.errors import ParameterError


def test_the_answer_is_the_library_s() -> None:
    answer = single.answer(single.Question(noisy=2, known=1, rho=0.099, prior=0.2, scenario="participation"))
    result = answer.to_dict()
    assert result["posterior"] == posterior.single_level(2, 1, 0.099, 0.2).posterior
    assert result["expected"]["posterior"] == posterior.expected_single_level(0.099, 0.2).posterior
    assert (result["label"], result["noisy"], result["known"]) == ("publishable", 2, 1)
    assert result["scenario"]["name"] == "participation"


def test_without_a_noisy_count_there_are_averages_only() -> None:
    assert set(single.answer(single.Question(rho=0.1)).to_dict()) == {"label", "scenario", "prior", "expected"}


def test_noisy_counts_of_a_chart_surround_the_true_one() -> None:
    table = single.Question(known=3, rho=0.5).noisy_counts()
    assert table.noisy[len(table.noisy) // 2] == 4
    assert table.probability.sum() == pytest.approx(1.0, abs=1e-3)
    assert np.all(np.diff(table.posterior) > 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give either rho"),
        ({"rho": 0.1, "noisy": 1.5}, "noisy must be a whole number"),
        ({"rho": 0.1, "known": -1}, "known must be >= 0"),
        ({"rho": 0.1, "prior": 1.0}, "prior must lie"),
        ({"rho": 0.1, "scenario": "gossip"}, "scenario must be one of"),
    ],
)
def test_nonsense_is_refused_before_anything_is_computed(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        single.Question(**given)  # type: ignore[arg-type]
