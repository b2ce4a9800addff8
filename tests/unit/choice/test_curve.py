from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess, assessment_curves
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


def test_assessment_has_a_line_per_mechanism_and_budget() -> None:
    question = Question(mechanisms=("laplace", "gaussian"), epsilons=(0.2, 0.5), delta=1e-5)
    result = assess(TABLE, question)
    assert [(line.mechanism, line.epsilon) for line in result.lines] == [
        ("laplace", 0.2),
        ("laplace", 0.5),
        ("gaussian", 0.2),
        ("gaussian", 0.5),
    ]
    for line in result.lines:
        assert line.risks["local"] == pytest.approx(el.average(el.homogeneity.local(TABLE, line.noise), TABLE))
        share = el.average(el.homogeneity.local(TABLE, line.noise, "share"), TABLE)
        assert line.belief.right == pytest.approx(share)
    assert result.to_dict()["label"] == "internal"


def test_default_budgets_of_the_classic_gaussian_stop_below_1() -> None:
    result = assess(TABLE, Question(mechanisms=("gaussian",), delta=1e-5))
    assert [line.epsilon for line in result.lines] == [0.1, 0.5]
    ((_, curve),) = assessment_curves(TABLE, Question(mechanisms=("gaussian",), delta=1e-5))
    assert max(vars(budget)["epsilon"] for budget in curve.budgets) < 1


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


def test_several_attributes_are_assessed_alone_and_jointly() -> None:
    table = el.FrequencyTable(
        ("a | x", "a | y", "b | x"),
        el.FrequencyTable.from_counts([[2, 1, 0], [0, 0, 3]]).store,
        sensitive=("first", "second"),
        label_values=(("a", "x"), ("a", "y"), ("b", "x")),
    )
    result = assess(table, Question(epsilons=(1.0,)))
    assert [attribute.sensitive for attribute in result.today] == ["first", "second", "first x second"]
    assert [attribute.diagnostics.homogeneous_cells for attribute in result.today] == [2, 1, 1]
    noise = el.LaplaceNoise(1.0)
    alone = el.FrequencyTable.from_counts([[3, 0], [0, 3]])
    assert result.lines[0].risks["local"] == pytest.approx(float(np.mean(el.homogeneity.local(alone, noise))))
