from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.app.data.opening import columns_of, named, open_place, open_upload, structure
from epsilens.app.uploads import Upload
from epsilens.app.work import Work
from epsilens.errors import SourceError
from epsilens.project import Project
from epsilens.table.engine import Engine

PEOPLE = "age,sex,ill\n1,f,yes\n2,m,no\n"


def test_roles_stay_where_the_columns_are_there_and_go_where_they_are_not() -> None:
    work = Work()
    open_upload(work, Upload.of("a.csv", PEOPLE.encode()))
    work.change("data", quasi_identifiers=["sex"], sensitive="ill", bins={"age": "5"})
    open_upload(work, Upload.of("b.csv", PEOPLE.encode()))
    assert work.project.section("data")["sensitive"] == "ill"
    steps = len(work.past)
    open_upload(work, Upload.of("c.csv", b"age,sex\n1,f\n"))
    assert dict(work.project.section("data")) == {"source": "c.csv"}
    assert len(work.past) == steps + 1


def test_the_engine_stays_for_data_that_it_reads_and_goes_with_others(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    limits = {"engine": "duckdb", "threads": 1, "memory_limit": "1GB"}
    work = Work()
    work.change("data", source="elsewhere.csv", quasi_identifiers=["block"], **limits)
    open_place(work, str(tmp_path / "people.csv"))
    assert dict(work.project.section("data")) == limits | {"source": str(tmp_path / "people.csv")}
    assert work.engine() == Engine("duckdb", "1GB", 1)
    work.change("data", engine="spark", threads=None, spark_master="local[1]")
    open_upload(work, Upload.of("a.csv", PEOPLE.encode()))
    assert dict(work.project.section("data")) == {"source": "a.csv", "memory_limit": "1GB"}


def test_what_cannot_be_read_changes_nothing() -> None:
    work = Work()
    open_upload(work, Upload.of("a.csv", PEOPLE.encode()))
    before = (work.project, work.uploaded)
    with pytest.raises(SourceError):
        open_upload(work, Upload.of("a.csv", b""))
    with pytest.raises(SourceError):
        open_place(work, "nowhere.csv")
    with pytest.raises(SourceError, match="no path is given"):
        open_place(work, "  ")
    assert (work.project, work.uploaded) == before


def test_a_path_is_written_as_the_project_file_calls_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "below" / "p.toml").write_text("[risk]\nmax_risk = 0.1\n")
    work = Work(Project.load("below/p.toml"), uploaded=Upload.of("people.csv", b"x"))
    open_place(work, "people.csv")
    assert work.project.section("data")["source"] == "../people.csv"
    assert work.uploaded is None
    assert Path(work.source).resolve() == tmp_path / "people.csv"


def test_names_are_lists_or_texts() -> None:
    assert named("a, b") == named(["a", "b"]) == ["a", "b"]
    assert named(None) == []
    assert columns_of({"quasi_identifiers": "a,b", "sensitive": ["c"], "count": "n", "where": ["z=1"]}) == set("abcn")


@pytest.mark.parametrize("path", ["a\0b.csv", "x" * 5_000, "~nobody-of-this-name/people.csv"])
def test_names_that_no_file_can_have_are_refused_in_a_sentence(path: str) -> None:
    with pytest.raises(SourceError):
        open_place(Work(), path)


def test_data_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text("region,illness\nnorth,no\n", encoding="utf-8")
    work = Work()
    open_place(work, str(tmp_path / "people.csv"))
    monkeypatch.setattr("epsilens.app.data.opening.structure_of", lambda *_: pytest.fail("looked at again"))
    assert [column.name for column in structure(work).columns] == ["region", "illness"]
