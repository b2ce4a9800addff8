from __future__ import annotations

from pathlib import Path

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, answer, assess, assessment_curves, curve_steps, steps
from epsilens.errors import ParameterError
from epsilens.table.to_read import TableToRead

PEOPLE = "sex,income,ill\nf,low,no\nf,low,no\nm,high,yes\nm,low,no\n"


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"delta": 1e-6}, "mechanism 'laplace' has no delta: epsilon alone is its budget"),
        (
            {"delta": 1e-6, "mechanisms": ("laplace", "discrete-laplace")},
            "mechanisms .* have no delta: .* their budget",
        ),
        ({"measures": ("locall",)}, "did you mean 'local'"),
        ({"match": "all"}, "match must be one of"),
        ({"size_model": "foo"}, "size_model must be one of"),
        ({"alpha": (1.0, 2.0)}, "alpha belongs to the shrinkage measures: add measure='shrinkage'"),
        ({"repeats": 1}, "repeats must be >= 2"),
        ({"repeats": -2}, "repeats must be >= 2"),
        ({"seed": -1}, "seed must be >= 0"),
        ({"neighbours": "swap", "epsilons": (1.0,)}, "neighbours must be one of"),
    ],
)
def test_what_makes_no_sense_is_refused_without_data(asked: dict[str, object], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**asked)  # type: ignore[arg-type]


def test_the_table_is_given_or_read_from_where_the_question_says(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    data = TableToRead.of(tmp_path / "people.csv", "sex", "income")
    question = Question(epsilons=(1.0,), data=data)
    given = el.read_table(tmp_path / "people.csv", el.Schema("sex", "income"))
    assert answer(question).to_dict() == answer(Question(epsilons=(1.0,)), given).to_dict()
    assert answer(question, given).to_dict() == assess(given, question).to_dict()
    with pytest.raises(ParameterError, match="say in data where it is"):
        answer(Question())


def test_every_measure_gets_the_options_that_it_takes() -> None:
    question = Question(
        measures=("local", "marginal", "shrinkage"), match="share", size_model="poisson", alpha="moments"
    )
    assert question.options("local") == {"match": "share"}
    assert question.options("marginal") == {"match": "share", "size_model": "poisson"}
    assert question.options("shrinkage") == {"match": "share", "alpha": "moments"}


def test_steps_are_as_many_as_are_reported(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    table = TableToRead.of(tmp_path / "people.csv", "sex", ["income", "ill"]).read()
    question = Question(mechanisms=("laplace", "discrete-laplace"), epsilons=(1.0,))
    seen: list[int] = []
    assess(table, question, seen.append)
    assert sum(seen) == steps(question, 2) == 6
    seen.clear()
    assessment_curves(table, question, seen.append)
    assert sum(seen) == curve_steps(question, 2)
