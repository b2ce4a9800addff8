"""Hierarchies are read like tables: bins, units, missing values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.table import Cells, Hierarchy, Schema, read_table


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    person = rng.integers(0, 40, 200)
    return pd.DataFrame(
        {
            "person": [f"p{i}" for i in person],
            "block": rng.integers(0, 6, 200).astype(str),
            "age": rng.integers(0, 60, 200),
            "sex": rng.choice(["f", "m", "?"], 200),
            "ill": rng.choice(["yes", "no"], 200),
        }
    )


def test_a_person_counts_once_in_a_hierarchy_as_in_a_table(people: pd.DataFrame) -> None:
    salt = "00" * 16
    bins = {"age": 20}
    hierarchy = Hierarchy.read(
        people, ["block"], ["age", "sex", "ill"], bins=bins, unit="person", missing_values=["?"], row_salt=salt
    )
    table = read_table(
        people, Schema(["block", "age", "sex"], "ill", bins=bins, unit="person", missing_values=["?"]), row_salt=salt
    )
    assert hierarchy.situations().n_people == table.n_records == people.person.nunique()
    assert (hierarchy.dropped_rows, hierarchy.max_rows_per_unit) == (table.dropped_rows, 1)
    cells = Cells.of(table)
    kinds = cells.marginal(["age", "sex", "ill"])
    assert "(missing)" in kinds.domain.levels_of("sex")
    for codes in kinds.codes:
        kind = {name: kinds.domain.levels[j][codes[j]] for j, name in enumerate(kinds.domain.columns)}
        by_block = hierarchy.group_counts(kind)
        wanted = [cells.domain.position(name, level) for name, level in kind.items()]
        alike = (cells.codes[:, [cells.domain.axis(name) for name in kind]] == wanted).all(axis=1)
        blocks = [cells.domain.levels_of("block")[code] for code in cells.codes[alike, cells.domain.axis("block")]]
        expected = dict(zip(blocks, cells.counts[alike].tolist(), strict=True))
        assert dict(zip(by_block.leaf_names, by_block.leaf_counts.tolist(), strict=True)) == {
            name: expected.get(name, 0) for name in by_block.leaf_names
        }


def test_a_hierarchy_keeps_as_many_rows_of_a_person_as_it_is_told(people: pd.DataFrame) -> None:
    two = Hierarchy.read(people, ["block"], ["ill"], unit="person", max_rows_per_unit=2)
    rows = people.groupby("person").size().clip(upper=2).sum()
    assert (two.situations().n_people, two.dropped_rows, two.max_rows_per_unit) == (rows, 200 - rows, 2)


def test_gaps_of_a_hierarchy(people: pd.DataFrame) -> None:
    with pytest.raises(DataError, match=r"column 'sex' is missing in .* rows; fill them, or use missing='level'"):
        Hierarchy.read(people, ["block"], ["sex"], missing="refuse", missing_values=["?"])
    with pytest.raises(DataError, match="level 'sex' is missing in"):
        Hierarchy.read(people, ["sex"], ["ill"], missing_values=["?"])
    with pytest.raises(DataError, match="rows have no value in the unit column 'person'"):
        Hierarchy.read(people.assign(person=None), ["block"], ["sex"], unit="person")
    with pytest.raises(ParameterError, match="has no rows of single people"):
        Hierarchy.read(people.assign(n=1), ["block"], ["sex"], unit="person", count="n")
    with pytest.raises(ParameterError, match="bins names column 'agee', which is neither a level nor a characteristic"):
        Hierarchy.read(people, ["block"], ["age"], bins={"agee": 5})
    with pytest.raises(DataError, match="column 'sex' has bins, but"):
        Hierarchy.read(people, ["block"], ["sex"], bins={"sex": 5})
