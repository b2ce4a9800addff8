from __future__ import annotations

from typing import Any

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import tree
from epsilens.errors import EpsilensError

TREE: dict[str, Any] = {"noisy": [[2, 0, 1], [3]], "parents": [[0, 0, 0]], "rho": [0.1, 0.2]}


def test_a_json_object_asks_what_the_library_answers() -> None:
    question = tree.Question.from_dict(TREE | {"invariants": [{}, {"0": 3}]}, prior=0.3)
    direct = posterior.tree([[2, 0, 1], [3]], [[0, 0, 0]], rho=[0.1, 0.2], prior=0.3, invariants=[{}, {0: 3}])
    result = tree.answer(question).to_dict()
    assert (result["posterior"], result["alone"]) == (direct.posterior, direct.alone.posterior)


def test_counts_that_were_not_published_are_null() -> None:
    partly = tree.answer(tree.Question.from_dict(TREE | {"noisy": [[2, 0, None], None]})).found
    direct = posterior.tree([[2, 0, float("nan")], None], [[0, 0, 0]], rho=[0.1, 0.2])
    assert partly.posterior == direct.posterior


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"parents": [[0, 0, "a"]]}, "parents must be a whole number"),
        ({"noisy": [[2, 0, "x"], [3]]}, "noisy must be a whole number"),
        ({"noisy": 3}, "not a number where a number is due"),
        ({"invariants": [{}, {"a": 3}]}, "not a number where a number is due"),
        ({"invariants": {"0": 1}}, "not a number where a number is due"),
        ({"leaf_prior": "poison"}, "did you mean 'poisson'"),
        ({"target": "x"}, "target must be a whole number"),
        ({"rho": [0.1, 0]}, "rho must be > 0"),
        ({"trunk": 1}, "with noisy, parents, rho and perhaps target, known, leaf_prior, invariants"),
    ],
)
def test_a_tree_of_nonsense_is_refused_before_it_is_climbed(part: dict[str, Any], message: str) -> None:
    with pytest.raises(EpsilensError, match=message):
        tree.Question.from_dict(TREE | part)
