from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.app.data.project_file import open_path, open_text
from epsilens.app.uploads import Upload
from epsilens.app.work import Work
from epsilens.errors import EpsilensError, SourceError

TEXT = '[data]\nsource = "people.csv"\nquasi_identifiers = ["sex"]\nsensitive = ["ill"]\n'
PEOPLE = b"sex,ill\nf,yes\nm,no\n"


def test_an_uploaded_project_takes_the_upload_of_that_name() -> None:
    work = Work(uploaded=Upload.of("people.csv", PEOPLE))
    open_text(work, "p.toml", TEXT.encode())
    assert work.table().n_records == 2
    assert len(work.past) == 1


def test_a_project_on_this_machine_takes_the_data_beside_it(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(PEOPLE + b"f,no\n")
    (tmp_path / "p.toml").write_text(TEXT)
    work = Work(uploaded=Upload.of("people.csv", PEOPLE))
    open_path(work, f" {tmp_path / 'p.toml'} ")
    assert work.uploaded is None
    assert work.table().n_records == 3
    assert work.saved_as == str(tmp_path / "p.toml")


@pytest.mark.parametrize("content", [b"[data\n", b"\xff", b"[data]\nsource = 3\n", b"[dta]\nx = 1\n"])
def test_what_is_not_a_project_changes_nothing(content: bytes) -> None:
    work = Work()
    with pytest.raises(EpsilensError):
        open_text(work, "p.toml", content)
    assert work == Work()


def test_a_path_is_needed() -> None:
    with pytest.raises(SourceError, match="no path is given"):
        open_path(Work(), " ")
