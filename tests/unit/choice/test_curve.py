from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import DataError, ParameterError

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 0], [0, 5]], labels=["no", "yes"])


def test_default_curve_is_laplace_over_101_budgets() -> None:
    curve = el.risk_curve(TABLE)
    assert (curve.mechanism, len(curve.budgets), curve.risks.shape) == ("laplace", 101, (101,))
    rows = curve.to_rows()
    assert rows[0] == {
        "mechanism": "laplace",
        "measure": "local",
        "average": "people",
        "epsilon": 1e-3,
        "risk": float(curve.risks[0]),
        "worst": pytest.approx(0.5, abs=1e-3),
        "above_half": 0.0,
    }


def test_an_average_has_the_worst_off_person_beside_it() -> None:
    budgets = [el.PureDP(epsilon) for epsilon in (0.1, 1.0, 3.0)]
    for weighted in (True, False):
        curve = el.risk_curve(TABLE, "laplace", budgets, weighted=weighted)
        assert curve.worst is not None
        assert curve.above_half is not None
        for budget, worst, above in zip(budgets, curve.worst, curve.above_half, strict=True):
            risks = el.homogeneity.local(TABLE, el.LaplaceNoise(1.0 / budget.epsilon))
            people = TABLE.counts.sum(axis=1)
            assert worst == pytest.approx(risks.max())
            assert above == people[risks > 0.5].sum() / 11
        assert curve.to_dict()["worst"] == curve.worst.tolist()
    generic = el.risk_curve(TABLE, "laplace", budgets, measure="marginal-shrinkage")
    assert (generic.worst, generic.above_half, generic.to_dict()["worst"]) == (None, None, None)
    assert "worst" not in generic.to_rows()[0]


def test_where_a_risk_falls_is_known() -> None:
    budgets = [el.PureDP(epsilon) for epsilon in (0.1, 0.5, 2.0)]
    mixed = el.risk_curve(el.FrequencyTable.from_counts([[4, 3], [2, 5]]), "laplace", budgets)
    assert mixed.falls == (budgets[0], budgets[2])
    assert el.risk_curve(el.FrequencyTable.from_counts([[4, 0], [0, 5]]), "laplace", budgets).falls is None


def test_empty_cells_do_not_dilute_an_average_over_cells() -> None:
    noise = el.LaplaceNoise(1.0)
    risks = el.homogeneity.local(TABLE, noise)
    assert el.average(risks, TABLE, weighted=False) == pytest.approx(risks.sum() / 3)
    assert el.average(risks, TABLE) == pytest.approx((3 * risks[0] + 3 * risks[1] + 5 * risks[3]) / 11)
    with pytest.raises(DataError, match="one risk per cell"):
        el.average(risks[:2], TABLE)


def test_neighbours_and_rows_per_person_scale_the_noise() -> None:
    base = el.risk_curve(TABLE, "laplace", [el.PureDP(0.5)])
    assert el.risk_curve(TABLE, "laplace", [el.PureDP(1.0)], neighbours="substitute").risks == pytest.approx(base.risks)


def test_wrong_names_fail_before_anything_is_computed() -> None:
    with pytest.raises(ParameterError, match="measure must be one of"):
        el.risk_curve(TABLE, measure="loocal")
    with pytest.raises(ParameterError, match="match must be one of"):
        el.risk_curve(TABLE, match="everything")


def test_progress_is_reported_per_budget() -> None:
    seen: list[int] = []
    el.risk_curve(TABLE, budgets=[el.PureDP(1), el.PureDP(2)], progress=seen.append)
    assert seen == [1, 1]


@pytest.mark.parametrize("measure", ["local", "expected", "hard", "soft", "marginal", "published-hard"])
def test_a_curve_is_its_budgets_one_by_one(measure: str) -> None:
    """What is kept from one noise to the next moves no digit: each budget alone gives the same."""
    drawn = np.random.default_rng(4)
    table = el.FrequencyTable.from_counts(drawn.multinomial(drawn.geometric(0.1, 60), [0.4, 0.3, 0.2, 0.1]))
    budgets = el.PureDP.grid(1e-3, 1e3, 9)
    calls: list[int] = []
    curve = el.risk_curve(table, "discrete-laplace", budgets, measure, progress=calls.append)
    alone = [el.risk_curve(table, "discrete-laplace", [budget], measure) for budget in reversed(budgets)]
    assert curve.risks.tolist() == [float(one.risks[0]) for one in reversed(alone)]
    assert curve.worst is not None
    assert curve.worst.tolist() == [float(one.worst[0]) for one in reversed(alone) if one.worst is not None]
    assert calls == [1] * 9


def test_a_half_is_not_above_a_half() -> None:
    """Two labels with as many people are guessed rightly half the time: the last digit of a sum decides nothing."""
    table = el.FrequencyTable.from_counts([[20, 20], [7, 7], [15, 15]])
    curve = el.risk_curve(table, "laplace", el.PureDP.grid(5, 100, 21), "hard")
    assert curve.above_half is not None
    assert curve.above_half.max() == 0.0
