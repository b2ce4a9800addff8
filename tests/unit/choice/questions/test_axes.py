"""What curves run along."""

from __future__ import annotations

from typing import Any

import pytest

import epsilens as el
from epsilens.choice.knee import knee_of
from epsilens.choice.questions.assess import Question, assess, assessment_curves, curve_steps
from epsilens.choice.questions.axes import CURVE_DELTAS, CURVE_EPSILONS, SURFACE, checked_range, families
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import prepare

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 0], [0, 5]], labels=["no", "yes"])
GAUSSIAN = ("gaussian-probabilistic",)


def test_a_curve_for_every_delta_or_epsilon_or_one_for_both() -> None:
    along = families(Question(mechanisms=GAUSSIAN, deltas=(0.01, 0.1)), GAUSSIAN[0])
    assert [len(family) for family in along] == [CURVE_EPSILONS[2]] * 2
    assert [{vars(budget)["delta"] for budget in family} for family in along] == [{0.01}, {0.1}]
    across = families(Question(mechanisms=GAUSSIAN, epsilons=(0.5, 1.0), axis="delta"), GAUSSIAN[0])
    assert [len(family) for family in across] == [CURVE_DELTAS[2]] * 2
    (plane,) = families(Question(mechanisms=GAUSSIAN, axis="both", epsilon_range=(0.1, 10.0)), GAUSSIAN[0])
    assert len(plane) == SURFACE[0] * SURFACE[1]
    assert (vars(plane[0]), vars(plane[-1])) == ({"epsilon": 0.1, "delta": 1e-8}, {"epsilon": 10.0, "delta": 0.1})
    classic = families(Question(mechanisms=("gaussian",), deltas=(0.01,), axis="delta"), "gaussian")
    assert len(classic) == 2  # it holds below 1


def test_curves_along_delta_have_the_risks_of_their_budgets() -> None:
    question = Question(mechanisms=GAUSSIAN, epsilons=(1.0,), axis="delta", weightings=("people", "cells"))
    seen: list[int] = []
    (_, people), (_, cells) = assessment_curves(TABLE, question, seen.append)
    assert sum(seen) == curve_steps(question, 1) == CURVE_DELTAS[2]
    for curve, weighted in ((people, True), (cells, False)):
        noise = el.calibrate(GAUSSIAN[0], curve.budgets[7])
        assert curve.risks[7] == pytest.approx(prepare("local", TABLE).average(noise, weighted), abs=1e-15)
    assert people.to_dict()["delta"] == [vars(budget)["delta"] for budget in people.budgets]
    assert len(people.to_dict()["risk"]) == CURVE_DELTAS[2]


def test_one_and_several_mean_the_same() -> None:
    assert Question(mechanisms=GAUSSIAN, delta=0.1).deltas == (0.1,)
    assert Question(mechanisms=GAUSSIAN, deltas=(0.1, 0.1)).delta == 0.1
    assert Question(mechanisms=GAUSSIAN, deltas=(0.1, 0.2)).delta is None
    assert Question(weighted=False).weightings == ("cells",)
    assert not Question(weightings=("cells", "people")).weighted
    several = assess(TABLE, Question(mechanisms=("laplace", *GAUSSIAN), epsilons=(1.0,), deltas=(0.1, 0.2)))
    assert [line.delta for line in several.lines] == [None, 0.1, 0.2]
    assert several.to_dict()["deltas"] == [0.1, 0.2]


def test_both_averages_stand_in_the_json() -> None:
    found = assess(TABLE, Question(epsilons=(1.0,), weightings=("people", "cells"), repeats=20))
    (row,) = found.to_dict()["budgets"]
    assert row["averages"]["people"] == row["risks"]
    assert row["averages"]["cells"]["local"] == pytest.approx(
        prepare("local", TABLE).average(el.LaplaceNoise(1), False)
    )
    assert row["simulations"]["people"] == row["simulation"] != row["simulations"]["cells"]
    assert found.to_dict()["averages"] == ["people", "cells"]
    assert "averages" not in assess(TABLE, Question(epsilons=(1.0,))).to_dict()["budgets"][0]


def test_knees_are_those_of_the_curves() -> None:
    question = Question(epsilons=(1.0,), measures=("local", "hard"), knee=True, weightings=("people", "cells"))
    found = assess(TABLE, question)
    assert [(knee.measure, knee.average) for knee in found.knees] == [
        ("local", "people"), ("local", "cells"), ("hard", "people"), ("hard", "cells"),
    ]  # fmt: skip
    ready = prepare("local", TABLE)
    own = knee_of(lambda epsilon: ready.average(el.LaplaceNoise(1.0 / epsilon), False), *CURVE_EPSILONS[:2])
    assert found.knees[1].knee == own
    assert found.to_dict()["knees"][1]["epsilon"] == own.epsilon


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"axis": "rho"}, "axis must be one of"),
        ({"axis": "delta"}, "axis='delta' needs a delta, and mechanism 'laplace' has none"),
        ({"axis": "delta", "mechanisms": GAUSSIAN, "epsilon_range": (1, 10)}, "epsilon_range belongs to axis='eps"),
        ({"delta_range": (0.01, 0.1)}, "delta_range belongs to axis='delta'"),
        ({"axis": "both", "mechanisms": GAUSSIAN, "delta_range": (0.01, 2.0)}, "delta_range must lie strictly"),
        ({"epsilon_range": (10.0, 1.0)}, "epsilon_range must ascend"),
        ({"epsilon_range": (0.0, 1.0)}, "epsilon_range must be > 0"),
        ({"epsilon_range": (0.5, 5.0), "mechanisms": ("gaussian",), "delta": 0.1}, "must begin below 0.368"),
        ({"axis": "both", "mechanisms": GAUSSIAN, "knee": True, "deltas": (0.1,)}, "knee is looked for along epsilon"),
        ({"weightings": ("rows",)}, "weighting must be one of people, cells"),
        ({"weightings": ("people",), "weighted": False}, "leave out unweighted"),
        ({"delta": 0.1, "deltas": (0.2,), "mechanisms": GAUSSIAN}, "delta is given beside deltas"),
        ({"deltas": (0.1, 1.0), "mechanisms": GAUSSIAN}, "delta must lie strictly"),
    ],
)
def test_what_makes_no_sense_is_refused_without_data(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**asked)
    with pytest.raises(ParameterError, match="two numbers"):
        checked_range("epsilon_range", (1.0,))  # type: ignore[arg-type]
