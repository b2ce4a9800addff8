"""Groups by raw key tell their levels when asked."""

from __future__ import annotations

import pytest

from epsilens.table import Schema
from epsilens.table.reading import groups as engine
from epsilens.table.reading.people import read_people
from tests.unit.table.reading.test_groups import PEOPLE


def test_groups_with_codebooks_have_keys_levels_and_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_GROUPS", -1)
    groups = read_people(PEOPLE, Schema(["place", "age"], bins={"age": 10})).scratch
    assert groups is not None
    assert set(groups.books) == {"q1"}  # two spellings of a place are one level, so its keys are levels already
    book = groups.book_of("q1")
    assert book is not None
    assert book.levels == ("(missing)", "[0, 10)", "[30, 40)", "[90, 100)")
    keys, levels, codes = (
        {row["q1"] for row in relation.to_pyarrow().to_pylist()}
        for relation in (groups.totals, groups.named, groups.levelled(["q1"], coded=True))
    )
    assert keys == {0, 3, 9, 2**30}
    assert levels == set(book.levels)
    assert codes == {0, 1, 2, 3}
