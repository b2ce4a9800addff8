"""What a budget is worth for a family."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from epsilens.choice.questions.posterior import families
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise


def test_pure_budgets_multiply_and_odds_follow() -> None:
    answer = families.answer(families.Question(epsilon=1.0))
    assert [one.members for one in answer.guarantees] == [1, 2, 4, 30]
    assert [one.epsilon for one in answer.guarantees] == [1.0, 2.0, 4.0, 30.0]
    household = answer.guarantees[2]
    assert household.odds_factor == pytest.approx(math.exp(4.0))
    assert household.posteriors == pytest.approx([0.355461, 0.858486, 0.982014], abs=1e-6)
    assert household.instead == {"epsilon": 0.25}
    # an attacker who says "there" from 2 on is right as often as the total variation distance allows
    x = np.arange(-60.0, 61.0)
    law = DiscreteLaplaceNoise(1.0)
    assert household.right_guess == pytest.approx(0.5 + 0.25 * np.abs(law.pmf(x - 4) - law.pmf(x)).sum(), abs=1e-12)
    assert household.right_guess == pytest.approx(0.93233, abs=1e-5)
    assert answer.person.epsilon == 1.0
    plain = json.loads(json.dumps(answer.to_dict()))
    assert plain["rows"][2]["epsilon"] == 4.0
    assert plain["delta"] == 0.0


def test_gaussian_noise_is_told_at_its_delta() -> None:
    asked = families.Question(epsilon=0.5, delta=1e-6, mechanism="gaussian-analytic", members=(1, 4))
    one, four = families.answer(asked).guarantees
    assert one.epsilon == pytest.approx(0.5, abs=1e-6)
    assert four.epsilon == pytest.approx(2.236, abs=1e-3)
    assert four.instead["epsilon"] == pytest.approx(0.1136, abs=1e-4)


def test_rho_grows_with_the_square() -> None:
    one, four = families.answer(families.Question(rho=0.1, members=(1, 4))).guarantees
    assert four.rho == pytest.approx(16 * 0.1)
    assert four.instead == {"rho": pytest.approx(0.1 / 16)}
    assert one.delta == families.DEFAULT_DELTA


def test_a_curve_runs_through_the_budget() -> None:
    asked = families.Question(epsilon=1.0, members=(1, 4), prior=(0.5,))
    rows = families.answer(asked).curve()
    middle = [row for row in rows if row["budget"] == pytest.approx(1.0)]
    assert [row["posterior"] for row in middle] == pytest.approx([0.731059, 0.982014], abs=1e-6)
    below = families.Question(epsilon=0.5, delta=1e-3, mechanism="gaussian", members=(1,), prior=(0.5,))
    assert max(row["budget"] for row in families.answer(below).curve()) < 1.0


def test_factors_beyond_any_number_are_not_in_json() -> None:
    row = families.answer(families.Question(epsilon=10.0, members=(1000,))).to_dict()["rows"][0]
    assert row["odds_factor"] is None
    assert row["epsilon"] == 10_000.0


@pytest.mark.parametrize(
    "given",
    [
        {"epsilon": 1.0, "members": ()},
        {"epsilon": 1.0, "members": (0,)},
        {"epsilon": 1.0, "members": (1.5,)},
        {"epsilon": 1.0, "members": (2, 2)},
        {"epsilon": 1.0, "prior": (1.0,)},
        {"epsilon": 1.0, "rho": 1.0},
        {"epsilon": 1.0, "delta": 0.1},
        {"rho": 1.0, "delta": 2.0},
        {},
    ],
)
def test_bad_questions_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        families.Question(**given)  # type: ignore[arg-type]
