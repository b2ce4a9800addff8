from __future__ import annotations

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.published_attributes import prepare_overall, published_attributes
from epsilens.choice.publishing import Publish
from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.repeated.attributes import attribute_risks

NOISE = el.LaplaceNoise(1.0)
PEOPLE = pd.DataFrame({"q": ["f", "f", "f", "m", "m"], "y": ["a", "a", "b", "b", "b"], "w": ["s", "s", "t", "t", "s"]})


@pytest.fixture(scope="module")
def table() -> el.FrequencyTable:
    return el.read_table(PEOPLE, el.Schema("q", ["y", "w"]))


def test_each_in_its_own_table_and_all_in_a_joint_one_unless_said_otherwise(table: el.FrequencyTable) -> None:
    first, second, both = published_attributes(table)
    assert [(part.name, part.published, part.own_table) for part in (first, second, both)] == [
        ("y", "separate", True),
        ("w", "separate", True),
        ("y x w", "joint", True),
    ]
    assert first.belief(NOISE) == belief(table.attribute("y"), NOISE)
    assert first.noise("laplace", el.PureDP(1.0), "add-remove") == el.LaplaceNoise(1.0)


@pytest.mark.parametrize("publish", ["joint", "separate"])
def test_what_is_asked_for_holds_for_all(table: el.FrequencyTable, publish: Publish) -> None:
    parts = list(published_attributes(table, publish, "all" if publish == "separate" else None))
    assert {part.published for part in parts} == {publish}
    assert [part.own_table for part in parts] == ([False, False, True] if publish == "joint" else [True, True, False])
    size = 2.0 if publish == "separate" else 1.0
    assert parts[0].noise("laplace", el.PureDP(1.0), "add-remove") == el.LaplaceNoise(size)
    for part in parts:
        believed, risk = part.belief(NOISE), part.prepare("local", match="share").average(NOISE)
        assert believed.right == pytest.approx(risk)


def test_overall_risks_of_a_joint_table(table: el.FrequencyTable) -> None:
    ready = {part.name: part.prepare("local") for part in published_attributes(table, "joint") if not part.combined}
    risks = attribute_risks(table, NOISE)
    for kind, values in (("max", risks.max(axis=1)), ("sum", risks.sum(axis=1))):
        found = prepare_overall(table, kind, "joint", "local", ready).average(NOISE)  # type: ignore[arg-type]
        assert found == pytest.approx(values @ [0.6, 0.4])
