"""Generalisation hierarchies."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.records import Records
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.errors import DataError, ParameterError
from tests.support.avoidance import TREE, people


def test_a_hierarchy_is_cut_into_all_children_or_not_at_all() -> None:
    towns = ["ash"] * 6 + ["birch"] * 6 + ["cedar"] * 6
    records = Records.of({"town": towns, "ill": ["no"] * 18}, ["town"])
    assert sorted(av.KAnonymity(6, hierarchies={"town": TREE}).anonymised(records).labels("town")) == [
        "ash",
        "birch",
        "cedar",
    ]
    assert sorted(av.KAnonymity(7, hierarchies={"town": TREE}).anonymised(records).labels("town")) == ["*"]
    few = Records.of({"town": ["ash"] * 3 + ["birch"] * 4 + ["cedar"] * 8, "ill": ["no"] * 15}, ["town"])
    assert sorted(av.KAnonymity(5, hierarchies={"town": TREE}).anonymised(few).labels("town")) == ["broad", "cedar"]


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({}, "is empty"),
        ({"a": "b", "b": "a"}, "2 orphans: their parents run in a circle"),
        ({"a": "top", "b": "top", "c": "elsewhere"}, "2 orphans: they do not reach its root"),
    ],
)
def test_orphans_in_a_hierarchy(parents: dict[str, str], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        av.GeneralisationHierarchy.from_parents(parents, "town")


def test_values_without_a_place_in_the_hierarchy() -> None:
    tree = av.GeneralisationHierarchy.from_parents({"ash": "*", "birch": "*"}, "town")
    with pytest.raises(DataError, match="'town' has no place for 3 of the 5 values"):
        av.KAnonymity(5, hierarchies={"town": tree}).anonymised(people(100))


def test_the_smallest_node_above_some_values() -> None:
    tree = av.GeneralisationHierarchy.from_parents(
        {"ash": "broad", "elm": "broad", "fir": "needle", "broad": "*", "needle": "*", "moss": "*"}
    )
    assert tree.leaves == ("ash", "elm", "fir", "moss")
    assert [tree.node_of(*ends) for ends in ((0, 0), (0, 1), (1, 2), (3, 3), (2, 3))] == [
        "ash", "broad", "*", "moss", "*",
    ]  # fmt: skip
    assert tree.common_depth(np.array([0, 0]), np.array([1, 2])).tolist() == [1, 0]
    assert tree.leaf_positions(["moss", "ash"], "plant").tolist() == [3, 0]
    with pytest.raises(DataError, match="'plant' has no place for 1 of the 2 values"):
        tree.leaf_positions(["ash", "fern"], "plant")


def test_a_chain_that_is_too_long_is_refused_quickly() -> None:
    chain = {str(i): str(i + 1) for i in range(100_000)}
    with pytest.raises(DataError, match="the hierarchy of 'x' has 100001 levels; it may have at most 1001"):
        GeneralisationHierarchy.from_parents(chain, "x")
    with pytest.raises(DataError, match="100001 orphans: their parents run in a circle"):
        GeneralisationHierarchy.from_parents({**chain, "100000": "50"}, "x")
    tree = GeneralisationHierarchy.from_parents({str(i): str(i + 1) for i in range(1_000)})
    assert tree.leaves == ("0",)
