"""How large files are, and whether they stayed as they were while they were read: engines scan them more than once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from epsilens.errors import SourceError

State = tuple[int, int, int, int]


def state_of(path: Path) -> State | None:
    """What changes when a file is written to or replaced: device, inode, size and time; None where it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def size_of(paths: Sequence[Any]) -> int:
    """How many bytes the files have, on a disk or held in memory; those that are gone have none."""
    sizes = 0
    for path in paths:
        if not isinstance(path, Path):
            sizes += len(path.content)
        elif (state := state_of(path)) is not None:
            sizes += state[2]
    return sizes


def unchanged(paths: Sequence[Any], place: str) -> Callable[[], None]:
    """A check, to be made after reading, that the files are still those that they are now.

    Files that are held in memory do not change.
    """
    before = {path: state_of(path) for path in paths if isinstance(path, Path)}

    def check() -> None:
        if any(state_of(path) != state for path, state in before.items()):
            raise SourceError(f"{place} was written to while it was read; read it again")

    return check
