"""Where the files are that a project names: relative names are relative to the folder of the project file.

So a project can be moved together with its data, and means the same from whichever folder it is run. A database of one
file, ``sqlite://people.db``, is a file like others; any other address, and what is JSON itself, stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from epsilens.project.keys import KEYS
from epsilens.table.json_files import is_json

OF_FILES = ("sqlite", "duckdb")
"""Schemes of databases that are one file."""


def _changed(text: str, change: Callable[[str], str]) -> str:
    scheme, mark, rest = text.partition("://")
    if mark:
        path, query, asked = rest.partition("?")
        if scheme.lower() not in OF_FILES or not path or path.startswith("/"):
            return text
        return f"{scheme}{mark}{change(path)}{query}{asked}"
    return text if not text or os.path.isabs(text) else change(text)  # noqa: PTH117 - a pattern is not a path


def from_here(text: str, folder: str) -> str:
    """A name in a project of that folder, as it is called from here."""
    return _changed(text, lambda name: os.path.join(folder, name) if folder else name)  # noqa: PTH118


def moved(text: str, start: str, end: str) -> str:
    """A name in a project of the folder ``start``, as a project in the folder ``end`` calls the same file."""
    before, after = (os.path.abspath(folder or os.curdir) for folder in (start, end))  # noqa: PTH100

    def renamed(name: str) -> str:
        if before == after:
            return name
        path = os.path.join(before, name)  # noqa: PTH118 - a pattern is not a path
        try:
            return PurePath(os.path.relpath(path, after)).as_posix()
        except ValueError:  # another drive
            return path

    return _changed(text, renamed)


def located(section: str, values: Mapping[str, Any], place: Callable[[str], str]) -> dict[str, Any]:
    """The values of a section with the names of files put elsewhere by ``place``."""
    return {name: _located(KEYS.get(section, {}).get(name, "text"), value, place) for name, value in values.items()}


def _located(kind: str, value: Any, place: Callable[[str], str]) -> Any:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if kind == "files_by_column":
        if isinstance(value, Mapping):
            return {column: place(path) if isinstance(path, str) else path for column, path in value.items()}
        texts = [value] if isinstance(value, str) else value
        return [_column_and_file(text, place) if isinstance(text, str) else text for text in texts]
    if kind in ("path", "universe", "zeros") and isinstance(value, str) and not is_json(value):
        return place(value)
    return value


def _column_and_file(text: str, place: Callable[[str], str]) -> str:
    column, equals, path = text.partition("=")
    return f"{column}={place(path)}" if equals and path else text
