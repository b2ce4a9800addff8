"""The answer of ``evaluate``: groups, gaps and plain values against sums over the two tables."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.questions.evaluation import FEW, Evaluation

RNG = np.random.default_rng(11)
TRUE = pd.DataFrame(
    [(a, b, y) for a in ("a", "b", "c") for b in map(str, range(12)) for y in ("no", "yes")], columns=["a", "b", "y"]
).assign(n=RNG.poisson(2.0, 72))
TRUE.loc[TRUE.a == "c", "n"] = 0
TRUE.loc[(TRUE.a == "c") & (TRUE.b == "1"), "n"] = 4
PUBLISHED = TRUE.assign(m=TRUE.n + RNG.integers(-1, 2, 72) + 0.25)
PUBLISHED.loc[5, "m"] = np.nan


@cache
def found(**given: object) -> Evaluation:
    cells = TRUE[["a", "b"]][::2]
    table = el.FrequencyTable.from_counts(
        TRUE.n.to_numpy().reshape(-1, 2), ["no", "yes"], {name: list(cells[name]) for name in cells}
    )
    return el.evaluate(PUBLISHED.m.to_numpy().reshape(-1, 2), table, **given)  # type: ignore[arg-type]


def test_groups_add_up_to_everybody() -> None:
    for column in ("a", "b"):
        mine = [group for group in found().groups if group.column == column]
        people = sum(group.people for group in mine)
        assert people == TRUE.n.sum()
        assert sum(g.shown_right * g.people for g in mine) == pytest.approx(found().observed.people_right)
        assert sum(g.shown_wrong * g.people for g in mine) == pytest.approx(found().observed.people_wrong)
        assert sum(g.error * g.people for g in mine) == pytest.approx(found().accuracy.l1)
        assert sum(g.hard_right * g.people for g in mine) / people == pytest.approx(found().observed.hard.right)


def test_one_group_by_hand() -> None:
    group = next(group for group in found().groups if (group.column, group.level) == ("a", "b"))
    rows = PUBLISHED[PUBLISHED.a == "b"]
    assert group.people == rows.n.sum()
    assert group.bias == pytest.approx((rows.m - rows.n).mean())
    assert group.error == pytest.approx((rows.m - rows.n).abs().sum() / rows.n.sum())


def test_gaps_are_between_groups_of_enough_people() -> None:
    gaps = {gap.column: gap for gap in found().gaps}
    sizes = TRUE.groupby("a").n.sum()
    assert gaps["a"].groups == (sizes >= FEW).sum() == 2
    groups = {group.level: group for group in found().groups if group.column == "a" and group.people >= FEW}
    shares = {level: group.shown_right for level, group in groups.items()}
    assert gaps["a"].shown_right == pytest.approx(max(shares.values()) - min(shares.values()))
    assert gaps["a"].most_shown == max(shares, key=shares.__getitem__)


def test_what_was_read() -> None:
    reading = found().reading
    assert (reading.kind, reading.rows, reading.counts, reading.withheld) == ("counts", 72, 72, 1)
    assert reading.fractional == 71
    assert reading.negative == (PUBLISHED.m < 0).sum()
    assert reading.ignored_columns == ()


def test_plain_values_have_the_promised_keys() -> None:
    plain = json.loads(json.dumps(found().to_dict()))
    assert {"shown_right", "shown_wrong", "believing_is_right", "noise", "by_value", "fairness", "today"} <= set(plain)
    assert plain["noise"] is None
    assert {"value", "shown_right", "shown_wrong"} <= set(plain["by_value"][0])
    right, wrong = plain["shown_right"], plain["shown_wrong"]
    assert plain["believing_is_right"] == pytest.approx(right / (right + wrong))
    assert sum(value["shown_right"] for value in plain["by_value"]) == pytest.approx(right)


def test_only_harmful_values_count() -> None:
    harm = found(harmful="label=yes")
    yes = next(value for value in harm.by_value if value.value == "yes")
    assert harm.shown_right == pytest.approx(yes.shown_right)
    assert harm.shown_wrong == pytest.approx(yes.shown_wrong)
    assert harm.shown_right < found().shown_right
    assert harm.harm_declared


def test_several_attributes_jointly_and_one_by_one() -> None:
    people = pd.DataFrame({"a": ["x", "x", "z"], "y": ["no", "no", "yes"], "w": ["p", "q", "p"]})
    both = el.evaluate(people, people, "a", ["y", "w"])
    assert both.observed.people_right == 1
    assert [(name, own.people_right) for name, own, _ in both.attributes] == [("y", 3), ("w", 1)]
    assert both.to_dict()["attributes"][0]["shown_right"] == 1.0
    assert found().attributes == ()


def test_it_shows_itself() -> None:
    assert repr(found()) == "Evaluation(a, b by label, 72 published counts)"
    assert "INTERNAL" in found()._repr_html_()
