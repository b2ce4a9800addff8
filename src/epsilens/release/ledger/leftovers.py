"""Temporary files: made so that they can be told from anything else, and swept once the release that made them is dead.

A draft is called ``.<output>.<release>.tmp``, carries a mark until it is written to, and is held under an advisory lock
by the process that writes it. The kernel lets go of a lock when its process ends, however it ends. So a draft is swept
if nobody holds its lock and it is surely ours: it still carries its mark (the release died before it was written), or
the ledger has a reservation of that very release for that very output. Everything else stays where it is.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from epsilens.release.ledger.chain import Chain, Entry

try:
    import fcntl
except ImportError:  # a system without advisory locks: nothing can be known dead, so nothing is swept
    fcntl = None  # type: ignore[assignment]

DRAFT = re.compile(r"[.](?P<name>.+)[.](?P<release>[0-9a-f]{16})[.]tmp", re.DOTALL)
SQLITE = b"SQLite format 3\0"
LEDGER_DRAFT_SECONDS = 600.0
OF_SQLITE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Leftover:
    """A draft that was swept, and the reservation it was written for, if it got that far."""

    path: Path
    reservation: Entry | None


def draft_path(path: Path, release: str) -> Path:
    """The temporary name beside ``path``."""
    return path.with_name(f".{path.name}.{release}.tmp")


def new_draft(draft: Path, release: str, private: bool) -> int:
    """Create a draft, locked and marked; the handle holds the lock until it is closed."""
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600 if private else 0o666)
    try:
        _hold(handle)
        os.write(handle, _mark(release))
    except BaseException:  # a full disk, say: unmarked it would look like somebody else's and never be swept
        os.close(handle)
        draft.unlink()
        raise
    return handle


def _hold(handle: int) -> None:
    """Lock a draft. A sweeper that looks at it this instant finds it unmarked, leaves it and lets go."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks; there, no lock can be had to sweep either
            fcntl.flock(handle, fcntl.LOCK_EX)


def sweep(folders: Sequence[Path], chain: Callable[[], Chain | None]) -> list[Leftover]:
    """Remove the drafts in ``folders`` that dead releases left; ``chain`` is asked for only where there are any."""
    swept: list[Leftover] = []
    for folder in dict.fromkeys(folders):
        drafts = _drafts(folder)
        known = chain() if drafts else None
        for path, name, release in drafts:
            with _locked(path) as handle:
                if handle is None:
                    continue
                reservation = _reservation(known, release, name)
                marked = os.pread(handle, len(_mark(release)), 0) == _mark(release)
                if reservation is None and not marked:
                    continue
                with contextlib.suppress(OSError):
                    path.unlink()
                    swept.append(Leftover(path, reservation))
    return swept


def sweep_ledger_drafts(ledger: Path, now: float | None = None) -> list[Leftover]:
    """Remove what a crash left of making this very ledger: SQLite files of its draft names, with their journals.

    Making one takes milliseconds, so age tells that it is dead. A lock cannot: SQLite's own locks on a file are lost
    when the same process closes the file elsewhere, and a draft may be the ledger itself under its first name.
    """
    swept: list[Leftover] = []
    for path, name, _ in _drafts(ledger.parent):
        with contextlib.suppress(OSError):
            found = path.lstat()
            aged = (time.time() if now is None else now) - found.st_mtime > LEDGER_DRAFT_SECONDS
            if name != ledger.name or not stat.S_ISREG(found.st_mode) or not aged:
                continue
            if not (ledger.exists() and path.samefile(ledger)) and not _starts_with(path, SQLITE):
                continue
            for part in (path, *(path.with_name(path.name + ending) for ending in OF_SQLITE)):
                if part.exists():
                    part.unlink()
                    swept.append(Leftover(part, None))
    return swept


def _starts_with(path: Path, beginning: bytes) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(beginning)) == beginning


def told(leftovers: Sequence[Leftover]) -> str:
    """What was swept, on one line."""
    entries = sorted({found.reservation.number for found in leftovers if found.reservation is not None})
    spent = f"; what it reserved (entry {', '.join(map(str, entries))}) stays spent" if entries else ""
    files = "1 temporary file" if len(leftovers) == 1 else f"{len(leftovers)} temporary files"
    return f"removed {files} that a crashed release left{spent}"


def _mark(release: str) -> bytes:
    return f"epsilens draft {release}\n".encode()


def _drafts(folder: Path) -> list[tuple[Path, str, str]]:
    """Files named like drafts: their paths, the outputs they are drafts of, and the releases."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return []
    matches = [(path, DRAFT.fullmatch(path.name)) for path in paths]
    return [(path, match["name"], match["release"]) for path, match in matches if match is not None]


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int | None]:
    """A handle that holds the lock of a regular file; nothing where somebody else does, or it is none."""
    handle = None
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield handle if stat.S_ISREG(os.fstat(handle).st_mode) else None
                return
        yield None
    finally:
        if handle is not None:
            os.close(handle)


def _reservation(chain: Chain | None, release: str, name: str) -> Entry | None:
    """The reservation of this release, if the draft is of its output or of a file beside it."""
    entry = None if chain is None else chain.reservation_of(release)
    output = None if entry is None else entry.body.get("output")
    stem = None if output is None else Path(str(output)).stem
    ours = stem is not None and (name == output or name.startswith(f"{stem}."))
    return entry if ours else None
