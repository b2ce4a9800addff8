"""The protocol, with a crash or a failure at every step."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from epsilens.release.ledger.chain import LedgerError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.protocol import STEPS, OutputFile, WriteError, publish
from tests.support.ledgers import CRASHING, TENTH, released, request_for, write


def spent(folder: Path) -> int:
    """How many reservations count."""
    return len(Ledger(folder / "b.db").chain().reservations("survey")) if (folder / "b.db").exists() else 0


def visible(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith((".", "b.db"))}


def test_an_undisturbed_release(tmp_path: Path) -> None:
    seen: list[str] = []
    released(tmp_path, seen.append)
    assert tuple(seen) == STEPS
    assert (tmp_path / "o.csv").read_text() == "counts 2 []\n"
    assert (tmp_path / "o.card.json").read_text() == "counts 2 ['output']\n"
    assert [entry.kind for entry in Ledger(tmp_path / "b.db").chain().entries] == ["open", "reserve", "commit"]
    assert not list(tmp_path.glob(".*tmp"))


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_after_any_step_leaves_no_output_without_its_entry(tmp_path: Path, step: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CRASHING, str(tmp_path), step],
        check=False,
        timeout=60,
        cwd=Path(__file__).resolve().parents[4],
        capture_output=True,
    )
    assert done.returncode == 9, done.stderr.decode()
    index = STEPS.index(step)
    assert spent(tmp_path) == (1 if index >= STEPS.index("reserve") else 0)
    assert visible(tmp_path) == ({"o.csv", "o.card.json"} if index >= STEPS.index("rename") else set())
    # The next release goes on as if nothing had happened, except that what was reserved is spent.
    released(tmp_path, force=True)
    assert spent(tmp_path) == (2 if index >= STEPS.index("reserve") else 1)


@pytest.mark.parametrize("step", STEPS[:-1])
def test_a_failure_after_any_step_cleans_up_and_what_was_reserved_stays_spent(tmp_path: Path, step: str) -> None:
    def fail(done: str) -> None:
        if done == step:
            raise RuntimeError("injected")

    with pytest.raises(RuntimeError, match="injected"):
        released(tmp_path, fail)
    assert spent(tmp_path) == (0 if step == "prepare" else 1)
    assert not list(tmp_path.glob(".*tmp"))
    if visible(tmp_path):
        assert STEPS.index(step) >= STEPS.index("rename")


@pytest.mark.parametrize("step", STEPS[:-1])
def test_whoever_interrupts_a_release_is_told_that_it_stays_spent(tmp_path: Path, step: str) -> None:
    def interrupt(done: str) -> None:
        if done == step:
            raise KeyboardInterrupt

    told: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        released(tmp_path, interrupt, notice=told.append)
    reserved = ["interrupted after its reservation: this attempt (entry 2) stays spent"]
    assert told == ([] if step == "prepare" else reserved)


@pytest.mark.parametrize("function", ["fsync", "link"])
def test_a_disk_that_fails_late_publishes_nothing_and_says_what_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    real = getattr(os, function)

    def injected(*arguments: object, **options: object) -> object:
        if armed:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **options)

    armed: list[bool] = []
    monkeypatch.setattr(os, function, injected)
    monkeypatch.setattr(Path, "rename", injected)

    def arm(step: str) -> None:
        if step == "draw":
            armed.append(True)

    folder = tmp_path / "second"
    folder.mkdir()
    with pytest.raises(
        WriteError, match=r"No space left on device; nothing was published, .*entry 2\) counts as spent"
    ):
        released(folder, arm)
    armed.clear()
    assert visible(folder) == set()
    assert spent(folder) == 1


def test_a_full_disk_is_found_before_anything_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int, _start: int, _room: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(WriteError, match=r"o\.csv: No space left on device; nothing was spent"):
        released(tmp_path)
    assert spent(tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_disk_too_full_for_the_mark_of_a_draft_keeps_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int, _mark: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WriteError, match=r"o\.csv: No space left on device; nothing was spent"):
        released(tmp_path)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_synced_has_the_output_and_is_not_said_to_have_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def arm(step: str) -> None:
        if step == "rename":
            monkeypatch.setattr(os, "fsync", failing)

    def failing(_handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(WriteError, match=r"the files have their names, .*entry 2\) counts as spent"):
        released(tmp_path, arm)
    monkeypatch.undo()
    assert visible(tmp_path) == {"o.csv", "o.card.json"}
    assert spent(tmp_path) == 1


def test_a_writer_that_runs_out_of_disk(tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    files = [OutputFile("output", tmp_path / "o.csv", full)]
    with pytest.raises(WriteError, match="nothing was published"):
        publish(Ledger(tmp_path / "b.db"), request_for(), lambda: "counts", files)
    assert visible(tmp_path) == set()
    assert spent(tmp_path) == 1


def test_an_output_that_exists_is_kept_without_force(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("precious")
    with pytest.raises(WriteError, match=r"o\.csv exists"):
        released(tmp_path)
    assert (tmp_path / "o.csv").read_text() == "precious"
    assert spent(tmp_path) == 0
    released(tmp_path, force=True)
    assert (tmp_path / "o.csv").read_text() == "counts 2 []\n"


def test_an_output_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    def intrude(step: str) -> None:
        if step == "sync":
            (tmp_path / "o.csv").write_text("somebody else's")

    with pytest.raises(WriteError, match="File exists; nothing was published"):
        released(tmp_path, intrude)
    assert visible(tmp_path) == {"o.csv"}
    assert (tmp_path / "o.csv").read_text() == "somebody else's"
    assert spent(tmp_path) == 1


@pytest.mark.parametrize("name", ["o.csv", "o.card.json"])
@pytest.mark.parametrize("exists", [False, True])
def test_no_output_takes_the_place_of_the_ledger(tmp_path: Path, name: str, exists: bool) -> None:
    ledger = Ledger(tmp_path / name)
    if exists:
        ledger.reserve(request_for())
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    outputs = [tmp_path / "elsewhere" / "o.csv", tmp_path / "elsewhere" / "o.card.json"]
    files = [OutputFile(role, path, write) for role, path in zip(("output", "card"), outputs, strict=True)]
    with pytest.raises(WriteError, match="is the ledger itself; name another output"):
        publish(ledger, request_for(), lambda: "counts", files, force=True)
    assert ledger.path.exists() == exists
    assert not exists or len(ledger.chain().entries) == 2


def test_folders_that_are_missing_or_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file or directory; nothing was spent"):
        publish(
            Ledger(tmp_path / "b.db"),
            request_for(),
            lambda: "",
            [OutputFile("output", tmp_path / "none" / "o.csv", write)],
        )
    (tmp_path / "o.csv").mkdir()
    with pytest.raises(WriteError, match="is a folder"):
        released(tmp_path, force=True)
    assert spent(tmp_path) == 0


def test_a_commit_that_fails_leaves_the_output_with_its_reservation(tmp_path: Path) -> None:
    blockers: list[sqlite3.Connection] = []

    def block(step: str) -> None:
        if step == "sync-folder":
            blockers.append(sqlite3.connect(tmp_path / "b.db", isolation_level=None))
            blockers[0].execute("BEGIN IMMEDIATE")

    with pytest.raises(LedgerError, match=r"the output is written and its reservation \(entry 2\) counts.*locked"):
        released(tmp_path, block)
    blockers[0].close()
    assert visible(tmp_path) == {"o.csv", "o.card.json"}
    assert spent(tmp_path) == 1


def test_without_files_the_ledger_is_served_all_the_same(tmp_path: Path) -> None:
    published = publish(Ledger(tmp_path / "b.db"), request_for(), lambda: 7, [])
    assert published.drawn == 7
    assert published.commit.number == 3
    assert published.reservation.body["cost"] == TENTH.to_dict()
