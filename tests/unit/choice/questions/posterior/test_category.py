from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import category
from epsilens.errors import ParameterError


def test_noisy_counts_give_a_posterior_and_a_ranking() -> None:
    result = category.answer(category.Question(0.5, noisy=(0, 3, 1), known=(0, 0, 0))).to_dict()
    assert result["ranking"] == [1, 2, 0]
    assert sum(result["posterior"]) == pytest.approx(1.0)


def test_without_them_averages() -> None:
    result = category.answer(category.Question(0.5, prior=(0.2, 0.3, 0.5), true_category=1, first=(2,))).to_dict()
    direct = posterior.expected_categories(1, [0.2, 0.3, 0.5], 0.5, first=[2])
    assert (result["posterior"], result["within_first"]) == (direct.posterior, direct.within_first)
    assert category.answer(category.Question(0.5, categories=4)).to_dict()["true_category"] == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rho": None, "categories": 3}, "rho is missing"),
        ({}, "give either categories or prior"),
        ({"categories": 3, "prior": (0.5, 0.5)}, "give either categories or prior"),
        ({"categories": 1}, "categories must be >= 2"),
        ({"noisy": (1, 2)}, "noisy and known go together"),
        ({"noisy": (1, 2), "known": (0, 0), "categories": 2}, "categories is for averages"),
        ({"categories": 3, "first": ()}, "first needs at least one number"),
        ({"categories": 3, "first": (1.5,)}, "first must be a whole number"),
    ],
)
def test_nonsense_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        category.Question(**{"rho": 0.1} | given)  # type: ignore[arg-type]
