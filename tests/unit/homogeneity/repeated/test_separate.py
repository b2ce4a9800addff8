"""Separate tables against the enumeration of what each of them shows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.errors import ParameterError
from epsilens.homogeneity import shrinkage
from epsilens.homogeneity.repeated.separate import (
    belief_in_joint,
    combination_belief,
    combination_risks,
    prepare_in_joint,
    prepare_separate,
)

NOISE = el.LaplaceNoise(1.4)
ROWS = [
    *[("f", "a", "s")] * 3, ("f", "b", "s"), ("f", "b", "t"),
    *[("m", "a", "t")] * 2, ("m", "c", "t"),
    *[("n", "b", "s")] * 4,
]  # fmt: skip


@pytest.fixture(scope="module")
def table() -> el.FrequencyTable:
    return el.read_table(pd.DataFrame(ROWS, columns=["q", "y", "w"]), el.Schema("q", ["y", "w"]))


def _alone(counts: dict[str, int]) -> dict[str, float]:
    """P(this value alone is shown), by going through every set of values that may be shown."""
    shown = {value: float(NOISE.sf(0.5 - count)) for value, count in counts.items()}
    found = dict.fromkeys(counts, 0.0)
    for pattern in itertools.product([False, True], repeat=len(counts)):
        chance = math.prod(shown[v] if there else 1.0 - shown[v] for v, there in zip(counts, pattern, strict=True))
        if sum(pattern) == 1:
            found[next(v for v, there in zip(counts, pattern, strict=True) if there)] += chance
    return found


def _cell(name: str) -> tuple[list[tuple[str, str]], dict[str, float], dict[str, float]]:
    people = [(y, w) for q, y, w in ROWS if q == name]
    first = _alone({value: sum(y == value for y, _ in people) for value in "abc"})
    second = _alone({value: sum(w == value for _, w in people) for value in "st"})
    return people, first, second


def _of_cells(table: el.FrequencyTable, risks: FloatArray, vectors: Any) -> FloatArray:
    """Risks of signatures, back in the order of the cells."""
    return np.array([risks[(vectors == row).all(axis=1)][0] for row in table.vectors])


def test_largest_and_sum_of_what_the_tables_give_away(table: el.FrequencyTable) -> None:
    expected = []
    for name in "fmn":
        people, first, second = _cell(name)
        risk = sum(first[y] for y in {y for y, _ in people}), sum(second[w] for w in {w for _, w in people})
        expected.append((max(risk), sum(risk)))
    for position, ready in enumerate((prepare_separate(table, "max"), prepare_separate(table, "sum"))):
        found = _of_cells(table, ready.risks(NOISE), ready.vectors)
        assert found == pytest.approx([row[position] for row in expected], rel=1e-12)


def test_the_combination_is_read_off_both_tables(table: el.FrequencyTable) -> None:
    by_share, by_any, wrong = [], [], []
    for name in "fmn":
        people, first, second = _cell(name)
        both = {(y, w): first[y] * second[w] for y in "abc" for w in "st"}
        by_share.append(sum(both[person] for person in people) / len(people))
        by_any.append(sum(both[pair] for pair in set(people)))
        wrong.append(sum(both.values()) - by_share[-1])
    assert combination_risks(table, NOISE, "share") == pytest.approx(by_share, rel=1e-12)
    assert combination_risks(table, NOISE) == pytest.approx(by_any, rel=1e-12)
    assert prepare_separate(table, "joint").average(NOISE) == pytest.approx(np.average(by_any, weights=[5, 3, 4]))
    believed = combination_belief(table, NOISE)
    assert believed.right == pytest.approx(np.average(by_share, weights=[5, 3, 4]))
    assert believed.wrong == pytest.approx(np.average(wrong, weights=[5, 3, 4]))
    assert believed.guessing == pytest.approx(5 / 12)


def test_one_attribute_in_the_joint_table(table: el.FrequencyTable) -> None:
    right, wrong, risks = [], [], []
    for name in "fmn":
        people = [(y, w) for q, y, w in ROWS if q == name]
        pairs = sorted({(y, w) for _, y, w in ROWS})
        shown = [float(NOISE.sf(0.5 - people.count(pair))) for pair in pairs]
        chance = dict.fromkeys("abc", 0.0)
        for pattern in itertools.product([False, True], repeat=len(pairs)):
            values = {y for (y, _), there in zip(pairs, pattern, strict=True) if there}
            if len(values) == 1:
                chance[values.pop()] += math.prod(
                    p if there else 1.0 - p for p, there in zip(shown, pattern, strict=True)
                )
        share = {v: sum(y == v for y, _ in people) / len(people) for v in "abc"}
        right.append(sum(share[v] * chance[v] for v in "abc"))
        wrong.append(sum((1.0 - share[v]) * chance[v] for v in "abc"))
        risks.append(sum(chance[v] for v in "abc" if share[v] > 0))
    ready = prepare_in_joint(table, "y")
    assert _of_cells(table, ready.risks(NOISE), ready.vectors) == pytest.approx(risks, rel=1e-12)
    believed = belief_in_joint(table, "y", NOISE)
    assert believed.right == pytest.approx(np.average(right, weights=[5, 3, 4]))
    assert believed.wrong == pytest.approx(np.average(wrong, weights=[5, 3, 4]))
    assert believed.guessing == pytest.approx(6 / 12)


def test_any_measure_of_single_attributes_has_a_largest_and_a_sum(table: el.FrequencyTable) -> None:
    alone = [shrinkage(table.attribute(name), NOISE) for name in ("y", "w")]
    ready = prepare_separate(table, "sum", "shrinkage")
    assert _of_cells(table, ready.risks(NOISE), ready.vectors) == pytest.approx(alone[0] + alone[1], rel=1e-9)
    with pytest.raises(ParameterError, match="known for measure 'local' only, not 'shrinkage'"):
        prepare_separate(table, "joint", "shrinkage")


@pytest.mark.parametrize("declared", [("y=a",), ("y=a*2", "w=t*3"), ("y=c", "w=s")])
def test_separate_tables_count_values_as_often_as_they_harm(
    table: el.FrequencyTable, declared: tuple[str, ...]
) -> None:
    harmed = table.with_harm(*declared)
    harm = harmed.harm
    largest, together, right, wrong = [], [], 0.0, 0.0
    for name in "fmn":
        people, first, second = _cell(name)
        risks = [
            sum(harm.weight("y", y) * first[y] for y in {y for y, _ in people}),
            sum(harm.weight("w", w) * second[w] for w in {w for _, w in people}),
        ]
        largest.append((max(risks), sum(risks)))
        weights = {(y, w): max(harm.weight("y", y), harm.weight("w", w)) for y in "abc" for w in "st"}
        together.append(sum(weights[y, w] * first[y] * second[w] for y, w in set(people)))
        for pair, weight in weights.items():
            if weight > 0:
                share = sum(person == pair for person in people) / len(people)
                chance = first[pair[0]] * second[pair[1]] * len(people) / len(ROWS)
                right, wrong = right + share * chance, wrong + (1 - share) * chance
    for position, kind in enumerate(("max", "sum")):
        ready = prepare_separate(harmed, kind)  # type: ignore[arg-type]
        found = _of_cells(table, ready.risks(NOISE), ready.vectors)
        assert found == pytest.approx([row[position] for row in largest], rel=1e-12)
    assert combination_risks(harmed, NOISE) == pytest.approx(together, rel=1e-12)
    believed = combination_belief(harmed, NOISE)
    assert (believed.right, believed.wrong) == pytest.approx((right, wrong), rel=1e-12)


def test_a_joint_table_is_believed_about_harmful_values_only(table: el.FrequencyTable) -> None:
    each = [belief_in_joint(table.with_harm(f"y={value}"), "y", NOISE) for value in "abc"]
    every = belief_in_joint(table, "y", NOISE)
    assert sum(one.right for one in each) == pytest.approx(every.right)
    assert sum(one.wrong for one in each) == pytest.approx(every.wrong)
