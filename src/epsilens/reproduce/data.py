"""The data of the papers: which files there are, and what was computed of them once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from epsilens.errors import SourceError

T = TypeVar("T")


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

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise SourceError(
                "is not a folder", parameter="data", got=str(self.folder), remedy="name the folder that holds the files"
            )

    def file(self, name: str) -> str:
        """The path of a file; :class:`Missing` where it is not there."""
        if self.folder is None or not (path := self.folder / name).is_file():
            raise Missing(name)
        return str(path)

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What ``compute`` gives, computed the first time that somebody asks under this ``key``."""
        if key not in self._known:
            self._known[key] = compute()
        value: T = self._known[key]
        return value
