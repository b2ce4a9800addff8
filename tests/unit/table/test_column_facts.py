from __future__ import annotations

from epsilens.table.column_facts import Column, Structure


def test_a_column_is_found_by_its_name() -> None:
    age, sex = Column("age", "whole numbers", 90, 0), Column("sex", "text", 2, 1)
    found = Structure(100, (age, sex))
    assert found.column("sex") is sex
    assert found.column("Sex") is None
    assert found.exact
    assert age.is_numeric
    assert not sex.is_numeric
