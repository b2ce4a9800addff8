from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.report.reproduction_folder import check_folder, write_folder
from tests.support import reproduction


def test_page_rows_and_figures(tmp_path: Path) -> None:
    folder = check_folder(tmp_path / "deep" / "out")
    files = write_folder(reproduction.answer(), folder)
    assert [Path(name).name for name in files] == ["reproduction.html", "reproduction.json", "p3-figure-1.svg"]
    assert len(json.loads(Path(files[1]).read_text())["rows"]) == 7
    assert all(Path(name).stat().st_size > 1000 for name in files)
    assert "Internal." not in Path(files[-1]).read_text()


def test_figures_of_data_that_nobody_has_published_say_so(tmp_path: Path) -> None:
    folder = check_folder(tmp_path / "out")
    files = write_folder(replace(reproduction.answer(), files_unknown=("b.csv",)), folder)
    assert "Internal." in Path(files[-1]).read_text()


def test_a_file_in_the_way_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(SourceError, match="cannot make the folder"):
        check_folder(tmp_path / "out")


def test_what_is_in_the_way_within_the_folder_is_named_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "figures").write_text("")
    with pytest.raises(SourceError, match=r"cannot make the folder '.*figures'"):
        check_folder(tmp_path)
    (tmp_path / "figures").unlink()
    (tmp_path / "reproduction.json").mkdir()
    with pytest.raises(SourceError, match=r"cannot write '.*reproduction\.json': a folder has that name"):
        check_folder(tmp_path)


def test_a_folder_without_a_name_is_not_the_one_that_somebody_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="name of the folder is empty"):
        check_folder("")
    assert not list(tmp_path.iterdir())
