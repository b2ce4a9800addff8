"""The one way out: reserve, draw, write to a temporary file, fsync, rename, fsync the folder, commit.

A crash at any instant leaves either no output and a reservation that counts as spent, or an output with its entry:

1. *prepare*: the names must be free and the disk must have room (it is claimed in advance), before anything is spent;
2. *reserve*: the cost stands in the ledger, durably, before any noise exists;
3. *draw*: noise, in memory only;
4. *write* and *sync*: temporary files beside the outputs, flushed to the disk;
5. *rename*: the temporary files get their names, the output last, so that an output has its cards; *sync-folder*
   makes the names durable;
6. *commit*: the ledger notes the hashes of what was written.

Everything that fails after the draw counts as spent: noise that was drawn is not drawn again for free.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from epsilens.errors import EpsilensError
from epsilens.release.ledger.chain import Chain, Entry, LedgerError
from epsilens.release.ledger.durable import link_without_replacing, sync_folder
from epsilens.release.ledger.ledger import Ledger, Request
from epsilens.release.ledger.leftovers import draft_path, new_draft

STEPS = ("prepare", "reserve", "draw", "write", "sync", "rename", "sync-folder", "commit")
Drawn = TypeVar("Drawn")


class WriteError(EpsilensError):
    """An output that could not be written."""


@dataclass(frozen=True)
class OutputFile(Generic[Drawn]):
    """A file to write: its name, how to write it, and how much room it may take.

    Files are written in order, and each is told the hashes of those before it, by role.
    """

    role: str
    path: Path
    write: Callable[[BinaryIO, Drawn, Entry, Chain, dict[str, str]], None]
    room: int = 0
    private: bool = False


@dataclass(frozen=True)
class Published(Generic[Drawn]):
    """What a release left behind."""

    drawn: Drawn
    reservation: Entry
    chain: Chain
    """The chain up to the reservation."""
    commit: Entry
    hashes: dict[str, str]


def publish(
    ledger: Ledger,
    request: Request,
    draw: Callable[[], Drawn],
    files: Sequence[OutputFile[Drawn]],
    force: bool = False,
    reached: Callable[[str], None] | None = None,
) -> Published[Drawn]:
    """Run the protocol. The output appears last; ``reached`` is told each step as it is done."""
    done = reached if reached is not None else _ignore
    _refuse_ledger_as_output(files, ledger.path)
    release = secrets.token_hex(8)
    ledger.swept([file.path.parent for file in files])
    with _temporaries(files, release, force) as drafts:
        done("prepare")
        reservation, chain = ledger.reserve(request, release)
        with _interrupts_told(ledger, reservation):
            done("reserve")
            fate = "nothing was published"
            try:
                drawn = draw()
                done("draw")
                hashes = _written(files, drafts, drawn, reservation, chain)
                done("write")
                for draft in drafts:
                    _sync(draft)
                done("sync")
                _rename_all(files, drafts, force)
                fate = "the files have their names, which a power cut could still take away"
                done("rename")
                for folder in {file.path.parent for file in files}:
                    sync_folder(folder)
                done("sync-folder")
            except OSError as problem:
                raise WriteError(
                    f"cannot write {_named(problem, files)}: {problem.strerror or type(problem).__name__}; {fate}, "
                    f"and the budget of this attempt (entry {reservation.number}) counts as spent"
                ) from None
            try:
                commit = ledger.commit(reservation, {"hashes": hashes})
            except LedgerError as problem:
                raise LedgerError(
                    f"the output is written and its reservation (entry {reservation.number}) counts, but the commit "
                    f"could not be noted: {problem}"
                ) from None
            done("commit")
    return Published(drawn, reservation, chain, commit, hashes)


def _written(
    files: Sequence[OutputFile[Drawn]], drafts: Sequence[Path], drawn: Drawn, reservation: Entry, chain: Chain
) -> dict[str, str]:
    """Write the drafts in their order; the hash of each by its role."""
    hashes: dict[str, str] = {}
    for file, draft in zip(files, drafts, strict=True):
        with draft.open("r+b") as stream:
            file.write(stream, drawn, reservation, chain, dict(hashes))
            stream.truncate()  # what was claimed in advance and not needed
        hashes[file.role] = file_hash(draft)
    return hashes


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def _interrupts_told(ledger: Ledger, reservation: Entry) -> Iterator[None]:
    """Whoever interrupts a release should know that it is paid for."""
    try:
        yield
    except KeyboardInterrupt:
        if ledger.notice is not None:
            ledger.notice(f"interrupted after its reservation: this attempt (entry {reservation.number}) stays spent")
        raise


def _refuse_ledger_as_output(files: Sequence[OutputFile[Any]], ledger: Path) -> None:
    """Forced or not, no output may take the place of the ledger that pays for it."""
    for file in files:
        there = file.path.exists() and ledger.exists() and file.path.samefile(ledger)
        if there or file.path.resolve() == ledger.resolve():
            raise WriteError(f"{file.path} is the ledger itself", remedy="name another output (`out`)")


def refuse_taken(path: Path, force: bool) -> None:
    """Refuse a name that something else has."""
    if path.is_dir():
        raise WriteError(f"{path} is a folder", remedy="name a file (`out`)")
    if not force and (path.exists() or path.is_symlink()):
        raise WriteError(f"{path} exists", remedy="name another file, or use `force` to replace it")


@contextlib.contextmanager
def _temporaries(files: Sequence[OutputFile[Any]], release: str, force: bool) -> Iterator[list[Path]]:
    """A temporary file beside each output, with its room claimed; removed again if they did not get their names.

    The handles hold the drafts' locks, by which a later release knows that this one is alive (``leftovers.py``).
    """
    drafts: list[Path] = []
    handles: list[int] = []
    try:
        for file in files:
            refuse_taken(file.path, force)
            draft = draft_path(file.path, release)
            try:
                handles.append(new_draft(draft, release, file.private))
                drafts.append(draft)
                _claim(handles[-1], file.room)
            except OSError as problem:
                raise WriteError(
                    f"cannot write {file.path}: {problem.strerror or type(problem).__name__}; nothing was spent"
                ) from None
        yield drafts
    finally:
        for draft in drafts:
            with contextlib.suppress(OSError):
                draft.unlink()
        for handle in handles:
            os.close(handle)


def _claim(handle: int, room: int) -> None:
    """Have the disk set room aside, so that it is full now or not at all."""
    if room <= 0 or not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(handle, 0, room)
    except OSError as problem:
        if problem.errno not in {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}:  # not every file system can
            raise


def _sync(draft: Path) -> None:
    with draft.open("r+b") as stream:
        os.fsync(stream.fileno())


def _rename_all(files: Sequence[OutputFile[Any]], drafts: Sequence[Path], force: bool) -> None:
    """Give the drafts their names, the output last; where one name was taken meanwhile, take the others back."""
    named: list[Path] = []
    try:
        for file, draft in sorted(zip(files, drafts, strict=True), key=lambda pair: pair[0].role == "output"):
            if force:
                draft.replace(file.path)
            else:
                link_without_replacing(draft, file.path)
                named.append(file.path)
    except OSError:
        for path in named:
            with contextlib.suppress(OSError):
                path.unlink()
        raise


def _named(problem: OSError, files: Sequence[OutputFile[Any]]) -> str:
    """The output that an error is about, without the temporary name."""
    given = str(problem.filename or "")
    return next((str(file.path) for file in files if f".{file.path.name}." in given), "the output")


def _ignore(_step: str) -> None:
    """Nobody is watching."""
