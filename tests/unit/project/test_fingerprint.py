"""Whether data are still those for which a project was written."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from epsilens.project import fingerprint as room
from epsilens.project.fingerprint import changed_since, fingerprint


def test_a_change_is_seen_and_a_copy_is_not_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    taken = fingerprint(str(path))
    assert taken is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\d whole [0-9a-f]{32}", taken)
    os.utime(path, (1, 1))
    assert changed_since(taken, path) is None
    path.write_text("a\n2\n")
    assert changed_since(taken, str(path)) == taken[:10]
    path.unlink()
    assert changed_since(taken, str(path)) is None  # reading it says what is wrong


def test_a_pattern_is_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text("a")
    taken = fingerprint(str(tmp_path / "a*.csv"))
    assert taken is not None
    (tmp_path / "a2.csv").write_text("b")
    assert changed_since(taken, str(tmp_path / "a*.csv")) is not None


def test_a_large_file_is_known_by_its_ends_and_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "HASHED_WHOLE", 4)
    monkeypatch.setattr(room, "END", 2)
    path = tmp_path / "a.csv"
    path.write_text("abcdefgh")
    os.utime(path, (1, 1))
    taken = fingerprint(path)
    assert taken is not None
    assert " ends " in taken
    assert changed_since(taken, path) is None
    os.utime(path, (2, 2))
    assert changed_since(taken, path) == taken[:10]
    path.write_text("abcdefgX")  # as long, at the same time, with another end
    os.utime(path, (1, 1))
    assert changed_since(taken, path) == taken[:10]


@pytest.mark.parametrize("source", ["sqlite://a.db", "none.csv", "[", "a\0b", 3, None])
def test_what_is_not_in_files_has_none(source: object) -> None:
    assert fingerprint(source) is None
    assert changed_since("anything", source) is None


def test_a_fingerprint_that_is_none_is_of_other_data(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a")
    assert changed_since("by hand", tmp_path / "a.csv") == "this project was written"


def test_an_address_is_not_a_file_whatever_folders_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sqlite:").mkdir()
    Path("sqlite:/a.db").write_text("a")
    assert fingerprint("sqlite://a.db") is None
