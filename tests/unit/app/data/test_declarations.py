from __future__ import annotations

import json
from pathlib import Path

import pytest

from epsilens.app.data.declarations import _declared_values, _decoded, _occurring, _universe_text, declare_universe
from epsilens.app.uploads import Upload
from epsilens.app.work import Work
from epsilens.errors import EpsilensError, ParameterError, SourceError

PEOPLE = "age,sex,ill\n1,f,yes\n12,m,no\n14,m,\n"


@pytest.fixture
def work() -> Work:
    found = Work(uploaded=Upload.of("a.csv", PEOPLE.encode()))
    found.change("data", source="a.csv", quasi_identifiers=["age", "sex"], sensitive=["ill"], bins={"age": "10"})
    return found


def test_what_occurs_can_be_declared(work: Work) -> None:
    found = _occurring(work.table())
    assert found == {"age": ["[0, 10)", "[10, 20)"], "sex": ["f", "m"], "ill": ["(missing)", "no", "yes"]}
    cells = work.table().n_cells
    declare_universe(work, json.dumps(found))
    assert work.table().n_cells >= cells
    declare_universe(work, "")
    assert "universe" not in work.project.section("data")


@pytest.mark.parametrize("text", ['{"sex": ["f"', "{}x", '{"sex": 3}', "nowhere.json", '{"age": {"from": 1}}'])
def test_what_cannot_be_a_universe_is_refused_and_changes_nothing(work: Work, text: str) -> None:
    before = work.project
    with pytest.raises(EpsilensError):
        declare_universe(work, text)
    assert work.project == before


def test_too_many_values_are_for_a_file(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epsilens.app.data.declarations.MOST_LEVELS", 1)
    with pytest.raises(ParameterError, match="more than 1 values"):
        _occurring(work.table())


def test_declared_values_are_shown_in_whichever_form_the_project_has_them() -> None:
    assert _declared_values({"ill": ["yes", 3]}, "ill") == ["yes", "3"]
    assert _declared_values({"ill": "yes"}, "ill") == ["yes"]
    assert _declared_values({"ill": {"yes": 2}}, "ill") == ["yes"]
    assert _declared_values(["ill=yes", "sex=f"], "ill") == ["yes"]
    assert _declared_values(None, "ill") == []
    assert _universe_text(None) == ""
    assert _universe_text("u.json") == "u.json"
    assert _universe_text({"sex": ("f", "m")}) == '{"sex": ["f", "m"]}'


def test_files_are_utf8() -> None:
    assert _decoded("\ufeff{}".encode()) == "{}"
    with pytest.raises(SourceError, match="UTF-8"):
        _decoded(b"\xff")


def test_a_universe_may_be_a_file(work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "u.json").write_text('{"sex": ["f", "m", "x"]}')
    declare_universe(work, "u.json")
    assert work.project.section("data")["universe"] == "u.json"
