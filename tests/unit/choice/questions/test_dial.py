"""Every line of the dial is what the choice, the people and the belief say, each asked by itself."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.questions import choose, dial
from epsilens.choice.questions.choose_people import people_of
from epsilens.choice.questions.dial_cost import cost
from epsilens.choice.questions.dial_grid import public_budgets
from epsilens.errors import ParameterError
from epsilens.homogeneity.belief import belief
from epsilens.table.hierarchy import Situations

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]], ["no", "yes"]),
    sensitive=("ill",),
)
PEOPLE = {
    "town": ["a"] * 6 + ["b"] * 4,
    "ill": ["yes", "no", "no", "no", "no", "no", "yes", "yes", "yes", "no"],
    "poor": ["no", "no", "yes", "yes", "no", "no", "no", "no", "no", "no"],
}


@pytest.fixture(scope="module")
def two() -> el.FrequencyTable:
    return el.read_table(pd.DataFrame(PEOPLE), el.Schema("town", ["ill", "poor"]))


@pytest.mark.parametrize("table", [TABLE, TABLE.with_harm("ill=yes*2")], ids=["all alike", "harm"])
def test_every_line_is_what_its_parts_say(table: el.FrequencyTable) -> None:
    found = dial.answer(dial.Question(max_risk=0.6, mechanism="discrete-laplace"), table)
    people = people_of(risk_dial(table, "discrete-laplace", found.dial.aggregate), 0.6)
    assert [line.budget for line in found.lines] == [*public_budgets()]
    for line in found.lines[::7]:
        noise = el.DiscreteLaplaceNoise(1 / line.budget)
        assert line.at == people.at(line.budget)
        assert line.cost == cost(noise)
        own, believed = line.shown[0], belief(table, noise)
        assert own.attribute == "ill"
        assert (own.right, own.wrong) == pytest.approx((believed.right, believed.wrong))
        assert own.believing == pytest.approx(believed.precision)
        assert line.keeps == (line.at.risk <= 0.6)
    assert found.shown_without_noise[0].wrong == 0
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["lines"][0]["epsilon"] == 0.01


def test_what_is_shown_and_what_is_guessed_are_about_the_same_values() -> None:
    for table, guessing in (
        (TABLE, 33 / 45),
        (TABLE.with_harm("ill=yes"), 12 / 45),
        (TABLE.with_harm("ill=no"), 33 / 45),
    ):
        found = dial.answer(dial.Question(), table)
        assert {line.shown[0].guessing for line in found.lines} == {found.shown_without_noise[0].guessing}
        assert found.shown_without_noise[0].guessing == pytest.approx(guessing)
    unknown = replace(TABLE, labels=("no", "(missing)"), label_values=(("no",), ("(missing)",)))
    assert dial.answer(dial.Question(), unknown).shown_without_noise[0].guessing == pytest.approx(33 / 45)


def test_a_choice_that_was_made_is_not_made_again() -> None:
    chosen = choose.answer(choose.Question(max_risk=0.45, max_error=3.0), TABLE)
    found, fresh = dial.answer_of(chosen), dial.answer(dial.Question(max_risk=0.45, max_error=3.0), TABLE)
    assert found.to_dict() == fresh.to_dict()
    assert found.question == fresh.question
    assert found.safe_set == chosen.choice.safe_set
    assert found.chosen == chosen.public_budget
    assert found.lines[found.start].budget == found.chosen
    kept = [line.budget for line in found.lines if line.keeps]
    assert kept
    assert all(chosen.choice.keeps(budget) for budget in kept)


def test_a_profile_is_a_ceiling_as_well() -> None:
    chosen = choose.answer(choose.Question(max_risk=0.45, profile="1.5"), TABLE)
    found = dial.answer_of(chosen)
    assert found.several_ceilings
    assert chosen.profile_limit is not None
    assert max(line.budget for line in found.lines if line.keeps) <= chosen.profile_limit < 2.0


def test_a_ceiling_of_the_error_alone() -> None:
    found = dial.answer(dial.Question(max_error=1.0), TABLE)
    assert [line.keeps for line in found.lines] == [line.cost.error <= 1.0 for line in found.lines]
    assert not found.several_ceilings
    assert not dial.answer(dial.Question(max_risk=0.45), TABLE).several_ceilings


def test_without_a_ceiling_there_is_no_safe_set_and_the_dial_begins_at_1() -> None:
    found = dial.answer(dial.Question(), TABLE)
    assert (found.safe_set, found.chosen, found.lines[0].keeps) == ((), None, None)
    assert found.lines[found.start].budget == 1.0
    assert found.floor <= min(line.at.risk for line in found.lines)
    assert found.without_noise.risk == found.dial.limits[1]


def test_declared_budgets_are_on_the_dial_and_it_begins_there() -> None:
    found = dial.answer(dial.Question(budgets=(0.77,), max_risk=0.6), TABLE)
    assert found.lines[found.start].budget == 0.77
    assert found.public_lines[found.public_start].budget == 0.77


def test_what_is_public_does_not_change_with_the_data() -> None:
    for other in (TABLE, el.FrequencyTable.from_counts([[1, 0], [0, 900]], ["no", "yes"])):
        found = dial.answer(dial.Question(max_risk=0.6, mechanism="discrete-laplace"), other)
        assert [line.budget for line in found.public_lines] == [*public_budgets()]
        if other is TABLE:
            first = found.public_lines
    assert found.public_lines == first


def test_several_attributes_are_shown_one_by_one(two: el.FrequencyTable) -> None:
    found = dial.answer(dial.Question(attributes="max"), two)
    line = found.lines[found.start]
    assert [one.attribute for one in line.shown] == ["ill", "poor"]
    assert [one.guessing for one in line.shown] == pytest.approx([0.6, 0.8])
    assert found.shown_without_noise[1].right == pytest.approx(0.4)  # nobody in b is poor


def test_separate_tables_of_one_person_spend_twice(two: el.FrequencyTable) -> None:
    found = dial.answer(dial.Question(publish="separate", budget_of="each"), two)
    line = found.lines[found.start]
    assert line.guarantee.log_odds == pytest.approx(2 * line.budget)
    for own in line.shown:
        alone = belief(two.attribute(own.attribute), el.LaplaceNoise(1.0))
        assert (own.right, own.wrong) == pytest.approx((alone.right, alone.wrong))
    together = dial.answer(dial.Question(publish="separate", budget_of="all"), two)
    assert together.lines[0].guarantee.log_odds == pytest.approx(together.lines[0].budget)


def test_the_adversary_of_a_hierarchy_has_a_dial_without_values() -> None:
    situations = Situations.of([[1, 2], [1, 5]], [1, 3])
    question = dial.Question(max_risk=1.5, measure="posterior-ratio", attack="single")
    found = dial.answer(question, situations)
    assert all(not line.shown for line in found.lines)
    assert found.lines[0].guarantee.log_odds == pytest.approx(found.lines[0].budget)
    assert math.isinf(found.without_noise.budget)


def test_rho_has_its_own_grid_and_a_classic_gaussian_ends_below_1() -> None:
    found = dial.answer(dial.Question(rho=True, mechanism="gaussian"), TABLE)
    assert (found.parameter, found.lines[0].budget) == ("rho", 0.001)
    classic = dial.answer(dial.Question(mechanism="gaussian", delta=1e-3), TABLE)
    assert classic.lines[-1].budget == 0.9


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_risk": 2.0}, "max_risk"),
        ({"max_error": -1.0}, "max_error"),
        ({"example_count": -1}, "example_count"),
        ({"budgets": (0.0,)}, "budgets"),
        ({"mechanism": "gaussian"}, "delta"),
        ({"measure": "locale"}, "local"),
    ],
)
def test_what_makes_no_sense_is_refused_before_data_are_read(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        dial.Question(**given)  # type: ignore[arg-type]


def test_a_safe_set_of_two_parts_is_kept_in_both() -> None:
    table = el.FrequencyTable.from_counts([[2, 3], [1, 5], [0, 5]])
    found = dial.answer(dial.Question(max_risk=0.44), table)
    assert len(found.safe_set) == 2
    kept = [line.budget for line in found.lines if line.keeps]
    assert kept == [line.budget for line in found.lines if line.at.risk <= 0.44]
    assert kept[0] < 0.1 < 0.5 < kept[-1]


def test_whoever_has_several_rows_has_the_guarantee_of_rho() -> None:
    table = replace(TABLE, max_rows_per_unit=3)
    found = dial.answer(dial.Question(mechanism="gaussian-analytic", delta=1e-6), table)
    assert {line.guarantee.basis for line in found.lines} == {"rho"}


def test_a_dial_of_rho_begins_at_a_tenth() -> None:
    found = dial.answer(dial.Question(mechanism="discrete-gaussian", rho=True), TABLE)
    assert found.lines[found.start].budget == found.public_lines[found.public_start].budget == 0.1
