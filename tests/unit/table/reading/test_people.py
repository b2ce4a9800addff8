"""One GROUP BY for all who count people: the same levels, bounds, counts and gaps, whoever asks."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from epsilens.table import Cells, Hierarchy, Quantiles, Schema, read_cells, read_table
from epsilens.table.moments import MomentsQuery
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
    assert sum(by_moments.values()) == moments.n
    grouped = read_moments(data, MomentsQuery(groups={column: declared}), missing="exclude", **options)
    assert grouped.sizes(column) == by_moments
    assert grouped.excluded == by_table.get("(missing)", 0)
