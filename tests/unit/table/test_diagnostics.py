"""Anonymity measures on tables small enough to work out by hand, and laws that hold for all tables."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilens.errors import ParameterError
from epsilens.table.diagnostics import Homogeneity, diagnose, homogeneity_classes
from epsilens.table.domain import MISSING
from epsilens.table.frequency import FrequencyTable, MemoryStore

TABLE = FrequencyTable.from_counts([[3, 1, 0], [0, 2, 2], [0, 0, 4], [1, 0, 0]], ["a", "b", "c"])
# p = (4, 3, 6) / 13


def test_sizes_and_homogeneity() -> None:
    found = diagnose(TABLE)
    assert (found.people, found.cells, found.labels) == (13, 4, 3)
    assert found.k_anonymity == 1
    assert found.sample_uniques == 1
    assert (found.homogeneous_cells, found.people_in_homogeneous_cells) == (2, 5)
    assert found.share_of_homogeneous_cells == 0.5
    assert found.share_of_people_in_homogeneous_cells == 5 / 13
    assert found.share_of_sample_uniques == 1 / 13


def test_measures_by_hand() -> None:
    found = diagnose(TABLE)
    assert found.distinct_l_diversity == 1
    assert found.entropy_l_diversity == 1.0
    assert found.recursive_c is None
    assert found.attribute_disclosure == 1.0
    assert found.t_closeness == pytest.approx(9 / 13)  # the sample unique: (|1 - 4/13| + 3/13 + 6/13) / 2
    assert found.delta_disclosure == pytest.approx(math.log(13 / 4))
    assert found.basic_beta_likeness == pytest.approx(13 / 4 - 1)
    assert found.enhanced_beta_likeness == pytest.approx(-math.log(3 / 13))
    assert not found.enhanced_beta_holds


def test_diverse_cells() -> None:
    found = diagnose(FrequencyTable.from_counts([[5, 3, 2], [4, 4, 0]]))
    assert found.distinct_l_diversity == 2
    assert found.entropy_l_diversity == pytest.approx(2.0)
    assert found.entropy_l_diversity_floor == 2
    assert found.recursive_c == pytest.approx(1.0)  # max(5 / (3 + 2), 4 / 4)
    assert found.attribute_disclosure == 0.5


def test_a_table_of_equal_cells_gives_nothing_away() -> None:
    found = diagnose(FrequencyTable.from_counts([[2, 6], [1, 3]]))
    assert found.t_closeness == 0
    assert found.delta_disclosure == 0
    assert found.basic_beta_likeness == 0
    assert found.enhanced_beta_holds


def test_ordered_labels_use_the_distance_between_them() -> None:
    table = FrequencyTable.from_counts([[2, 0, 0], [0, 0, 2]], ["10", "9", "1"])
    # Nobody has label 9, so m = 2: in the order 1, 10 the partial sums of q - p are 1/2 and 0.
    assert diagnose(table, ordered=True).t_closeness == pytest.approx(0.5)
    spread = FrequencyTable.from_counts([[2, 0, 0], [0, 1, 1]], ["1", "9", "10"])
    assert diagnose(spread, ordered=True).t_closeness == pytest.approx((0.5 + 0.25) / 2)
    assert diagnose(spread, ordered=["1", "10", "9"]).t_closeness == pytest.approx((0.5 + 0.25) / 2)
    assert diagnose(spread).t_closeness == pytest.approx(0.5)


def test_orders_that_do_not_fit() -> None:
    with pytest.raises(ParameterError, match="labels that are numbers"):
        diagnose(TABLE, ordered=True)
    with pytest.raises(ParameterError, match="each of the 3 labels once, got 2"):
        diagnose(TABLE, ordered=["a", "b"])


def test_empty_cells_unused_labels_and_structural_zeros_say_nothing() -> None:
    plain = FrequencyTable.from_counts([[3, 1], [1, 1]])
    padded = FrequencyTable.from_counts(
        [[3, 1, 0], [1, 1, 0], [0, 0, 0]], structural_zeros=[[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mine, theirs = diagnose(padded).to_dict(), diagnose(plain).to_dict()
    assert mine.pop("labels") == theirs.pop("labels") + 1
    assert mine.pop("disclosed_by_value") == theirs.pop("disclosed_by_value")
    assert mine == pytest.approx(theirs)


def test_the_dictionary_is_plain_json() -> None:
    found = diagnose(TABLE).to_dict()
    assert json.loads(json.dumps(found))["share_of_homogeneous_cells"] == 0.5


def two_attributes() -> FrequencyTable:
    values = (("a", "u"), ("a", "v"), ("b", "u"), ("b", "v"))
    counts = np.array([[2, 0, 0, 0], [1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 3], [0, 4, 0, 1], [0, 0, 0, 0]])
    return FrequencyTable(
        tuple(" | ".join(parts) for parts in values), MemoryStore(counts, {}), sensitive=("s", "t"), label_values=values
    )


def test_homogeneity_for_every_some_and_no_attribute() -> None:
    classes = homogeneity_classes(two_attributes())
    assert classes.every == Homogeneity(2, 5)
    assert classes.some == Homogeneity(2, 7)
    assert classes.none == Homogeneity(1, 2)
    assert classes.by_attribute == {"s": Homogeneity(3, 7), "t": Homogeneity(3, 10)}
    assert json.loads(json.dumps(classes.to_dict()))["some"] == {"cells": 2, "people": 7}


def test_with_one_attribute_there_is_no_some() -> None:
    classes = homogeneity_classes(TABLE)
    assert classes.every == Homogeneity(2, 5)
    assert classes.some == Homogeneity(0, 0)
    assert classes.none == Homogeneity(2, 8)


def test_several_attributes_are_as_bad_as_the_worst() -> None:
    table = two_attributes()
    joint, parts = diagnose(table), [diagnose(table.attribute(name)) for name in ("s", "t")]
    assert joint.t_closeness == max(part.t_closeness for part in parts)
    assert joint.delta_disclosure == max(part.delta_disclosure for part in parts)
    assert joint.basic_beta_likeness == max(part.basic_beta_likeness for part in parts)
    assert joint.entropy_l_diversity == min(part.entropy_l_diversity for part in parts)
    assert joint.homogeneous_cells == 2
    with pytest.raises(ParameterError, match="single sensitive attribute"):
        diagnose(table, ordered=True)


counts = st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=8).filter(
    lambda rows: any(map(any, rows))
)


@given(counts)
def test_laws_that_hold_for_every_table(rows: list[list[int]]) -> None:
    found = diagnose(FrequencyTable.from_counts(rows))
    assert 1 <= found.entropy_l_diversity <= 3 + 1e-9
    assert found.entropy_l_diversity_floor <= found.distinct_l_diversity
    assert 0 <= found.t_closeness < 1
    assert found.enhanced_beta_likeness <= found.basic_beta_likeness
    assert found.sample_uniques <= found.homogeneous_cells <= found.cells
    assert (found.distinct_l_diversity == 1) == (found.homogeneous_cells > 0) == (found.attribute_disclosure == 1)


def test_who_is_shown_as_what_by_the_table_as_it_is() -> None:
    counts = [[3, 0, 0], [2, 0, 0], [0, 4, 0], [1, 1, 0], [0, 0, 0], [0, 0, 6]]
    plain = diagnose(FrequencyTable.from_counts(counts, ["well", "ill", MISSING]))
    assert [(found.value, found.weight, found.cells, found.people) for found in plain.disclosed_by_value] == [
        ("well", 1.0, 2, 5),
        ("ill", 1.0, 1, 4),
        (MISSING, 0.0, 1, 6),
    ]
    assert sum(found.people for found in plain.disclosed_by_value) == plain.people_in_homogeneous_cells
    assert plain.people_in_harmful_homogeneous_cells == 9  # a missing value tells nothing about anybody
    declared = diagnose(FrequencyTable.from_counts(counts, ["well", "ill", MISSING]).with_harm("label=ill*2"))
    assert (declared.harmful_homogeneous_cells, declared.people_in_harmful_homogeneous_cells) == (1, 4)
    assert declared.to_dict()["disclosed_by_value"][1] == {"value": "ill", "weight": 2.0, "cells": 1, "people": 4}
    assert declared.distinct_l_diversity == plain.distinct_l_diversity  # the classical measures know no harm
