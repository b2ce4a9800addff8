from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.choice.questions.assess_cells import all_cells
from epsilens.choice.questions.assessment import BudgetLine
from epsilens.errors import ParameterError
from tests.unit.homogeneity.publishing import table_of

TABLE = table_of([[3, 0, 0, 1], [0, 2, 0, 0]], {"first": "ab", "second": "xy"}, {"town": ["n", "s"]})


def named(line: BudgetLine) -> str:
    return ", ".join([line.mechanism, *(f"{name}={value:g}" for name, value in vars(line.budget).items())])


def test_every_attribute_has_all_cells_and_all_risks() -> None:
    found = assess(TABLE, Question(mechanisms=("laplace", "gaussian"), epsilons=(0.2, 0.5), delta=0.01))
    rows = all_cells(TABLE, found)
    assert [part.sensitive for part in rows] == ["first", "second", "first x second"]
    for part in rows:
        assert part.keys == {"town": ["n", "s"]}
        assert list(part.risks) == [
            "local laplace, epsilon=0.2",
            "local laplace, epsilon=0.5",
            "local gaussian, epsilon=0.2, delta=0.01",
            "local gaussian, epsilon=0.5, delta=0.01",
        ]
        for line in (line for line in found.lines if line.sensitive == part.sensitive):
            average = float(part.sizes @ part.risks[f"local {named(line)}"] / part.sizes.sum())
            assert average == pytest.approx(line.risks["local"], abs=1e-14)


def test_a_measure_without_cells_is_refused() -> None:
    found = el.assess(TABLE, epsilon=1.0, measure="marginal-shrinkage")
    with pytest.raises(ParameterError, match="one risk for the whole table"):
        all_cells(TABLE, found)
