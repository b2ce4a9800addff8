from __future__ import annotations

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.publishing import checked_publish, published_cells, published_tables, table_noise
from epsilens.errors import ParameterError


def test_l1_budgets_are_divided_and_l2_sensitivities_add_up_in_squares() -> None:
    assert table_noise("laplace", el.PureDP(1.0), tables=4) == el.calibrate("laplace", el.PureDP(0.25))
    assert table_noise("discrete-gaussian", el.ZCDP(0.4), tables=4).size == pytest.approx(
        el.calibrate("discrete-gaussian", el.ZCDP(0.1)).size
    )
    assert table_noise("laplace", el.PureDP(1.0), "substitute", 3) == el.calibrate(
        "laplace", el.PureDP(1.0), "substitute", max_rows_per_unit=3
    )


def test_all_tables_together_have_the_budget() -> None:
    budget = el.ApproxDP(1.0, 1e-4)
    noise = table_noise("gaussian-analytic", budget, tables=3)
    spent = el.compose([noise] * 3, delta=1e-4, rules=["pld"])["pld"].epsilon
    assert spent == pytest.approx(1.0, rel=2e-3)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("apart", None), "publish must be one of joint, separate"),
        ((None, "both"), "budget_of must be one of each, all"),
        (("joint", None, 1), "publish is about several sensitive columns, and there is one"),
    ],
)
def test_other_words_are_refused(given: tuple[str | None, ...], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        checked_publish(*given)  # type: ignore[arg-type]


def test_counts_are_those_of_all_tables_that_are_published() -> None:
    people = pd.DataFrame({"q": ["f", "m"], "y": ["a", "b"], "w": ["s", "t"]})
    universe = {"q": ["f", "m", "n"], "y": ["a", "b", "c"], "w": ["s", "t"]}
    table = el.read_table(people, el.Schema("q", ["y", "w"], universe=universe))
    found = [published_cells(table, publish) for publish in ("joint", "separate")]
    assert [(one.cells, one.counts, one.further_counts) for one in found if one is not None] == [(3, 18, 6), (3, 15, 5)]
    assert [one.sensitive for one in published_tables(table, "separate")] == [("y",), ("w",)]
    assert published_tables(table, None) == [table]
    assert published_cells(el.read_table(people, el.Schema("q", ["y", "w"])), "separate") is None
