"""One cell, against the printed formula, enumeration and simulation."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.cell import OneCell, Question, answer, cell_risk, curves
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS


@pytest.mark.parametrize("people", [1, 2, 7])
@pytest.mark.parametrize("labels", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_printed_formula_of_a_homogeneous_cell(people: int, labels: int, epsilon: float) -> None:
    found = cell_risk(OneCell.alike(people, labels), "laplace", el.PureDP(epsilon))
    own, hidden = 1 - 0.5 * math.exp((0.5 - people) * epsilon), 1 - 0.5 * math.exp(-0.5 * epsilon)
    assert (found.own_shown, found.zero_hidden) == pytest.approx((own, hidden), rel=1e-14)
    assert found.risk == pytest.approx(own * hidden ** (labels - 1), rel=1e-13)
    assert found.most == pytest.approx(hidden ** (labels - 1), rel=1e-13)
    assert found.floor == 2.0**-labels < found.risk < found.most
    assert found.risk + found.wrong + found.several + found.nobody == pytest.approx(1.0, abs=1e-14)


def test_the_values_of_the_first_paper() -> None:
    found = answer(Question(people=(4, 3, 2), labels=(2,), epsilons=(1.0,)))
    assert [f"{row.own_shown:.3f}" for row in found.rows] == ["0.985", "0.959", "0.888"]
    drowned = cell_risk(OneCell.alike(3, 2), "laplace", el.PureDP(1e-9))
    assert drowned.risk == pytest.approx(0.25, abs=1e-8)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_way_in_which_labels_can_show_is_enumerated(mechanism: str) -> None:
    cell = OneCell((3, 1, 0))
    budget = MECHANISMS[mechanism].budget(0.7, 0.01 if MECHANISMS[mechanism].has_delta else None)
    found = cell_risk(cell, mechanism, budget)
    shares = cell_risk(cell, mechanism, budget, match="share")
    shown = [float(found.noise.sf(np.array([0.5 - count]))[0]) for count in cell.counts]
    sums = dict.fromkeys(("risk", "wrong", "several", "nobody", "share"), 0.0)
    for seen in product((False, True), repeat=3):
        chance = math.prod(a if one else 1.0 - a for one, a in zip(seen, shown, strict=True))
        if sum(seen) != 1:
            sums["several" if sum(seen) else "nobody"] += chance
            continue
        count = cell.counts[seen.index(True)]
        sums["risk" if count else "wrong"] += chance
        sums["share"] += chance * count / 4
    for name in ("risk", "wrong", "several", "nobody"):
        assert getattr(found, name) == pytest.approx(sums[name], abs=1e-13)
    assert shares.risk == pytest.approx(sums["share"], abs=1e-13)
    assert (found.floor, shares.floor, found.most) == (0.25, 0.125, 0.0)


def test_a_simulation_agrees() -> None:
    found = cell_risk(OneCell((4, 1, 0)), "gaussian-analytic", el.ApproxDP(1.0, 0.01))
    rng = np.random.default_rng(3)
    drawn = np.floor(np.array([4, 1, 0]) + found.noise.sample((20_000, 3), rng) + 0.5) > 0
    hit = (drawn.sum(axis=1) == 1) & ~drawn[:, 2]
    assert abs(hit.mean() - found.risk) < 4 * hit.std() / math.sqrt(len(hit))


def test_curves_run_along_the_axis_and_pass_through_what_was_asked() -> None:
    asked = Question(people=(1, 4), labels=(2,), epsilons=(1.0,), axis="people")
    assert [row.cell.people for row in curves(asked).rows] == [1, 2, 3, 4]
    assert curves(asked).rows[3].risk == answer(asked).rows[1].risk
    along = Question(
        people=(1,), labels=(2,), mechanisms=("laplace", "gaussian"), deltas=(0.01,), epsilon_range=(0.1, 10)
    )
    rows = curves(along).rows
    assert {row.mechanism for row in rows} == {"laplace", "gaussian"}
    assert max(row.epsilon for row in rows if row.mechanism == "gaussian") < 1.0
    assert len(curves(Question(people=(10**6,), labels=(2,), epsilons=(1.0,), axis="people")).rows) <= 60
    deltas = curves(
        Question(people=(1,), labels=(2, 3), mechanisms=("gaussian-analytic",), axis="delta", epsilons=(1.0,))
    )
    assert {row.cell.labels for row in deltas.rows} == {2, 3}
    assert len({row.delta for row in deltas.rows}) == 81
    assert [row.cell.labels for row in curves(Question(people=(1,), epsilons=(1.0,), axis="labels")).rows] == [
        2,
        3,
        4,
        5,
    ]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"axis": "rho"}, "axis must be one of"),
        ({"people": (0,)}, "people must be >= 1"),
        ({"people": (10**10,)}, "people must be at most"),
        ({"labels": (1,)}, "labels must be >= 2"),
        ({"labels": (2000,)}, "labels must be at most"),
        ({"counts": ((3,),)}, "two labels at least"),
        ({"counts": ((0, 0),)}, "must hold somebody"),
        ({"counts": ((3, -1),)}, "counts must be >= 0"),
        ({"counts": ((3, 1),), "people": (2,)}, "people says of which cell already"),
        ({"counts": ((3, 1),), "axis": "people"}, "leave out counts"),
        ({"deltas": (0.1,)}, "has no delta"),
        ({"mechanisms": ("gaussian",)}, "needs a delta"),
        ({"axis": "delta"}, "axis='delta' needs a delta"),
        ({"match": "all"}, "match must be one of"),
        ({"delta_range": (0.1, 0.5)}, "delta_range belongs to axis='delta'"),
        ({"epsilon_range": (2.0, 10.0), "mechanisms": ("gaussian",), "deltas": (0.1,)}, "must begin below 1"),
        ({"epsilons": (2.0,), "mechanisms": ("gaussian",), "deltas": (0.1,)}, "epsilon < 1"),
        ({"mechanisms": ()}, "at least one mechanism"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**asked)


def test_every_label_has_its_share_of_the_people_who_are_shown_with_it() -> None:
    found = cell_risk(OneCell((4, 1, 1)), "laplace", el.PureDP(1.0), match="share")
    by_value = found.to_dict()["by_value"]
    assert [entry["count"] for entry in by_value] == [4, 1, 1]
    assert sum(entry["shown_right"] for entry in by_value) == pytest.approx(found.risk)
    assert sum(found.alone) == pytest.approx(1.0 - found.several - found.nobody)
    assert by_value[1]["shown_wrong"] == pytest.approx(found.alone[1] * 5 / 6)
