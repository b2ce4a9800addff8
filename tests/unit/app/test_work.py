from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from epsilens.app.uploads import Upload
from epsilens.app.warned import listen
from epsilens.app.work import MOST_FOUND, MOST_STEPS, Work
from epsilens.errors import DataError, ParameterError, SourceError
from epsilens.project import Project
from epsilens.table.engine import Engine

PEOPLE = "age,sex,ill\n1,f,yes\n2,m,no\n1,f,no\n"
ROLES = {"quasi_identifiers": ["sex"], "sensitive": ["ill"]}


def work(tmp_path: Path) -> Work:
    (tmp_path / "people.csv").write_text(PEOPLE)
    found = Work()
    found.change("data", source=str(tmp_path / "people.csv"), **ROLES)
    return found


def test_steps_are_undone_and_taken_again() -> None:
    one = Work()
    one.change("risk", max_risk=0.1)
    one.change("risk", max_risk=0.1)
    one.change("risk", max_risk=0.2)
    assert len(one.past) == 2
    one.undo()
    assert one.project.section("risk") == {"max_risk": 0.1}
    one.redo()
    one.redo()
    assert one.project.section("risk") == {"max_risk": 0.2}
    one.undo()
    one.change("risk", max_risk=0.3)
    assert one.future == []
    for step in range(MOST_STEPS + 5):
        one.change("risk", max_risk=step)
    assert len(one.past) == MOST_STEPS


def test_the_table_is_read_once_and_again_when_the_data_are_others(tmp_path: Path) -> None:
    one = work(tmp_path)
    table = one.table()
    one.change("risk", max_risk=0.1)
    assert one.table() is table
    one.change("data", quasi_identifiers=["age"])
    assert one.table() is not table
    assert one.table().quasi_identifiers == ("age",)
    kept = one.table()
    (tmp_path / "people.csv").write_text(PEOPLE + "3,m,yes\n")
    assert one.table() is kept
    one.forget()
    assert one.table().n_records == 4


def test_what_is_missing_is_said_with_where_to_say_it() -> None:
    one = Work()
    with pytest.raises(DataError, match="no data are open yet; open some on the page Data"):
        one.table()
    one.change("data", source="people.csv")
    with pytest.raises(DataError, match="roles of the columns"):
        one.table()
    assert not one.is_described


def test_an_upload_is_read_where_the_project_names_it(tmp_path: Path) -> None:
    one = Work(uploaded=Upload.of("people.csv", PEOPLE.encode()))
    one.change("data", source="people.csv", **ROLES)
    assert one.is_held
    assert one.table().n_records == 3
    before = one.source_key
    one.uploaded = Upload.of("people.csv", (PEOPLE + "3,m,yes\n").encode())
    assert one.source_key != before
    assert one.table().n_records == 4
    one.change("data", source="elsewhere.csv")
    assert (one.is_held, one.source) == (False, "elsewhere.csv")


def test_a_step_back_finds_the_upload_before(monkeypatch: pytest.MonkeyPatch) -> None:
    one, first, second = Work(), Upload.of("a.csv", PEOPLE.encode()), Upload.of("b.csv", PEOPLE.encode() * 2)
    for upload in (first, second):
        one.hold(upload)
        one.change("data", source=upload.name, **ROLES)
    one.hold_none_as("c.csv")
    one.change("data", source="c.csv")
    one.undo()
    assert one.source == second.held
    one.undo()
    assert one.source == first.held
    one.redo()
    one.redo()
    assert one.source == "c.csv"
    one.hold_none_as("a.csv")  # a file of this machine with that name
    one.change("data", source="a.csv")
    one.undo()
    one.redo()
    assert one.source == "a.csv"
    one.hold(first)
    one.hold(second)
    one.hold(Upload.of("a.csv", b"x"))
    assert list(one._earlier) == ["b.csv"]  # another one of the same name is not what a step back means
    monkeypatch.setattr("epsilens.app.work.MOST_EARLIER_BYTES", 1)
    one.hold(first)
    one.hold(second)
    one.change("data", source="b.csv")
    one.undo()
    assert not one.is_held


def test_relative_names_are_those_of_the_project_file(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.toml").write_text('[data]\nsource="people.csv"\nquasi_identifiers=["sex"]\nsensitive=["ill"]\n')
    one = Work(Project.load(tmp_path / "p.toml"))
    assert one.source == str(tmp_path / "people.csv")
    assert one.table().n_records == 3


def test_what_is_found_is_found_once_and_let_go_with_the_data(tmp_path: Path) -> None:
    one, asked = work(tmp_path), []

    def find() -> int:
        asked.append(1)
        return len(asked)

    assert [one.once("a", find), one.once("a", find), one.once("b", find)] == [1, 1, 2]
    one.change("risk", max_risk=0.1)
    assert one.once("a", find) == 1
    one.change("data", sensitive=["age"])
    assert one.once("a", find) == 3
    for number in range(MOST_FOUND + 1):
        one.once(number, lambda: 0)
    assert one.once("a", find) == 4


def test_only_the_latest_is_kept() -> None:
    one = Work()
    assert one.latest("structure", 1, lambda: "a") == "a"
    assert one.latest("structure", 1, lambda: "b") == "a"
    assert one.latest("structure", 2, lambda: "c") == "c"
    assert one.latest("structure", 1, lambda: "d") == "d"


def test_what_a_reader_warns_of_is_kept_for_the_page(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("sex,ill,count\nf,yes,3\nm,no,4\n")
    one = Work()
    one.change("data", source=str(tmp_path / "counts.csv"), **ROLES)
    with warnings.catch_warnings():
        listen()
        one.table()
    assert len(one.warned) == 1
    assert "count" in one.warned[0]
    one.table()
    assert len(one.warned) == 1


def test_what_was_released_is_not_forgotten_with_the_data() -> None:
    work = Work()
    releases: list[str] = work.kept("releases", list)
    work.forget()
    work.change("data", source="other.csv")
    assert work.kept("releases", list) is releases


def test_data_that_cannot_be_read_any_more_are_opened_anew(tmp_path: Path) -> None:
    """Found before or read before: a session with the database would be lost with all that was asked of it."""
    one = work(tmp_path)
    table = one.table()
    assert one.once("a", lambda: 1) == 1

    def lost() -> None:
        raise SourceError("the connection was lost")

    with pytest.raises(SourceError):
        one.once("b", lost)
    assert one.once("a", lambda: 2) == 2
    assert one.table() is not table
    table = one.table()
    with pytest.raises(SourceError):
        one.latest("other", "key", lost)
    assert one.once("a", lambda: 3) == 3
    assert one.table() is not table


def test_an_engine_that_the_project_describes_wrongly_is_told_by_who_reads(tmp_path: Path) -> None:
    one = work(tmp_path)
    assert one.engine() == Engine()
    one.change("data", threads=2)
    assert one.engine() == Engine(threads=2)
    one.change("data", threads=0)
    assert one.engine() == Engine()
    with pytest.raises(ParameterError, match="threads"):
        one.project.answer("assess")
