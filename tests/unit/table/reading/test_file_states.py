"""Files that change while they are read are noticed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.table.reading.file_states import size_of, state_of, unchanged
from epsilens.table.reading.held_files import HeldFile


def test_a_file_that_is_written_to_replaced_or_gone_is_another(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n")
    check = unchanged([path, HeldFile("b.csv", b"x\n")], "a.csv")
    check()
    found = path.stat()
    path.write_text("x\n2\n")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))
    with pytest.raises(SourceError, match=r"a\.csv was written to while it was read; read it again"):
        check()
    check = unchanged([path], "a.csv")
    other = tmp_path / "other"
    other.write_text("x\n2\n")
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns + 1))
    other.replace(path)
    with pytest.raises(SourceError, match="written to"):
        check()
    check = unchanged([path], "a.csv")
    path.unlink()
    with pytest.raises(SourceError, match="written to"):
        check()
    assert state_of(path) is None
    assert size_of([path]) == 0


def test_the_size_of_files_is_theirs_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.csv").write_text("x\n")
    assert size_of([tmp_path / "a.csv", tmp_path / "b.csv", HeldFile("c.csv", b"x\n")]) == 8
