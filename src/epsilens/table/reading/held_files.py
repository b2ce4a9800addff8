"""Files that are held in memory and nowhere else: what somebody handed over in a browser.

They are read by the very code that reads files from a disk, so their levels are the same, letter by letter. The engine
finds them through a file system of fsspec's for as long as they are read.
"""

from __future__ import annotations

import io
import uuid
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import IO, Any

from epsilens.errors import SourceError

SCHEME = "memory"


@dataclass(frozen=True)
class HeldFile:
    """A file's name and its bytes; messages call it by its name. It answers what readers ask of a path."""

    name: str
    content: bytes = field(repr=False)
    _place: str = field(default_factory=lambda: f"/epsilens/{uuid.uuid4().hex}", compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.name in ("", ".", "..") or PurePath(self.name).name != self.name:
            raise SourceError("a file that is held in memory has a name without folders")

    def __str__(self) -> str:
        return self.name

    @property
    def suffix(self) -> str:
        """The end of the name, with its dot."""
        return PurePath(self.name).suffix

    @property
    def address(self) -> str:
        """Where the engine finds it; ``verbatim`` where :meth:`shown_to` has shown it."""
        ends = "".join(PurePath(self.name).suffixes[-2:]).lower()
        return f"{SCHEME}://{self._place}{ends if ends.isascii() and ends.replace('.', '').isalnum() else ''}"

    def open(self, mode: str = "r", encoding: str | None = None, newline: str | None = None) -> IO[Any]:
        """As a path opens its file; nothing can be written."""
        stream = io.BytesIO(self.content)
        return stream if "b" in mode else io.TextIOWrapper(stream, encoding=encoding, newline=newline)

    def shown_to(self, engine: Any) -> None:
        """Let a DuckDB connection find the file at its :attr:`address`."""
        files = _files()
        if not engine.con.filesystem_is_registered(SCHEME):
            engine.con.register_filesystem(files)
        files.pipe_file(self.address, self.content)

    def hidden(self) -> None:
        """Take it away again."""
        files = _files()
        if files.exists(self.address):
            files.rm_file(self.address)


@cache
def _files() -> Any:
    try:
        import fsspec
    except ImportError:
        raise SourceError(
            "files held in memory need the package fsspec", remedy="run pip install 'epsilens[app]'"
        ) from None
    return fsspec.filesystem(SCHEME)
