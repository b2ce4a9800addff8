from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.reproduce.data import CONTENT, Data, Missing


def test_files_that_are_there_and_files_that_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n")
    assert Data(tmp_path).file("a.csv") == str(tmp_path / "a.csv")
    for data in (Data(tmp_path), Data()):
        with pytest.raises(Missing) as missing:
            data.file("b.csv")
        assert missing.value.name == "b.csv"


def test_a_folder_that_is_not_one(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"data is not a folder, got '.*nowhere'; name the folder"):
        Data(tmp_path / "nowhere")


def test_what_is_computed_once_for_a_run() -> None:
    data, numbers = Data(), iter([1, 2, 3])
    assert [data.once("key", lambda: next(numbers)) for _ in range(3)] == [1, 1, 1]
    assert Data().once("key", lambda: next(numbers)) == 2


def test_a_file_that_is_not_the_public_one_of_its_name_is_told(tmp_path: Path, data_dir: Path) -> None:
    public = (data_dir / "FFcount.csv").read_bytes().splitlines()
    (tmp_path / "FFcount.csv").write_bytes(b"\n".join(public) + b"\n\n")
    (tmp_path / "bankcount.csv").write_bytes((data_dir / "bankcount.csv").read_bytes().replace(b"2", b"3", 1))
    data = Data(tmp_path)
    assert data.others == []  # nothing was asked for
    for name in ("FFcount.csv", "bankcount.csv"):
        data.file(name)
    assert data.others == ["bankcount.csv"]
    assert data.unknown == []


def test_a_file_that_nobody_here_has_seen_may_be_anything(tmp_path: Path) -> None:
    (tmp_path / "tx2019.csv").write_text("PUMA,SEX\n1,2\n")
    data = Data(tmp_path)
    assert data.unknown == []
    data.file("tx2019.csv")
    assert (data.unknown, data.others) == (["tx2019.csv"], [])


def test_known_files_are_those_at_hand(data_dir: Path) -> None:
    data = Data(data_dir)
    for name in CONTENT:
        data.file(name)
    assert data.others == []
