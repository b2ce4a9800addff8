from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from epsilens.release.ledger.durable import link_without_replacing, sync_folder
from tests.support.ledgers import released


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / ".o.csv.tmp"
    path.write_text("new")
    return path


def no_hard_links(*_: Any) -> None:
    raise OSError("not supported")


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_draft_gets_its_name_and_loses_its_own(
    tmp_path: Path, draft: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_hard_links)
    link_without_replacing(draft, tmp_path / "o.csv")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("o.csv", "new")]


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_what_has_the_name_already_stays_and_so_does_the_draft(
    tmp_path: Path, draft: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_hard_links)
    (tmp_path / "o.csv").write_text("precious")
    with pytest.raises(FileExistsError):
        link_without_replacing(draft, tmp_path / "o.csv")
    assert ((tmp_path / "o.csv").read_text(), draft.read_text()) == ("precious", "new")


def test_the_folder_itself_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[int, int]] = []

    def recorded(handle: int) -> None:
        found = os.fstat(handle)
        synced.append((found.st_dev, found.st_ino))

    monkeypatch.setattr(os, "fsync", recorded)
    sync_folder(tmp_path)
    assert synced == [(tmp_path.stat().st_dev, tmp_path.stat().st_ino)]


def test_a_folder_that_cannot_be_synced_is_let_go_of_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[int] = []
    close = os.close

    def failing(_handle: int) -> None:
        raise OSError("the disk is gone")

    def recorded(handle: int) -> None:
        closed.append(handle)
        close(handle)

    monkeypatch.setattr(os, "fsync", failing)
    monkeypatch.setattr(os, "close", recorded)
    with pytest.raises(OSError, match="the disk is gone"):
        sync_folder(tmp_path)
    assert len(closed) == 1


def test_a_release_syncs_its_files_before_their_names_and_the_folder_after_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has its final name was on the disk before; that it has the name is on the disk before the commit."""
    done: list[str] = []
    fsync, link = os.fsync, os.link

    def synced(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def linked(draft: Any, path: Any) -> None:
        link(draft, path)
        if Path(path).name.startswith("o."):
            done.append("name")

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "link", linked)
    released(tmp_path)
    assert done[-5:] == ["file", "file", "name", "name", "folder"]
