from __future__ import annotations

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
