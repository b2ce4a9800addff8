"""Temporary files of crashed releases are swept, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.leftovers import sweep, sweep_ledger_drafts
from epsilens.release.ledger.protocol import STEPS
from tests.support.ledgers import CRASHING, released

ROOT = Path(__file__).resolve().parents[4]


def crash(folder: Path, step: str) -> None:
    done = subprocess.run([sys.executable, "-c", CRASHING, str(folder), step], check=False, timeout=60, cwd=ROOT)
    assert done.returncode == 9


def drafts(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*.tmp"))


@pytest.mark.parametrize("step", STEPS)
def test_the_next_release_sweeps_what_a_crash_after_any_step_left(tmp_path: Path, step: str) -> None:
    crash(tmp_path, step)
    left = len(drafts(tmp_path))
    assert left == (2 if STEPS.index(step) < STEPS.index("rename") else 0)
    said: list[str] = []
    released(tmp_path, force=True, notice=said.append)
    assert drafts(tmp_path) == []
    if left:
        entry = "; what it reserved (entry 2) stays spent" if step != "prepare" else ""
        assert said == [f"removed 2 temporary files that a crashed release left{entry}"]
    else:
        assert said == []


def test_a_release_that_is_alive_keeps_its_drafts(tmp_path: Path) -> None:
    seen: list[int] = []

    def look(step: str) -> None:
        if step in STEPS[: STEPS.index("rename")]:
            ledger = Ledger(tmp_path / "b.db")
            assert sweep([tmp_path], lambda: ledger.chain() if ledger.path.exists() else None) == []
            seen.append(len(drafts(tmp_path)))

    released(tmp_path, look)
    assert seen == [2] * 5


def test_nothing_else_is_swept(tmp_path: Path) -> None:
    crash(tmp_path, "write")
    (ours, _) = drafts(tmp_path)
    release = ours.name.split(".")[-2]
    others = [
        ".o.csv.0123456789abcdef.tmp",  # nobody's release
        f".other.csv.{release}.tmp",  # this release, another output
        ".o.csv.tmp",
        "o.csv.0123456789abcdef.tmp",
        ".b.db.0123456789abcdef.tmp",  # no SQLite file
        "notes.tmp",
    ]
    for name in others:
        (tmp_path / name).write_text("kept")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / f".o.csv.{'a' * 16}.tmp").symlink_to(tmp_path / "notes.tmp")
    (tmp_path / f".o.csv.{'b' * 16}.tmp").mkdir()
    swept = Ledger(tmp_path / "b.db").swept([tmp_path])
    assert [found.path.name for found in swept] == [f".o.card.json.{release}.tmp", f".o.csv.{release}.tmp"]
    assert all((tmp_path / name).read_text() == "kept" for name in others)
    assert (tmp_path / f".o.csv.{'a' * 16}.tmp").is_symlink()
    assert (tmp_path / f".o.csv.{'b' * 16}.tmp").is_dir()


def test_another_ledger_does_not_sweep_what_was_written(tmp_path: Path) -> None:
    crash(tmp_path, "write")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    released(elsewhere)
    assert Ledger(elsewhere / "b.db").swept([tmp_path]) == []
    assert len(drafts(tmp_path)) == 2


def test_drafts_of_the_ledger_itself_are_swept_when_they_are_old(tmp_path: Path) -> None:
    released(tmp_path)
    ledger = tmp_path / "b.db"
    half, linked = tmp_path / f".b.db.{'1' * 16}.tmp", tmp_path / f".b.db.{'2' * 16}.tmp"
    half.write_bytes(ledger.read_bytes())
    half.with_name(half.name + "-wal").write_bytes(b"")
    os.link(ledger, linked)
    assert sweep_ledger_drafts(ledger) == []
    later = time.time() + 3600
    assert [found.path.name for found in sweep_ledger_drafts(ledger, later)] == [
        half.name,
        f"{half.name}-wal",
        linked.name,
    ]
    assert len(Ledger(ledger).chain().entries) == 3
