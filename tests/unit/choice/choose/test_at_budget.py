"""What a budget means for people is what the measure, the spread and the values say, each asked by itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.at_budget import People, budgets_around
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.safe_set import Scan
from epsilens.choice.spread import spread
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.table.hierarchy import Situations

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]], ["no", "yes"]),
    sensitive=("ill",),
)
HARM = TABLE.with_harm("ill=yes*2")


@pytest.mark.parametrize("table", [TABLE, HARM], ids=["all alike", "harm"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_one_budget_is_what_its_parts_say(table: el.FrequencyTable, epsilon: float) -> None:
    dial = risk_dial(table, "laplace", MeanRisk())
    found = People(dial, 0.3, (prepare_by_value(table),)).at(epsilon)
    noise = el.LaplaceNoise(1.0 / epsilon)
    risks = el.homogeneity.local(table, noise)
    assert found.risk == pytest.approx(el.average(risks, table))
    assert found.error == expected_absolute_error(noise)
    assert found.spread == spread(risks, table.counts.sum(axis=1), 0.3)
    assert found.by_value == prepare_by_value(table).shares(noise)
    harmful = [value for value in found.by_value if value.weight > 0]
    assert found.harmful_right == pytest.approx(sum(value.shown_right for value in harmful))
    assert found.harmful_wrong == pytest.approx(sum(value.shown_wrong for value in harmful))
    plain = found.to_dict("epsilon")
    assert (plain["epsilon"], plain["worst"]) == (epsilon, pytest.approx(risks.max()))
    assert plain["above_ceiling"] == int(table.counts.sum(axis=1)[risks > 0.3].sum())


def test_without_noise_only_homogeneous_cells_are_shown() -> None:
    found = People(risk_dial(HARM, "laplace", MeanRisk()), None, (prepare_by_value(HARM),)).at(math.inf)
    assert found.to_dict("epsilon")["epsilon"] is None
    assert (found.error, found.harmful_wrong) == (0.0, 0.0)
    assert found.harmful_right == pytest.approx(3 / 45)
    assert found.risk == pytest.approx(2 * 3 / 45)  # harm counts twice


def test_an_adversary_who_is_not_about_values_shows_none() -> None:
    situations = Situations.of([[1, 2], [1, 5]], [1, 3])
    ratio = People(choose_budget(situations, max_risk=1.2, measure="posterior-ratio", attack="single").dial, 1.2)
    found = ratio.at(1.0)
    assert (found.by_value, found.harmful_wrong) == ((), None)
    assert found.to_dict("epsilon")["above_half"] is None  # of a ratio one half means nothing
    assert found.spread is not None
    assert ratio.at(math.inf).risk == pytest.approx(2.0)


def test_a_measure_with_one_risk_for_all_has_no_worst_off() -> None:
    found = People(risk_dial(TABLE, "laplace", MeanRisk(), "marginal-shrinkage")).at(1.0)
    assert found.spread is None
    assert found.to_dict("epsilon")["worst"] is None


def test_budgets_around_the_chosen_one_and_the_ends() -> None:
    scan = Scan((), np.array([0.001, 1.0, 100.0]), np.array([0.1, 0.2, 0.3]), 0.0)
    assert budgets_around(scan, 0.8, (0.5, None, 0.7999)) == (0.001, 0.4, 0.5, 0.8, 1.6, math.inf)
    assert budgets_around(scan, None) == (0.001, 0.1, 1.0, 10.0, math.inf)
    assert budgets_around(scan, math.inf) == (0.001, 0.1, 1.0, 10.0, math.inf)
    assert budgets_around(scan, 0.8, highest=1.0) == (0.001, 0.4, 0.8, math.inf)
