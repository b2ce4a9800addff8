from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.errors import ParameterError, SourceError
from epsilens.report.whole_files import check_path, whole_file


def test_a_file_appears_at_the_end_and_is_nobody_elses_until_then(tmp_path: Path) -> None:
    target = tmp_path / "a.svg"
    target.write_text("before")
    with whole_file(target, 0o644) as partial:
        assert partial.stat().st_mode & 0o777 == 0o600
        assert partial.suffix == ".svg"  # by which libraries know what to write
        partial.write_text("after")
        assert target.read_text() == "before"
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [target]


def test_what_fails_leaves_nothing_behind_and_the_earlier_file_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "a.svg"
    target.write_text("before")

    def fail(problem: Exception) -> None:
        with whole_file(target) as partial:
            partial.write_text("half")
            raise problem

    with pytest.raises(SourceError, match=r"cannot write .*a\.svg': it is full"):
        fail(OSError(28, "it is full"))
    with pytest.raises(KeyError):
        fail(KeyError("a bug is not ours to word"))
    with pytest.raises(SourceError, match="cannot write"), whole_file(tmp_path / "nowhere" / "a.svg"):
        pass
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_and_the_file_behind_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    behind, link = tmp_path / "folder" / "a.svg", tmp_path / "link.svg"
    behind.touch()
    link.symlink_to(behind)
    with whole_file(link) as partial:
        partial.write_text("after")
    assert link.is_symlink()
    assert behind.read_text() == "after"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.svg", "folder", "link.svg"]


def test_a_place_is_refused_beforehand(tmp_path: Path) -> None:
    (tmp_path / "there.svg").touch()
    (tmp_path / "folder.svg").mkdir()
    assert check_path(tmp_path / "there.SVG", "a chart", (".svg",)) == tmp_path / "there.SVG"
    with pytest.raises(ParameterError, match=r"a chart is written as \.svg, \.png; got 'a.pgn'; did you mean '\.png'"):
        check_path(tmp_path / "a.pgn", "a chart", (".svg", ".png"))
    with pytest.raises(SourceError, match="does not exist; create it"):
        check_path(tmp_path / "nowhere" / "a.svg", "a chart", (".svg",))
    for name, overwrite in (("there.svg", False), ("folder.svg", True)):
        with pytest.raises(SourceError, match="exists; choose another name"):
            check_path(tmp_path / name, "a chart", (".svg",), overwrite)
