from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.publishing import checked_publish, table_noise
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
