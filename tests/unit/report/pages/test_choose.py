from __future__ import annotations

import pytest

from epsilens.choice.questions import choose, choose_delta
from epsilens.report.pages.choose import delta_page, grid_noises, page_of
from epsilens.table.frequency import FrequencyTable
from tests.unit.report.pages.conftest import read


@pytest.mark.parametrize("ceiling", [0.2, 0.01, 1.0])
def test_the_page_of_a_budget_of_none_and_of_no_need(table: FrequencyTable, ceiling: float) -> None:
    found = choose.answer(choose.Question(max_risk=ceiling), table)
    told = read(page_of(found))
    plain = found.to_dict()
    exact = {cell for row in told.rows for cell in row}
    assert all(repr(row["risk"]) in exact for row in plain["table"])
    assert [text for level, text in told.headings if level == 2][:2] == ["In short", "Recommendation"]
    if plain["budget"] is not None:
        assert repr(plain["budget"]) in exact


def test_the_page_of_a_delta(table: FrequencyTable) -> None:
    question = choose_delta.Question(epsilon=1.0, mechanism="gaussian-analytic", max_risk=0.3)
    assert len(read(delta_page(choose_delta.answer(question, table))).figures) == 1


def test_budgets_of_the_grid_are_those_that_a_mechanism_can_honour() -> None:
    assert [vars(budget)["epsilon"] for _, budget, _ in grid_noises("gaussian", 1e-6, "epsilon", "substitute")] == [
        0.1, 0.2, 0.5,
    ]  # fmt: skip
    assert vars(grid_noises("discrete-gaussian", None, "rho", "add-remove")[0][1]) == {"rho": 0.1}
