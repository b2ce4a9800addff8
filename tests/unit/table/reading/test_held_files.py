from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from epsilens.errors import SourceError
from epsilens.table import Schema, read_table
from epsilens.table.reading import held_files
from epsilens.table.reading.held_files import HeldFile

TEXT = "age,sex,ill\n1, f,yes\n2,m,no\n01,f,\n"
SCHEMA = Schema(("age", "sex"), "ill")


def _parquet() -> bytes:
    held = io.BytesIO()
    pq.write_table(pyarrow.csv.read_csv(io.BytesIO(TEXT.encode())), held)
    return held.getvalue()


FILES = {
    "people.csv": TEXT.encode(),
    "people [1]*.csv": TEXT.encode(),
    "people.tsv": TEXT.replace(",", "\t").encode(),
    "PEOPLE.CSV.GZ": gzip.compress(TEXT.encode()),
    "people.parquet": _parquet(),
    "odd.csv": TEXT.replace("1, f", '1,   "f" ').encode(),  # which Python reads, not the engine
    "mixed.csv": TEXT.replace("no\n", "no\r\n").encode(),
    "people.é.csv": TEXT.encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_levels_are_those_of_the_same_file_letter_by_letter(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    held = HeldFile(name, FILES[name])
    from_memory, from_disk = read_table(held, SCHEMA), read_table(tmp_path / name, SCHEMA)
    assert from_memory.cells() == from_disk.cells()
    assert from_memory.labels == from_disk.labels
    assert from_memory.vectors.tolist() == from_disk.vectors.tolist()
    assert not held_files._files().exists(held.address)  # taken away again


def test_errors_call_it_by_its_name() -> None:
    with pytest.raises(SourceError, match=r"^x\.csv is empty"):
        read_table(HeldFile("x.csv", b""), SCHEMA)
    with pytest.raises(SourceError, match=r"^x\.csv line 3: expected 3 fields, found 2"):
        read_table(HeldFile("x.csv", b"age,sex,ill\n1,f,yes\n2,f\n"), SCHEMA)
    with pytest.raises(SourceError, match="neither CSV"):
        read_table(HeldFile("x.xlsx", b"PK"), SCHEMA)


def test_it_has_a_name_without_folders_and_shows_no_bytes() -> None:
    for name in ("", "a/b.csv", ".."):
        with pytest.raises(SourceError, match="without folders"):
            HeldFile(name, b"")
    assert "secret" not in repr(HeldFile("a.csv", b"secret"))


def test_without_fsspec_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    held_files._files.cache_clear()
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(SourceError, match=r"pip install 'epsilens\[app\]'"):
        held_files._files()
    held_files._files.cache_clear()
