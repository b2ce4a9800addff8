"""The data of the papers: which files there are, and what was computed of them once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from epsilens.errors import SourceError

T = TypeVar("T")

CONTENT = {
    "adult.csv": "e7700c05d62bd44222488f69ea51622f3f574db62bac50b094d9154ee6ed3f11",
    "adultcount.csv": "1f6a8713875739eec0343b5833c4a0095bee55bf8654698cbcf134da2773ea82",
    "bankcount.csv": "9a3aaa8de0b9eea17d7c11c7f7bcd2b91e5a2d5538f44931bbe946e401687e55",
    "FFcount.csv": "84cb093c610c93856efd6041856aa4fe41a6154204e659a1d0b60ca630da704a",
    "ma2019.csv": "68615ce4deb0e030e7f1014fdd4716855b48db9fc597c087a4e208803ca8abcc",
}
"""SHA-256 of the files that are public, without blanks at their ends and with the line ends of Unix."""


class Missing(Exception):  # noqa: N818 - not an error: what needs it says so
    """A file that a claim needs and that is not there."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass
class Data:
    """A folder with the papers' data, or none; results that several claims share are computed once for each run."""

    folder: Path | None = None
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _read: set[str] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise SourceError(
                "is not a folder", parameter="data", got=str(self.folder), remedy="name the folder that holds the files"
            )

    def file(self, name: str) -> str:
        """The path of a file; :class:`Missing` where it is not there."""
        if self.folder is None or not (path := self.folder / name).is_file():
            raise Missing(name)
        self._read.add(name)
        return str(path)

    @property
    def others(self) -> list[str]:
        """Files that were asked for, and are not the public ones of their names."""
        return sorted(name for name in self._read & CONTENT.keys() if _content(self.file(name)) != CONTENT[name])

    @property
    def unknown(self) -> list[str]:
        """Files that were asked for and may be the public ones of their names or not: nobody here has seen those."""
        return sorted(self._read - CONTENT.keys())

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What ``compute`` gives, computed the first time that somebody asks under this ``key``."""
        if key not in self._known:
            self._known[key] = compute()
        value: T = self._known[key]
        return value


def _content(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes().replace(b"\r\n", b"\n").strip()).hexdigest()
