"""The file of a project: read with the line of what is wrong, written whole or not at all, comments kept."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from epsilens.checks import did_you_mean
from epsilens.errors import EpsilensError, ParameterError, SourceError
from epsilens.project.keys import COMMANDS, EXPECTED, GROUPS, KEYS, SCHEMA, SHARED, fits, is_output
from epsilens.report.whole_files import whole_file

if TYPE_CHECKING:
    from tomlkit.container import Container
    from tomlkit.items import Item, Table

LARGEST_FILE = 1 << 24
"""Bytes. What somebody declares and chooses is far smaller."""

Sections = dict[str, dict[str, Any]]
Place = Callable[..., str]
"""From a section, or a section and a key, to where in a file it stands, as the beginning of a message."""


# -- reading ---------------------------------------------------------------------------------------------------------


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a project file; what cannot be one is refused."""
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except ValueError:  # a NUL in the name
        raise SourceError(f"cannot read the project {name!r}: No such file or directory") from None
    except OSError as problem:
        raise SourceError(
            f"cannot read the project {name!r}: {problem.strerror or type(problem).__name__}",
            remedy=None if Path(name or ".").exists() else "any command writes one with `save=FILE`",
        ) from None
    if len(raw) > LARGEST_FILE:
        raise SourceError(f"{name!r} is not a project file: it is larger than {LARGEST_FILE >> 20} MiB")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise SourceError(f"{name!r} is not a project file: line {line} is not UTF-8 text") from None


def sections_of(text: str, name: str) -> Sections:
    """The sections in the text of a project file that is called ``name``; errors say the line and the nearest name."""
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SourceError(f"{name!r}{_syntax(str(problem), text)}") from None
    except RecursionError:
        raise SourceError(f"{name!r} is not a project file: it nests too deeply") from None
    lines = lines_of(text)

    def place(*keys: str) -> str:
        for length in range(len(keys), 0, -1):
            if (line := lines.get(tuple(keys[:length]))) is not None:
                return f"{name!r}, line {line}: "
        return f"{name!r}: "

    _check_schema(plain.pop("schema", SCHEMA), place)
    return checked_sections(plain, place)


def _syntax(message: str, text: str) -> str:
    """What a parser says in its own words, without anything that stands in the file."""
    found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    last = text.rstrip("\n").count("\n") + 1
    where = f", line {last}" if found is None or found[1] is None else f", line {found[1]}, column {found[2]}"
    if "overwrite" in message or "twice" in message or "Cannot declare" in message or "Cannot mutate" in message:
        return f"{where}: this stands in the file twice; keep one of the two"
    return f"{where}: is not TOML, which reads like max_risk = 0.05 below [choose]"


def _check_schema(version: Any, place: Place) -> None:
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise SourceError(f"{place('schema')}schema must be a whole number, {SCHEMA}")
    if version > SCHEMA:
        raise SourceError(
            f"{place('schema')}the project was written by a newer Epsilens (schema {version}, known up to {SCHEMA})",
            remedy="update Epsilens",
        )


def _nowhere(*_: str) -> str:
    return ""


def checked_sections(plain: Mapping[str, Any], place: Place = _nowhere) -> Sections:
    """Sections by name, with those of two words joined; an unknown section, an unknown key or a wrong type is refused.

    A section may be called ``posterior release``, or be the table ``release`` in ``posterior``.
    """
    found: Sections = {}
    for name, values in plain.items():
        if name in GROUPS and name not in KEYS and isinstance(values, Mapping):
            for second, further in values.items():
                _check_command(name, second, further, place)
                found[f"{name} {second}"] = _checked(f"{name} {second}", further, place, (name, second))
            continue
        if name not in KEYS:
            raise ParameterError(f"{place(name)}{_unknown_section(name, values)}")
        found[name] = _checked(name, values, place, (name,))
    return found


def _check_command(group: str, second: str, values: Any, place: Place) -> None:
    known = [command.partition(" ")[2] for command in COMMANDS if command.startswith(f"{group} ")]
    if second not in known or not isinstance(values, Mapping):
        raise ParameterError(
            f"{place(group, second)}there is no section [{group}.{second}]{did_you_mean(second, known)}"
        )


def _unknown_section(name: str, values: Any) -> str:
    if isinstance(values, Mapping):
        return f"there is no section [{name}]{did_you_mean(name, [*SHARED, *COMMANDS, *GROUPS])}"
    homes = [f"[{section}]" for section in KEYS if name in KEYS[section]]
    return f"{name!r} stands in no section" + (
        f"; put it below {homes[0]}" if homes else did_you_mean(name, ["schema", *KEYS])
    )


def _checked(section: str, values: Any, place: Place, path: tuple[str, ...]) -> dict[str, Any]:
    shown = ".".join(path)
    if not isinstance(values, Mapping):
        raise ParameterError(f"{place(*path)}[{shown}] must be a section of keys and values, got {_got(values)}")
    known = KEYS[section]
    for key, value in values.items():
        before = place(*path, key)
        if key not in known:
            raise ParameterError(f"{before}{_unknown_key(section, shown, key)}")
        if not fits(known[key], value):
            raise ParameterError(f"{before}{key!r} in [{shown}] must be {EXPECTED[known[key]]}, got {_got(value)}")
    return {key: _plain(value) for key, value in values.items()}


def _unknown_key(section: str, shown: str, key: str) -> str:
    said = f"there is no key {key!r} in [{shown}]"
    if section not in SHARED and is_output(section, key):
        return f"{said}; what a run prints, draws or writes is not part of a project"
    if near := did_you_mean(key, KEYS[section], 0.7):
        return said + near
    homes = [name for name in SHARED if key in KEYS[name]]
    return f"{said}; it belongs to [{homes[0]}]" if homes else said + did_you_mean(key, KEYS[section])


def _got(value: Any) -> str:
    """What something is, never its value."""
    if isinstance(value, bool):
        return "true or false"
    kinds = ((str, "text"), (int | float, "a number"), (list | tuple, "a list"), (Mapping, "a table"))
    return next((said for kind, said in kinds if isinstance(value, kind)), "a date or a time")


def _plain(value: Any) -> Any:
    """Lists and tables as lists and dictionaries of plain values."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


_HEADER = re.compile(r"^\s*\[{1,2}([^\[\]]+)\]{1,2}\s*(?:#.*)?$")
_NAME = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = re.compile(rf"^\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=(.*)$")


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line of every section and key of TOML that parses: the first on which its name stands."""
    found: dict[tuple[str, ...], int] = {}
    section: tuple[str, ...] = ()
    until: str | None = None
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        rest = line
        if until is None and depth <= 0:
            if header := _HEADER.match(line):
                section = _names(header[1])
                for length in range(1, len(section) + 1):
                    found.setdefault(section[:length], number)
                continue
            if key := _KEY.match(line):
                path = section + _names(key[1])
                for length in range(1, len(path) + 1):
                    found.setdefault(path[:length], number)
                rest = key[2]
            depth = 0
        until, change = _open_at_end(rest, until)
        depth += change
    return found


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", dotted))


def _open_at_end(text: str, until: str | None) -> tuple[str | None, int]:
    """The quotes that a text of several lines still waits for at the end of this one, and brackets left open."""
    depth = 0
    while text:
        if until is not None:
            before, mark, text = text.partition(until)
            if not mark:
                return (until if len(until) == 3 else None), depth
            if until == '"' and before.endswith("\\"):
                continue
            until = None
            continue
        opened = re.match(r"\"\"\"|'''|\"|'", text)
        if opened:
            until, text = opened[0], text[len(opened[0]) :]
            continue
        if text[0] == "#":
            break
        depth += text[0] in "[{"
        depth -= text[0] in "]}"
        text = text[1:]
    return until if until is not None and len(until) == 3 else None, depth


# -- writing ---------------------------------------------------------------------------------------------------------


def text_with(sections: Mapping[str, Mapping[str, Any]], before: str | None = None) -> str:
    """The text of a file with these sections. Of an existing file what stays the same keeps its place and comments."""
    import tomlkit

    checked_sections(sections)
    document: Any = tomlkit.document() if before is None else tomlkit.parse(before)
    if "schema" not in document:
        if before is None:
            document.add(tomlkit.comment("A project of Epsilens: epsilens run THIS-FILE. INTERNAL, as the data are."))
            document.add("schema", SCHEMA)
        else:
            document = _with_schema(before)
    for path, table in _tables(document):
        name = " ".join(path)
        if name in KEYS and name not in sections:
            _parent(document, path).remove(path[-1])
        elif name in sections:
            for key in [key for key in table if key not in sections[name]]:
                table.remove(key)
    for name, values in sections.items():
        table = _table(document, _path(name))
        for key, value in values.items():
            if key not in table or _unwrapped(table[key]) != _plain(value):
                table[key] = _item(key, value)
    text = tomlkit.dumps(document)
    return text if before is None or _says(text, sections) else text_with(sections)  # rather right than with comments


def _says(text: str, sections: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a text that was changed in place says just these sections."""
    try:
        found = sections_of(text, "")
    except EpsilensError:
        return False
    wanted = {name: _plain(values) for name, values in sections.items()}
    return all(found.get(name, {}) == wanted.get(name, {}) for name in {*found, *wanted})


def _unwrapped(item: Any) -> Any:
    return _plain(item.unwrap() if hasattr(item, "unwrap") else item)


def _with_schema(before: str) -> Any:
    import tomlkit

    return tomlkit.parse(f"schema = {SCHEMA}\n{before}")


def _path(section: str) -> tuple[str, ...]:
    first, _, second = section.partition(" ")
    return (first, second) if first in GROUPS and second else (section,)


def _tables(document: Container) -> list[tuple[tuple[str, ...], Any]]:
    """The sections that stand in a document."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, values in document.items():
        if not isinstance(values, Mapping):
            continue
        if name in GROUPS and name not in KEYS:
            found += [((name, second), further) for second, further in values.items()]
        else:
            found.append((tuple(name.split(" ", 1)) if " " in name else (name,), values))
    return found


def _parent(document: Any, path: tuple[str, ...]) -> Any:
    return document if len(path) == 1 or path[0] not in document else document[path[0]]


def _table(document: Any, path: tuple[str, ...]) -> Table:
    """The table of a section, made where it is not there."""
    import tomlkit

    where = document
    for place, name in enumerate(path):
        if name not in where:
            made = tomlkit.table(is_super_table=True) if place < len(path) - 1 else tomlkit.table()
            where.append(name, made)
        where = where[name]
    found: Table = where
    return found


def _item(key: str, value: Any) -> Item:
    """A value as it is written: tables of a universe below a heading of their own, other tables within a line."""
    import tomlkit
    from tomlkit.items import Float, Trivia

    from epsilens.project.values import text_of

    if isinstance(value, float):
        return Float(value, Trivia(), text_of(value))
    if isinstance(value, Mapping):
        table: Any = tomlkit.table() if key == "universe" else tomlkit.inline_table()
        for name, one in value.items():
            table.append(name, _item("", one))
        return cast("Item", table)
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for one in value:
            array.append(_item("", one))
        return array
    found: Item = tomlkit.item(value)
    return found


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file, whole or not at all; it is not readable by others, as the data it tells of may not be."""
    target = Path(path)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    with whole_file(target, mode) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a place where a project could not be written."""
    target = Path(path)
    if target.suffix.lower() != ".toml":
        raise ParameterError("must end in .toml", parameter="save", got=target.name)
    if target.is_dir():
        raise SourceError(f"{str(target)!r} is a folder", remedy="choose another name for the project")
    if not target.absolute().parent.is_dir():
        raise SourceError(f"folder {str(target.parent)!r} does not exist", remedy="create it or choose another place")
    if not os.access((target.resolve() if target.is_symlink() else target.absolute()).parent, os.W_OK):
        raise SourceError(f"cannot write into folder {str(target.parent)!r}", remedy="choose another place")
