"""Who is shown as what: today against counting, under noise against enumeration of what is published."""

from __future__ import annotations

from itertools import product
from typing import Literal

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.published_attributes import published_attributes
from epsilens.choice.values import prepare_values, values_today
from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.by_value import harm_shown
from epsilens.noise import DiscreteLaplaceNoise
from epsilens.table import diagnose
from tests.unit.homogeneity.publishing import table_of

TABLE = el.FrequencyTable.from_counts([[3, 0, 0], [1, 2, 0], [0, 5, 0], [0, 0, 0], [1, 0, 0]], ["no", "yes", "old"])
TWO = table_of([[3, 0, 0, 1], [0, 2, 0, 0], [1, 0, 1, 0]], {"first": "ab", "second": "xy"}, {"town": ["n", "s", "e"]})
NOISE = DiscreteLaplaceNoise(1.0)


def test_today_everybody_in_a_homogeneous_cell_is_shown_as_what_they_are() -> None:
    harmed = TABLE.with_harm({"label": {"yes": 2.0}})
    found = {value.value: value for value in values_today(harmed, diagnose(harmed))}
    assert [(v.people, v.homogeneous_cells, v.disclosed, v.weight) for v in found.values()] == [
        (5, 2, 4, 0.0),
        (7, 1, 5, 2.0),
        (0, 0, 0, 0.0),
    ]
    assert sum(v.disclosed for v in found.values()) == diagnose(TABLE).people_in_homogeneous_cells
    assert found["yes"].harmful
    assert found["yes"].to_dict()["disclosed"] == 5


def test_in_a_table_of_its_own_the_values_add_up_to_the_belief() -> None:
    harmed = TABLE.with_harm("label=yes")
    (part,) = published_attributes(harmed)
    shown = harm_shown(prepare_values(part).shares(NOISE))
    said = belief(harmed, NOISE)
    assert (shown.right, shown.wrong) == pytest.approx((said.right, said.wrong))


@pytest.mark.parametrize("harmful", [(), ("first=a",), ("first=a", "second=y*2")])
@pytest.mark.parametrize("publish", ["joint", "separate", None])
def test_however_attributes_are_published_values_add_up_to_belief_and_risk(
    publish: Literal["joint", "separate"] | None, harmful: tuple[str, ...]
) -> None:
    table = TWO.with_harm(*harmful) if harmful else TWO
    for part in published_attributes(table, publish):
        found, believed = harm_shown(prepare_values(part).shares(NOISE)), part.belief(NOISE)
        assert (found.right, found.wrong) == pytest.approx((believed.right, believed.wrong))
        assert found.weighted_right == pytest.approx(part.prepare("local", match="share").average(NOISE))


@pytest.mark.parametrize("publish", ["joint", "separate"])
def test_however_attributes_are_published_it_is_what_enumeration_finds(publish: str) -> None:
    """Every pattern of shown and hidden counts of each cell, with its probability."""
    for part in published_attributes(TWO, publish):  # type: ignore[arg-type]
        ready = prepare_values(part)
        right, wrong = (sum_of(ready.labels, part.name, publish, theirs) for theirs in (True, False))
        for value in ready.shares(NOISE):
            assert value.shown_right == pytest.approx(right[value.value], abs=1e-12), part.name
            assert value.shown_wrong == pytest.approx(wrong[value.value], abs=1e-12), part.name


def sum_of(labels: tuple[str, ...], name: str, publish: str, theirs: bool) -> dict[str, float]:
    """For each value the share of people who are shown with it and have it, or have it not, by brute force."""
    found = dict.fromkeys(labels, 0.0)
    people = TWO.counts.sum()
    for cell in TWO.counts:
        for value, chance in patterns(cell, name, publish).items():
            if value in found:
                have = sum(n for n, parts in zip(cell, TWO.label_values, strict=True) if said(parts, name) == value)
                found[value] += chance * float(have if theirs else cell.sum() - have) / people
    return found


def said(parts: tuple[str, ...], name: str) -> str:
    if " x " in name:
        return TWO.labels[TWO.label_values.index(parts)]
    return parts[TWO.sensitive.index(name)]


def patterns(cell: np.ndarray, name: str, publish: str) -> dict[str, float]:
    """P(an attacker reads exactly one value off the cell), by that value."""
    if publish == "joint":
        counts = {parts: int(n) for n, parts in zip(cell, TWO.label_values, strict=True)}
        tables = [counts]
    else:
        tables = []
        for j in range(2):
            own: dict[tuple[str, ...], int] = {}
            for n, parts in zip(cell, TWO.label_values, strict=True):
                own[(parts[j],)] = own.get((parts[j],), 0) + int(n)
            tables.append(own)
    found: dict[str, float] = {}
    keys = [(i, parts) for i, table in enumerate(tables) for parts in table]
    for shown in product([False, True], repeat=len(keys)):
        chance = 1.0
        for (i, parts), seen in zip(keys, shown, strict=True):
            law = NOISE.sf(0.5 - tables[i][parts])
            chance *= float(law if seen else 1.0 - law)
        seen_in = [{parts for (i, parts), seen in zip(keys, shown, strict=True) if seen and i == t} for t in range(2)]
        if publish == "joint":
            read = {said(parts, name) for parts in seen_in[0]}
        elif " x " in name:
            read = {said((a, b), name) for (a,) in seen_in[0] for (b,) in seen_in[1]}
        else:
            read = {parts[0] for parts in seen_in[TWO.sensitive.index(name)]}
        if len(read) == 1:
            (value,) = read
            found[value] = found.get(value, 0.0) + chance
    return found
