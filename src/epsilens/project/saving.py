"""What was typed for a command as a project, alone or added to one that exists.

A project that exists keeps what it says. What the command was asked beyond its shared sections goes to the section of
the command, so that no other command means something else than before, and the project asks exactly what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from epsilens.errors import ParameterError
from epsilens.project.keys import DATA, KEYS, LISTS, is_output
from epsilens.project.project import Project
from epsilens.project.shared import OF_A_HIERARCHY, RELEASES
from epsilens.project.toml_file import check_place, read_text, sections_of, text_with, write_text
from epsilens.project.values import converted

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


def typed_values(command: str, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Texts that were typed for a command as plain values, to the digit; what is about one run is left out."""
    found: dict[str, Any] = {}
    for name in KEYS[command]:
        if name not in typed or is_output(command, name):
            continue
        text = typed[name]
        if name == "cells":  # how many to list is asked, where all are written is not
            text = str(text).partition(",")[0].strip()
            if not text.isdigit():
                continue
        found[name] = _value(KEYS[command][name], text)
    return found


def _value(kind: str, text: Any) -> Any:
    if isinstance(text, bool):
        return text
    if kind in ("texts", "by_column", "files_by_column"):
        return [text] if isinstance(text, str) else list(text)
    if kind in LISTS:
        if kind == "alpha" and isinstance(text, str) and text.isalpha():
            return text
        parts = [part.strip() for one in ([text] if isinstance(text, str) else text) for part in one.split(",")]
        return [part if kind == "names" else number_typed(part) for part in parts if part]
    return number_typed(text) if kind in ("number", "fraction", "whole") else text


def number_typed(text: str) -> int | float | str:
    """A number where TOML writes it with the same digits, or else the text: ``1/864``, ``.5``."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return text
    if found[1] is None and found[2] is None:
        number = int(text)
        return number if abs(number) < 1 << 63 else text
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text.strip()) else text


def _in_data(command: str, name: str) -> bool:
    """Whether a parameter says where the data of a command are or what their columns mean."""
    other = command in RELEASES and name in OF_A_HIERARCHY
    return "source" in KEYS[command] and name in DATA and not other


class Saving:
    """A project that is to be written once a command has done what it was asked; refused before it begins.

    ``apart`` are the declarations about the data that this command's section alone has, beside those of ``[data]``.
    """

    def __init__(self, path: str, command: str, typed: Mapping[str, Any]) -> None:
        check_place(path)
        self.path, self.command = path, command
        self.before = read_text(path) if Path(path).exists() else None
        folder = str(Path(path).parent) if Path(path).parent != Path() else ""
        asked = typed_values(command, typed)
        data = {name: value for name, value in asked.items() if _in_data(command, name)}
        own = {name: value for name, value in asked.items() if name not in data}
        fresh = Project({"data": data, command: own}).moved(folder)
        self.apart: tuple[str, ...] = ()
        self.project = fresh if self.before is None else self._added(fresh, folder)

    def _added(self, fresh: Project, folder: str) -> Project:
        """The project in the file with what was asked now."""
        assert self.before is not None
        old, command = Project(sections_of(self.before, self.path), folder), self.command
        data, own = dict(fresh.section("data")), dict(fresh.section(command))
        if not old.section("data"):
            added = Project({**old.sections, "data": data, command: own}, folder)
        else:
            kept = old.section("data")
            for name in ("source", "table") if data else ():
                if kept.get(name) != data.get(name):
                    raise ParameterError(
                        f"{self.path!r} is a project about other data: its [data] says another {name!r}",
                        remedy="choose another file to `save` to",
                    )
            further = {name: value for name, value in data.items() if not _same(command, name, kept.get(name), value)}
            self.apart = tuple(further)
            added = Project({**old.sections, command: {**further, **own}}, folder)
        self._refuse_more(added, {**data, **own})
        return added

    def _refuse_more(self, added: Project, asked: Mapping[str, Any]) -> None:
        """Refuse a file whose shared sections say something to the command that was not typed."""
        here = Project({self.command: asked}, added.folder).parameters(self.command)
        for name, value in added.parameters(self.command).items():
            if not _same(self.command, name, here.get(name), value):
                where = next(one for one in added.sections if _tells(added.section(one), name))
                raise ParameterError(
                    f"{self.path!r} says something about {name!r} in [{where}] that was not asked here",
                    remedy="ask it here too, or choose another file to `save` to",
                )

    def write(self) -> None:
        """Write the file. A release takes no fingerprint: nothing that it leaves behind depends on the data."""
        project = self.project if self.command in RELEASES else self.project.stamped()
        write_text(self.path, text_with(project.sections, self.before))


def _tells(section: Mapping[str, Any], name: str) -> bool:
    """Whether a section is where the value of a parameter comes from."""
    return any(key in section for key in (name, f"{name}s")) or (name == "columns" and "quasi_identifiers" in section)


def _same(command: str, name: str, one: Any, other: Any) -> bool:
    """Whether two values of a parameter mean the same."""
    if one is None or other is None:
        return one is other
    kind = KEYS[command][name]
    try:
        return bool(converted(kind, name, one) == converted(kind, name, other))
    except ParameterError:
        return bool(one == other)
