from __future__ import annotations

import stat
from pathlib import Path

import pytest

from epsilens.errors import ParameterError, SourceError
from epsilens.report.page.parts import Page, Section
from epsilens.report.page.write import check_page_path, write_page
from epsilens.report.words.common import Text

PAGE = Page("Title", [Section("One", [Text("words")])])


def test_places_where_no_page_can_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"a report is written as .html; got 'r.pdf'"):
        check_page_path(tmp_path / "r.pdf")
    with pytest.raises(SourceError, match="does not exist"):
        check_page_path(tmp_path / "nowhere" / "r.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(SourceError, match="exists"):
        check_page_path(tmp_path / "folder.html")
    (tmp_path / "r.html").touch()
    with pytest.raises(SourceError, match="exists"):
        check_page_path(tmp_path / "r.html", force=False)


def test_a_page_replaces_the_earlier_one_whole_and_may_be_read_by_everybody(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    target.write_text("earlier")
    assert write_page(PAGE, target) == target
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_link_stays_one_and_a_folder_that_is_closed_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link.html").symlink_to(tmp_path / "behind.html")
    write_page(PAGE, tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "behind.html").stat().st_size > 0
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(SourceError, match="cannot write into folder"):
        check_page_path(tmp_path / "page.html")
