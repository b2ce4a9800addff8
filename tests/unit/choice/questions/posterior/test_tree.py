from __future__ import annotations

import json
from pathlib import Path
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


def test_the_prior_of_the_leaves_is_told_and_may_be_given() -> None:
    fitted = tree.answer(tree.Question.from_dict(TREE)).to_dict()
    assert fitted["leaf_prior"].pop("fitted") is True
    mean = posterior.fit_leaf_prior([0, 1], posterior.repeated(0.1, 1)[0])
    assert fitted["leaf_prior"] == {"law": "poisson", "mean": mean.mean}  # type: ignore[attr-defined]
    again = tree.answer(tree.Question.from_dict(TREE | {"leaf_prior": fitted["leaf_prior"]}))
    assert again.found.posterior == fitted["posterior"]
    assert again.to_dict()["leaf_prior"]["fitted"] is False
    other = tree.Question.from_dict(TREE, leaf_prior="poisson=0.027")
    direct = posterior.tree([[2, 0, 1], [3]], [[0, 0, 0]], rho=[0.1, 0.2], leaf_prior=posterior.PoissonLeaf(0.027))
    assert tree.answer(other).found.posterior == direct.posterior


def test_the_example_is_written_once_and_asks_something(tmp_path: Path) -> None:
    path = tmp_path / "example.json"
    tree.write_example(path)
    assert json.loads(path.read_text()) == tree.EXAMPLE
    assert 0 < tree.answer(tree.Question.from_dict(tree.EXAMPLE)).found.posterior < 1
    with pytest.raises(EpsilensError, match="exists; choose another name"):
        tree.write_example(path)
    with pytest.raises(EpsilensError, match="cannot write"):
        tree.write_example(tmp_path / "nowhere" / "example.json")
