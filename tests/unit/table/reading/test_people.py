"""One GROUP BY for all who count people: the same levels, bounds, counts and gaps, whoever asks."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.table import Cells, FrequencyTable, Hierarchy, Quantiles, Schema, read_cells, read_table
from epsilens.table.moments import MomentsQuery, Variable
from epsilens.table.reading.moments import read_moments


def level_counts(cells: Cells, column: str) -> dict[str, int]:
    marginal = cells.marginal([column])
    return {
        marginal.domain.levels[0][code]: int(n) for code, n in zip(marginal.codes[:, 0], marginal.counts, strict=True)
    }


def odd_values() -> pa.Table:
    """Values of every kind that is written in its own way."""
    return pa.table(
        {
            "flag": pa.array([True, False, None, True, True, False]),
            "age": pa.array([39.0, 39.5, None, 1e16, -0.0, 7.0]),
            "whole": pa.array([1, 2, 2, None, 3, 3]),
            "price": pa.array([Decimal("2.50"), Decimal("2.00"), None, Decimal("0.10"), Decimal("2.50"), Decimal(-1)]),
            "text": [" x", "x ", "", "?", "007", "7"],
            "ill": ["a", "b", "a", "b", "a", "b"],
            "one": ["all"] * 6,
        }
    )


@pytest.mark.parametrize(
    ("column", "bins"),
    [
        ("flag", None),
        ("age", None),
        ("whole", None),
        ("price", None),
        ("text", None),
        ("whole", 2),
        ("price", 0.5),
        ("whole", [2]),
        ("whole", [1, 3]),
        ("whole", Quantiles(2)),
    ],
)
def test_tables_cells_hierarchies_and_moments_have_the_same_levels_letter_by_letter(column: str, bins: Any) -> None:
    options: dict[str, Any] = {"missing_values": ("?",), "bins": {} if bins is None else {column: bins}}
    data = odd_values()
    table = read_table(data, Schema([column], "ill", **options))
    by_table = dict(zip(table.cells()[column], table.counts.sum(axis=1).tolist(), strict=True))
    by_cells = level_counts(read_cells(data, Schema([column], **options)), column)
    hierarchy = Hierarchy.read(data, ["one"], [column], **options)
    by_hierarchy = {level: int(hierarchy.group_counts({column: level}).leaf_counts.sum()) for level in by_table}
    declared = tuple(level for level in by_table if level != "(missing)")
    moments = read_moments(data, MomentsQuery(levels={column: declared}), missing="exclude", **options)
    by_moments = {level: moments.level_counts[column, level] for level in declared}
    assert by_table == by_cells == by_hierarchy
    assert by_moments == {level: n for level, n in by_table.items() if level != "(missing)"}
    assert moments.undeclared_levels(column, declared) == 0
    grouped = read_moments(data, MomentsQuery(groups={column: declared}), missing="exclude", **options)
    assert grouped.sizes(column) == by_moments
    assert grouped.excluded == by_table.get("(missing)", 0)


def visits() -> pd.DataFrame:
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


def test_a_person_counts_once_in_a_hierarchy_as_in_a_table() -> None:
    people, salt = visits(), "00" * 16
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


def test_a_hierarchy_keeps_as_many_rows_of_a_person_as_it_is_told() -> None:
    people = visits()
    two = Hierarchy.read(people, ["block"], ["ill"], unit="person", max_rows_per_unit=2)
    rows = people.groupby("person").size().clip(upper=2).sum()
    assert (two.situations().n_people, two.dropped_rows, two.max_rows_per_unit) == (rows, 200 - rows, 2)


def test_gaps_of_a_hierarchy() -> None:
    people = visits()
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


def test_cells_are_the_long_form_of_a_table() -> None:
    people = visits()
    schema = Schema(["block", "sex"], "ill", bins={}, unit="person", missing_values=["?"])
    salt = "11" * 16
    long, wide = read_cells(people, schema, row_salt=salt), read_table(people, schema, row_salt=salt)
    assert long.fingerprint == Cells.of(wide).fingerprint
    assert (long.dropped_rows, long.row_salt, long.people) == (wide.dropped_rows, salt, wide.n_records)
    alike = read_cells(people, Schema(["block", "sex", "ill"], unit="person", missing_values=["?"]), row_salt=salt)
    assert alike.fingerprint == long.fingerprint
    assert repr(alike).startswith("Cells(block(6) x sex(3) x ill(2):")
    assert salt not in repr(alike)


def test_cells_of_a_count_table_and_of_a_file(tmp_path: Path) -> None:
    people = visits()
    counted = people.groupby(["block", "ill"]).size().reset_index(name="n")
    empty = pd.DataFrame({"block": ["9"], "ill": ["yes"], "n": [0]})
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    schema = Schema(["block", "ill"])
    prints = {
        read_cells(people, schema).fingerprint,
        read_cells(path, schema).fingerprint,
        read_cells(pd.concat([counted, empty]), schema, count="n").fingerprint,
    }
    assert len(prints) == 1


def test_a_table_needs_labels_and_says_so() -> None:
    with pytest.raises(ParameterError, match="sensitive must name at least one column, got none"):
        read_table(visits(), Schema(["block"]))


def test_one_column_and_a_single_level_can_be_counted() -> None:
    cells = read_cells(pa.table({"x": ["a", "a"]}), Schema(["x"]))
    assert (cells.domain.levels, cells.counts.tolist()) == ((("a",),), [2])
    many = read_cells(pa.table({"x": [str(i) for i in range(7_000)]}), Schema(["x"]))
    assert len(many.counts) == 7_000  # more than a table may have labels
    with pytest.raises(DataError, match="codes of shape"):
        Cells(cells.domain, cells.codes[:1, :0], cells.counts)


def test_bins_and_public_values_in_place_of_missing_ones() -> None:
    data = pa.table({"age": [3, 17, None, 40], "x": [0.0, 1.0, 1.0, 0.0]})
    levels = ("[0, 20)", "[20, 40)", "[40, 60)")
    query = MomentsQuery(variables=(Variable("x", 0, 1),), groups={"age": levels})
    moments = read_moments(data, query, bins={"age": 20}, missing={"age": 30})
    assert moments.sizes("age") == {"[0, 20)": 2, "[20, 40)": 1, "[40, 60)": 1}
    with pytest.raises(ParameterError, match="bins names column 'x', whose levels no statistic uses"):
        read_moments(data, query, bins={"x": 1})
    with pytest.raises(ParameterError, match="must be a number"):
        read_moments(data, query, bins={"age": 20}, missing={"age": "old"})
    with pytest.raises(DataError, match="column 'age' has bins, but 1 of 2 values are not numbers"):
        read_moments(pa.table({"age": ["3", "old"]}), MomentsQuery(levels={"age": levels}), bins={"age": 20})


def test_a_table_made_by_hand_has_the_same_cells() -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["n", "p"])
    cells = Cells.of(table)
    assert cells.domain.columns == ("cell", "label")
    assert cells.counts.tolist() == [3, 1, 2]
