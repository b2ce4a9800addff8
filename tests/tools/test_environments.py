"""What the wheel, the newest Python and the lowest versions are tried with."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tools import environments


def test_a_wheel_that_lacks_a_file_is_noticed(tmp_path: Path) -> None:
    wheel = tmp_path / "epsilens.whl"
    sources = REPOSITORY / "src"
    files = [path for path in (sources / "epsilens").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    schema = next(path.relative_to(sources).as_posix() for path in files if path.name == "schema.json")
    left_out = {"epsilens/py.typed", schema}
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in files:
            if (name := path.relative_to(sources).as_posix()) not in left_out:
                archive.write(path, name)
    assert environments.missing_from(wheel) == sorted(left_out)


def test_only_pythons_that_run_and_are_listed_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {(3, int(minor)) for minor in re.findall(r":: 3\.(\d+)", " ".join(environments.PROJECT["classifiers"]))}
    shim, kept = tmp_path / "python3.12", tmp_path / "versions" / "3.13.9" / "bin" / "python"
    kept.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\nexit 127\n")
    kept.write_text("#!/bin/sh\nexit 0\n")
    for path in (shim, kept):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    found = dict(environments.pythons())
    assert set(found) <= listed
    assert found[3, 13] in (str(kept), sys.executable)
    assert str(shim) not in found.values()
    assert found[sys.version_info[:2]]


def test_a_python_that_is_not_here_is_said_to_be_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environments, "pythons", lambda: iter([(sys.version_info[:2], sys.executable)]))
    environments.main("newest")
    assert capsys.readouterr().out.startswith("skipped: there is no newer Python than")


def test_other_words_are_refused() -> None:
    with pytest.raises(SystemExit, match="'oldest' is not one of wheel, newest, lowest"):
        environments.main("oldest")


def test_every_lock_has_hashes_and_no_address() -> None:
    locks = sorted(REPOSITORY.glob("requirements*.lock"))
    assert {path.name for path in locks} >= set(environments.LOCKS.values())
    for path in locks:
        text = path.read_text()
        assert not re.search(r"://|^\s*--(index|extra-index|find)", text, re.MULTILINE), path.name
        for pinned in re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]:
            assert "--hash=sha256:" in pinned, pinned.partition("\n")[0]
