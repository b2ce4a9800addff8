"""The output file: its columns, and the room claimed for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.release.tables.output import column_names, room_for
from tests.support.released_tables import LEVELS, release


@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
@pytest.mark.parametrize("marginals", [None, [["sex"], ["region", "illness"], []]])
def test_the_room_claimed_is_enough(people: Path, tmp_path: Path, name: str, marginals: list[list[str]] | None) -> None:
    answer = release(people, tmp_path, out=tmp_path / name, marginals=marginals)
    rows = answer.card["output"]["rows"]
    levels = {column: tuple(found) for column, found in LEVELS.items()}
    assert (tmp_path / name).stat().st_size <= room_for(tmp_path / name, levels, rows, marginals is not None)


def test_names_of_columns_that_collide_get_a_prefix() -> None:
    numbers = ("count", "standard_error", "lower", "upper")
    assert column_names(["a"], False) == (None, numbers)
    assert column_names(["a"], True) == ("table", numbers)
    assert column_names(["lower"], True) == ("released_table", tuple(f"released_{name}" for name in numbers))
    assert column_names(["table", "released_count"], False)[1][0] == "released__count"
