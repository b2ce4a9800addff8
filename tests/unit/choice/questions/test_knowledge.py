"""What may be asked about attackers who know some attributes."""

from __future__ import annotations

import re
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.knowledge import Question, answer
from epsilens.errors import ParameterError
from epsilens.table.to_read import TableToRead


def data(columns: int, sensitive: tuple[str, ...] = ("y",)) -> TableToRead:
    return TableToRead.of("nowhere.csv", [f"q{i}" for i in range(columns)], sensitive)


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"data": data(30)}, "30 quasi-identifiers have 1,073,741,823 subsets; all are looked at up to 12 of them "),
        ({"data": data(13)}, "13 quasi-identifiers have 8,191 subsets; all are looked at up to 12 of them (4,095 subs"),
        ({"data": data(30), "largest_set": 10}, "largest_set looks at 53,009,101 subsets of 30 quasi-identifiers"),
        ({"data": data(3), "largest_set": 4}, "largest_set must be at most the number of quasi-identifiers, 3, got 4"),
        ({"data": data(2, ("y", "z"))}, "sensitive must be one column here, got 2; ask once for each of them"),
        ({"share": 0.0}, "share must be above 0 and at most 1, got 0"),
        ({"share": 1.01}, "share must be above 0 and at most 1, got 1.01"),
        ({"share": float("nan")}, "share must be finite"),
        ({"largest_set": 0}, "largest_set must be >= 1, got 0"),
        ({"mechanisms": ()}, "name at least one mechanism"),
        ({"mechanisms": ("laplac",)}, "did you mean 'laplace'?"),
        ({"deltas": (0.1,)}, "mechanism 'laplace' has no delta"),
        ({"mechanisms": ("gaussian-analytic",)}, "needs a delta"),
        ({"epsilons": (-1.0,)}, "epsilon must be > 0"),
    ],
)
def test_what_is_refused_before_data_are_read(asked: dict[str, Any], rule: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(rule)):
        Question(**asked)


def test_twelve_columns_or_a_limit_are_looked_at() -> None:
    assert Question(data=data(12)).steps(12) == 4096
    assert Question(data=data(30), largest_set=3).steps(30) == 4526
    assert [b.epsilon for b in Question(mechanisms=("gaussian",), deltas=(1e-6,)).budgets("gaussian")] == [0.1, 0.5]


def test_rows_of_a_person_widen_the_noise_and_a_limit_leaves_shares_out() -> None:
    import pandas as pd

    frame = pd.DataFrame({"p": [1, 1, 2, 3], "a": list("xxyy"), "b": list("1212"), "y": list("nyny")})
    schema = el.Schema(["a", "b"], "y", unit="p", max_rows_per_unit=2)
    found = answer(Question(epsilons=(1.0,), largest_set=1), el.read_table(frame, schema))
    assert found.budgets[0].noise == el.LaplaceNoise(2.0)
    assert [one.attributes for one in found.sets] == [("a",), ("b",)]
    assert found.everything.attributes == ("a", "b")
    assert [one.due for one in found.columns] == [None, None]
    with pytest.raises(ParameterError, match="there is no table to look at"):
        answer(Question())


def test_who_knows_what_is_not_looked_at_is_refused() -> None:
    question = Question(knows=("age", "sex"), largest_set=1)
    with pytest.raises(ParameterError, match="knows names 2 columns, and sets of at most 1 are looked at"):
        question.known_set(("age", "sex", "race"))
    with pytest.raises(ParameterError, match="must be one of age, race; got 'sex'"):
        question.known_set(("age", "race"))
    assert Question(knows=("race", "age", "age")).known_set(("age", "sex", "race")) == 0b101
