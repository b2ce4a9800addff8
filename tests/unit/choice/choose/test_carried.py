"""Which values carry a risk: the parts add up, and what is said to change is what changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.carried import carried_risks, if_harmless
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.solving import solved
from epsilens.homogeneity.by_value import local_by_label, prepare_by_value, wrong_of_harmful
from epsilens.homogeneity.measures import prepare

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0, 0], [9, 0, 0], [0, 2, 0], [8, 0, 1], [10, 6, 0]], ["well", "old", "ill"]),
    sensitive=("state",),
)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.inf])
@pytest.mark.parametrize("table", [TABLE, TABLE.with_harm("state=well", "state=ill*3")], ids=["alike", "weights"])
def test_the_parts_add_up(table: el.FrequencyTable, epsilon: float) -> None:
    dial = risk_dial(table, "laplace", MeanRisk())
    parts = carried_risks(dial, epsilon)
    assert math.fsum(part.risk for part in parts) == pytest.approx(dial.risk(epsilon))
    assert parts[0].value == "well"
    assert [part.risk for part in parts] == sorted((part.risk for part in parts), reverse=True)
    alone = risk_dial(table.with_harm("state=well"), "laplace", MeanRisk()).risk(epsilon)
    assert parts[0].to_dict() == {"value": "well", "risk": pytest.approx(alone)}


def test_what_would_hold_if_a_value_harmed_nobody() -> None:
    choice = choose_budget(TABLE, max_risk=0.1)
    assert choice.budget is None
    found = if_harmless(choice.dial, "well", 0.1)
    other = solved(risk_dial(TABLE.with_harm("state=old", "state=ill"), "laplace", MeanRisk()), 0.1)
    assert (found.floor, found.budget) == (other.floor, other.budget)
    assert found.to_dict()["reaches_the_ceiling"] is True
    assert if_harmless(choice.dial, "well", 0.99).to_dict()["without_noise"] is True


def test_nothing_to_tell_apart() -> None:
    one = risk_dial(TABLE.with_harm("state=ill"), "laplace", MeanRisk())
    assert carried_risks(one, 1.0) == ()
    assert carried_risks(risk_dial(TABLE, "laplace", MeanRisk(), "posterior"), 1.0) == ()


@pytest.mark.parametrize("match", ["any", "share"])
def test_parts_of_the_local_risk_are_those_of_tables_in_which_one_value_harms(match: str) -> None:
    rng = np.random.default_rng(3)
    impossible = rng.random((40, 4)) < 0.1
    counts = np.where(impossible, 0, rng.poisson(0.8, (40, 4)))
    table = el.FrequencyTable.from_counts(counts, list("abcd"), structural_zeros=impossible.tolist())
    table = table.with_harm({"label": {"a": 1.0, "c": 3.0, "d": 1.0}})
    noise = el.LaplaceNoise(1.3)
    found = local_by_label(table, noise, match)
    for k, (value, weight) in enumerate(zip("abcd", (1.0, 0.0, 3.0, 1.0), strict=True)):
        alone = prepare("local", table.with_harm({"label": {value: weight or 1.0}}), match=match).average(noise)
        assert found[k] == pytest.approx(alone if weight else 0.0, rel=1e-12)
    sorted_vectors, cells, wrong = wrong_of_harmful(table)
    by_value = prepare_by_value(table)
    mine = (sorted_vectors.sizes * cells) @ wrong(noise)
    assert mine == pytest.approx((by_value.cell_sizes * by_value.multiplicities) @ by_value.harmfully_wrong(noise))
