from __future__ import annotations

import pytest

from epsilens.choice.questions.assess_question import Question
from epsilens.errors import ParameterError
from epsilens.table.to_read import TableToRead


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"delta": 1e-6}, "mechanism 'laplace' has no delta: epsilon alone is the budget"),
        (
            {"delta": 1e-6, "mechanisms": ("laplace", "discrete-laplace")},
            "mechanisms .* have no delta: epsilon alone is the budget",
        ),
        ({"measures": ("locall",)}, "did you mean 'local'"),
        ({"match": "all"}, "match must be one of"),
        ({"size_model": "foo"}, "size_model must be one of"),
        ({"size_model": "poisson"}, "size_model belongs to the marginal measures: add measure='marginal'"),
        ({"match": "share", "measures": ("published-marginal",)}, "match belongs to measures of what a cell shows"),
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


def test_every_measure_gets_the_options_that_it_takes() -> None:
    question = Question(
        measures=("local", "marginal", "shrinkage"), match="share", size_model="poisson", alpha="moments"
    )
    assert question.options("local") == {"match": "share"}
    assert question.options("marginal") == {"match": "share", "size_model": "poisson"}
    assert question.options("shrinkage") == {"match": "share", "alpha": "moments"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilons": (0.0,)}, "epsilon must be > 0"),
        ({"epsilons": (1.0,), "mechanisms": ("gaussian",), "delta": 0.1}, "gaussian-analytic"),
        ({"mechanisms": ("gaussian-analytic",)}, "needs a delta"),
        ({"mechanisms": ("gaussian",), "delta": 2.0}, "delta must"),
        ({"mechanisms": ()}, "at least one mechanism"),
        ({"measures": ()}, "at least one measure"),
    ],
)
def test_a_question_that_cannot_be_honoured_is_refused_at_once(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Question(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"publish": "apart"}, "publish must be one of joint, separate"),
        ({"budget_of": "all"}, "budget_of is about several tables; add publish='separate'"),
        ({"publish": "joint", "measures": ("expected",)}, "publish='joint' is known for measure 'local' only"),
        ({"publish": "joint", "repeats": 5}, "a simulation is of one table at a time; leave out publish"),
        (
            {"publish": "joint", "data": TableToRead.of("nowhere.csv", "sex", "income")},
            "publish is about several sensitive columns, and there is one",
        ),
    ],
)
def test_publishing_that_makes_no_sense_is_refused(asked: dict[str, object], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**asked)  # type: ignore[arg-type]
