from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import two_level
from epsilens.errors import ParameterError
from epsilens.posterior import UniformParent

RHO = (0.1, 0.25)
SEEN = {"noisy": 2, "noisy_parent": 1, "noisy_siblings": -1}


@pytest.mark.parametrize("published", [False, True])
def test_three_noisy_counts_give_the_posterior(published: bool) -> None:
    question = two_level.Question(5, RHO, prior=0.2, parent_prior="uniform:9", published=published, **SEEN)  # type: ignore[arg-type]
    direct = posterior.two_level(2, 1, -1, 5, RHO, 0.2, parent_prior=UniformParent(9), published=published)
    result = two_level.answer(question).to_dict()
    assert (result["posterior"], result["law"]) == (direct.posterior, direct.law)
    assert result["alone"] == direct.alone.posterior
    assert sum(result["parent_pmf"].values()) == pytest.approx(1.0)


def test_parent_counts_give_averages_and_the_same_numbers_in_the_chart() -> None:
    question = two_level.Question(5, RHO, parents=(1, 4), parent_rho=(0.1, 0.5), parent_prior="uniform:9")
    answer = two_level.answer(question)
    direct = posterior.expected_two_level(4, 5, (0.1, 0.5), parent_prior=UniformParent(9))
    last = answer.to_dict()["rows"][-1]
    assert (last["parent"], last["parent_rho"], last["correct_decision"]) == (4, 0.5, direct.correct_decision)
    curve = answer.curve()
    assert curve["correct_decision"].shape == (2, 2)
    assert curve["correct_decision"][1, 1] == direct.correct_decision
    assert curve["correct_decision_alone"][0, 0] == direct.correct_decision_alone


def test_the_decision_map_takes_the_first_parent_as_true() -> None:
    assert two_level.Question(5, RHO, parents=(3,)).decision_map().probability.sum() <= 1.0
    with pytest.raises(ParameterError, match="need parents, such as 1,2,3"):
        two_level.answer(two_level.Question(5, RHO, **SEEN)).curve()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give either noisy, noisy_parent and noisy_siblings, or parents"),
        ({"noisy": 1, "parents": (1,)}, "give either noisy"),
        ({**SEEN, "parents": (1,)}, "give either noisy"),
        ({**SEEN, "parent_rho": (0.1,)}, "parent_rho goes with parents"),
        ({"parents": (1.5,)}, "parents must be a whole number"),
        ({"parents": (0,)}, "parents must be >= 1"),
        ({"parents": (1,), "siblings": 0}, "siblings must be >= 1"),
        ({"parents": (1,), "rho": (0.1,)}, "rho needs two budgets, group and parent, got 1"),
        ({"parents": (1,), "rho": (0.1, -1.0)}, "rho must be > 0"),
        ({"parents": (1,), "prior": 0.0}, "prior must lie"),
        ({"parents": (1,), "parent_prior": "flat"}, "parent_prior must be uniform"),
    ],
)
def test_nonsense_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        two_level.Question(**{"siblings": 5, "rho": RHO} | given)  # type: ignore[arg-type]


def test_others_who_are_known_of_and_somebody_who_is_not_there() -> None:
    question = two_level.Question(5, RHO, parents=(2, 4), known=2, absent=True)
    answer = two_level.answer(question)
    direct = posterior.expected_two_level(2, 5, RHO, known=2, present=False)
    assert answer.averages[0].risk == direct
    curve = answer.curve()
    alone = posterior.expected_single_level(RHO[0], present=False)
    assert (curve["posterior_alone"][0, 0], curve["present"]) == (alone.posterior, False)
    seen = two_level.Question(5, RHO, known=2, **SEEN)  # type: ignore[arg-type]
    assert two_level.answer(seen).to_dict()["posterior"] == posterior.two_level(2, 1, -1, 5, RHO, known=2).posterior
    drawn = seen.decision_map()
    assert (drawn.child[0], drawn.parent[0]) == (1.0, -1.0)


def test_what_cannot_be_drawn_is_refused() -> None:
    question = two_level.Question(5, RHO, parents=(1, 4))
    with pytest.raises(ParameterError, match=r"axis needs several budgets in parent_rho"):
        question.check_drawn("rho")
    assert not question.is_within(0.25)
    several = two_level.Question(5, RHO, parents=(1,), parent_rho=(0.1, 0.5))
    several.check_drawn("rho")
    assert several.is_within(0.25)
    with pytest.raises(ParameterError, match="absent goes with parents"):
        two_level.Question(5, RHO, absent=True, **SEEN)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="parents must be >= 3"):
        two_level.Question(5, RHO, parents=(2,), known=2)
