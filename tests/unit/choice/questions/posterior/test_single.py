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


def test_several_counts_and_adversaries_are_table_4() -> None:
    question = single.Question(noisy=(1, 2, 3, 4, 5), rho=0.099226, prior=(1 / 2, 1 / 864))
    answer = single.answer(question)
    rows = answer.to_dict()["rows"]
    assert [round(row["probability"], 3) for row in rows[::2]] == [0.178, 0.161, 0.119, 0.073, 0.036]
    assert [round(row["risk_ratio"], 2) for row in rows[1::2]] == [1.10, 1.35, 1.64, 2.00, 2.44]
    table = posterior.noisy_count_table([1, 2, 3, 4, 5], rho=0.099226, prior=1 / 864)
    assert [row["posterior"] for row in rows[1::2]] == pytest.approx(table.posterior, rel=1e-14)
    assert [row["decides_present"] for row in rows[:2]] == [True, False]
    assert answer.found is None
    assert [average["prior"] for average in answer.to_dict()["averages"]] == [1 / 2, 1 / 864]


def test_somebody_who_is_not_there_is_counted_one_less() -> None:
    there, not_there = (
        single.answer(single.Question(noisy=(3, 4), known=2, rho=0.2, absent=absent)).to_dict()
        for absent in (False, True)
    )
    assert not_there["rows"][0]["probability"] == there["rows"][1]["probability"]
    assert not_there["rows"][0]["posterior"] == there["rows"][0]["posterior"]
    assert not_there["expected"]["present"] is False
    table = single.Question(known=2, rho=0.2, absent=True).noisy_counts()
    assert table.noisy[np.argmax(table.probability)] == 2


def test_the_budget_is_told() -> None:
    assert single.Question(rho=0.099).budget_words == "rho = 0.099"
    question = single.Question(epsilon=1.0, mechanism="gaussian-analytic", delta=1e-6)
    assert question.budget_words == "epsilon = 1, delta = 1e-06"
