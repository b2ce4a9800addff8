"""Mondrian, hierarchies, generalised tables and what is drawn from them."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.mondrian import SplitColumn, frequency_order, mondrian_classes
from epsilens.avoidance.records import Column, Records
from epsilens.errors import DataError, ParameterError


def people(n: int, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    frame = {
        "age": rng.integers(18, 90, n),
        "town": rng.choice(["ash", "birch", "cedar", "elm", "fir"], n, p=[0.4, 0.3, 0.2, 0.07, 0.03]),
        "sex": rng.choice(["f", "m"], n),
        "ill": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
    }
    return Records.of(frame, ["age", "town", "sex"], numeric=["age"])


TREE = av.GeneralisationHierarchy.from_parents(
    {"ash": "broad", "birch": "broad", "elm": "broad", "cedar": "needle", "fir": "needle", "broad": "*", "needle": "*"},
    "town",
)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("with_tree", [True, False])
@pytest.mark.parametrize("k", [1, 2, 7, 60, 400])
def test_every_class_has_at_least_k_people(k: int, strict: bool, with_tree: bool) -> None:
    records = people(400)
    system = av.KAnonymity(k, strict=strict, hierarchies={"town": TREE} if with_tree else {})
    anonymous = system.anonymised(records)
    assert anonymous.sizes.min() >= k
    assert anonymous.sizes.sum() == 400
    assert sum(int(row["count"]) for row in anonymous.rows()) == 400
    if strict and not with_tree:  # alike people are in one class
        _, kind, _ = records.distinct(records.quasi_identifiers)
        pairs = {(int(a), int(b)) for a, b in zip(kind, anonymous.class_of, strict=True)}
        assert len(pairs) == len(set(kind.tolist()))


def one_at_a_time(columns: list[np.ndarray], k: int) -> list[frozenset[int]]:
    """The textbook recursion: widest column first, the allowed cut nearest the median."""
    widths = [int(np.ptp(c)) or 1 for c in columns]

    def split(rows: np.ndarray) -> list[frozenset[int]]:
        spans = [np.ptp(c[rows]) / w for c, w in zip(columns, widths, strict=True)]
        for j in sorted(range(len(columns)), key=lambda j: -spans[j]):
            values = np.sort(columns[j][rows])
            cuts = [i for i in range(1, len(rows)) if values[i] != values[i - 1] and k <= i <= len(rows) - k]
            if cuts and spans[j] > 0:
                cut = min(cuts, key=lambda i: (abs(2 * i - len(rows)), i))
                left = columns[j][rows] < values[cut]
                return split(rows[left]) + split(rows[~left])
        return [frozenset(rows.tolist())]

    return split(np.arange(len(columns[0])))


@pytest.mark.parametrize("seed", range(8))
def test_all_partitions_at_once_is_the_textbook_recursion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, 120) for size in (50, 9, 3)]
    split = [SplitColumn(c.astype(np.int32), 50, np.arange(50.0)) for c in columns]
    classes = mondrian_classes(split, k=4)
    ours = {frozenset(np.flatnonzero(classes == c).tolist()) for c in range(classes.max() + 1)}
    assert ours == set(one_at_a_time(columns, 4))


def test_weights_stand_for_rows() -> None:
    records = people(300, seed=3)
    histogram = records.histogram()
    by_cell = av.KAnonymity(5).anonymised(histogram)
    by_row = av.KAnonymity(5).anonymised(Records.from_histogram(histogram))
    assert sorted(by_cell.sizes) == sorted(by_row.sizes)


def test_categories_are_cut_by_how_common_they_are() -> None:
    codes = np.array([2, 2, 2, 0, 0, 1], dtype=np.int32)
    assert frequency_order(codes, 4).tolist() == [1, 2, 0, 3]


def test_generalised_values_are_intervals_sets_and_nodes() -> None:
    records = people(60, seed=1)
    plain = av.KAnonymity(20).anonymised(records)
    assert plain.n_classes >= 2
    assert plain.average_size == 60 / plain.n_classes
    for c in range(plain.n_classes):
        ages = records.values("age")[plain.class_of == c]
        towns = sorted(set(records.values("town")[plain.class_of == c]))
        assert plain.labels("age")[c] == f"{ages.min():g}-{ages.max():g}"
        assert plain.labels("town")[c] == (towns[0] if len(towns) == 1 else "{" + ", ".join(towns) + "}")
    tree = av.KAnonymity(20, hierarchies={"town": TREE}).anonymised(records)
    assert set(tree.labels("town")) <= {*TREE.nodes}


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


def test_reconstruction_draws_from_the_classes() -> None:
    records = people(200, seed=2)
    system = av.KAnonymity(10, hierarchies={"town": TREE})
    anonymous = system.anonymised(records)
    drawn = anonymous.reconstructed(np.random.default_rng(1))
    assert len(drawn) == 200
    assert drawn.values("ill").tolist() == records.values("ill").tolist()
    low, high = anonymous.interval("age")
    ages, of = drawn.values("age"), anonymous.class_of
    middle = 0.5 * (low + high)
    assert np.abs(ages - middle[of]).max() <= 0.25 * (high - low).max() * 6 + 1
    assert (ages >= 0).all()
    codes, starts = anonymous.sets("town")
    for row in range(200):
        admitted = codes[starts[of[row]] : starts[of[row] + 1]]
        assert drawn.columns["town"].codes[row] in admitted


def test_dp_k_anonymity_of_records_and_of_too_small_a_sample() -> None:
    records, rng = people(300), np.random.default_rng(1)
    released = av.DPKAnonymity(5, 0.5).release(records, rng)
    assert 60 < len(released) < 180  # about 39 % are sampled
    nothing = av.DPKAnonymity(300, 0.5).release(records, rng)
    assert len(nothing) == 0
    histogram = records.histogram()
    assert av.DPKAnonymity(300, 0.5).release(histogram, rng).counts.sum() == 0
    simulated = av.DPKAnonymity(5, 2.0).bias(histogram, rng, repetitions=5)
    assert simulated.shape == histogram.counts.shape
    assert "DP k-anonymity" in av.DPKAnonymity(5, 2.0).name


def test_values_without_a_place_in_the_hierarchy() -> None:
    tree = av.GeneralisationHierarchy.from_parents({"ash": "*", "birch": "*"}, "town")
    with pytest.raises(DataError, match="'town' has no place for 3 of the 5 values"):
        av.KAnonymity(5, hierarchies={"town": tree}).anonymised(people(100))


def test_bad_records() -> None:
    with pytest.raises(ParameterError, match="at least one quasi-identifier"):
        Records.of({"a": [1]}, [])
    with pytest.raises(DataError, match="did you mean 'town'"):
        Records.of({"town": ["x"]}, ["twon"])
    with pytest.raises(DataError, match="not numbers"):
        Records.of({"age": ["old"]}, ["age"], numeric=["age"])
    with pytest.raises(DataError, match="1 missing"):
        Column.numeric("age", [1.0, np.nan])
    with pytest.raises(ParameterError, match="got k = 101 for 100 people"):
        av.KAnonymity(101).release(people(100), np.random.default_rng(1))
    with pytest.raises(ParameterError, match="did you mean 'town'"):
        av.KAnonymity(2, columns=("toun",)).anonymised(people(10))
    assert "10 rows" in repr(people(10))
    assert set(people(10).to_dict()) == {"age", "town", "sex", "ill"}
