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
    }


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
