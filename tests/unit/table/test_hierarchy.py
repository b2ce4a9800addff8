"""Hierarchies from microdata."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.table.hierarchy import Hierarchy

LEVELS = ["block", "group", "county"]
KINDS = ["sex", "race"]


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    block = rng.integers(0, 30, 400)
    return pd.DataFrame(
        {
            "block": [f"b{b:02d}" for b in block],
            "group": [f"g{b // 5}" for b in block],
            "county": [f"c{b // 15}" for b in block],
            "sex": rng.choice(["f", "m"], 400),
            "race": rng.choice(["w", "b", "a"], 400, p=[0.85, 0.1, 0.05]),
        }
    )


def situations_by_hand(people: pd.DataFrame) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    blocks_of = people.groupby("group").block.nunique()
    for _, cell in people.groupby([*LEVELS, *KINDS]):
        row = cell.iloc[0]
        alike = (people.sex == row.sex) & (people.race == row.race)
        counts = [int((alike & (people[level] == row[level])).sum()) for level in LEVELS]
        found[(*counts, int(blocks_of[row.group]) - 1)] += 1
    return found


def test_situations_are_those_counted_by_hand(people: pd.DataFrame) -> None:
    hierarchy = Hierarchy.read(people, LEVELS, KINDS)
    ours = hierarchy.situations()
    rows = zip(ours.counts.tolist(), ours.siblings.tolist(), ours.cells.tolist(), strict=True)
    assert {(*counts, siblings): cells for counts, siblings, cells in rows} == situations_by_hand(people)
    assert ours.n_people == 400
    rare = hierarchy.situations(rare=1)
    assert rare.n_people == sum(n for key, n in situations_by_hand(people).items() if key[0] == 1)
    lid = hierarchy.situations(rare=1, highest=5)
    assert lid.counts.max() == 5
    assert lid.n_people == rare.n_people
    risk = posterior.release_risk(rare, (0.1, 0.25, 0.05), attack="two-level")
    assert risk.n_people == rare.n_people


def test_files_and_count_tables_give_the_same(people: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    counted = people.groupby([*LEVELS, *KINDS]).size().reset_index(name="n")
    frames = [Hierarchy.read(path, LEVELS, KINDS), Hierarchy.read(counted, LEVELS, KINDS, count="n")]
    expected = Hierarchy.read(people, LEVELS, KINDS).situations()
    for hierarchy in frames:
        ours = hierarchy.situations()
        assert np.array_equal(ours.counts, expected.counts)
        assert np.array_equal(ours.cells, expected.cells)
    assert repr(frames[0]) == "Hierarchy(block < group < county; by sex, race)"


def test_group_counts_feed_the_tree(people: pd.DataFrame) -> None:
    hierarchy = Hierarchy.read(people, LEVELS, KINDS)
    groups = hierarchy.group_counts({"sex": "f", "race": "b"})
    assert groups.leaf_counts.sum() == ((people.sex == "f") & (people.race == "b")).sum()
    assert len(groups.leaf_names) == people.block.nunique()
    assert [len(level) for level in groups.parents] == [people.block.nunique(), people.group.nunique()]
    by_group = np.bincount(groups.parents[0], groups.leaf_counts)
    alike = people[(people.sex == "f") & (people.race == "b")]
    assert by_group.tolist() == [int((alike.group == f"g{i}").sum()) for i in range(6)]
    target = int(np.flatnonzero(groups.leaf_counts == 1)[0])
    risk = posterior.expected_tree(
        groups.leaf_counts, groups.parents, np.random.default_rng(0), target, (0.1, 0.25, 0.05), repetitions=3
    )
    assert 0 < risk.posterior < 1


def test_one_level_alone() -> None:
    frame = pd.DataFrame({"block": ["a", "a", "b"], "sex": ["f", "m", "m"]})
    ours = Hierarchy.read(frame, ["block"], ["sex"]).situations()
    assert ours.counts.tolist() == [[1]]
    assert ours.siblings.tolist() == [0]
    assert ours.cells.tolist() == [3]


def test_levels_that_are_not_nested_are_counted_and_not_named() -> None:
    frame = pd.DataFrame({"block": ["1", "1", "2"], "group": ["north", "east", "north"], "sex": ["f", "m", "m"]})
    with pytest.raises(DataError, match=r"'block' is not nested in 'group': 1 of its groups") as problem:
        Hierarchy.read(frame, ["block", "group"], ["sex"])
    assert "within-parent" in str(problem.value)
    assert not [code for code in ("north", "east", "'1'") if code in str(problem.value)]
    within = Hierarchy.read(frame, ["block", "group"], ["sex"], codes="within-parent")
    assert within.situations().n_people == 3
    assert within.group_counts({"sex": "m"}).leaf_names == ("1", "1", "2")


def test_bad_input(people: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="did you mean 'block'"):
        Hierarchy.read(people, ["blok", "group"], KINDS)
    with pytest.raises(ParameterError, match="one role only"):
        Hierarchy.read(people, ["block", "group"], ["group"])
    with pytest.raises(ParameterError, match="at least one level"):
        Hierarchy.read(people, [], KINDS)
    gaps = people.assign(group=people.group.where(people.group != "g0"))
    with pytest.raises(DataError, match="level 'group' is missing in"):
        Hierarchy.read(gaps, LEVELS, KINDS)
    with pytest.raises(DataError, match="counts in column 'n'"):
        Hierarchy.read(people.assign(n=-1), LEVELS, KINDS, count="n")
    hierarchy = Hierarchy.read(people, LEVELS, KINDS)
    with pytest.raises(ParameterError, match="'race' has none"):
        hierarchy.group_counts({"sex": "f"})
    with pytest.raises(ParameterError, match="did you mean 'race'"):
        hierarchy.group_counts({"sex": "f", "rase": "b"})
    with pytest.raises(DataError, match="nobody in the data is of that kind"):
        hierarchy.group_counts({"sex": "f", "race": "unknown"})
    with pytest.raises(ParameterError, match="rare must be >= 1"):
        hierarchy.situations(rare=0)
    with pytest.raises(DataError, match="nobody in a cell of at most 1"):
        Hierarchy.read(pd.concat([people] * 2), LEVELS, KINDS).situations(rare=1)
