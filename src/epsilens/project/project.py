"""A project: where the data are, what their columns mean, what is asked of them and on which terms they are released.

A project is sections of plain values, as in its file. The sections that all commands share come first: ``data`` (where
the data are, roles of columns, bins, universe, harmful values), ``noise`` (mechanisms, budgets), ``risk`` (measures,
ceilings), ``ledger`` (what pays) and ``about`` (texts about the release). A section with the name of a command holds
what only that command is asked, and wins over the shared ones. Keys are the names of parameters in the library.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from epsilens.checks import one_of
from epsilens.errors import EpsilensWarning, ParameterError, SourceError
from epsilens.notebook import listed, one_line, table_html
from epsilens.project.keys import ANSWERED, ENGINE_KEYS, KEYS, SHARED

if TYPE_CHECKING:
    from epsilens.table.engine import Engine
    from epsilens.table.to_read import HierarchyToRead, TableToRead


@dataclass(frozen=True, repr=False)
class Project:
    """Sections of plain values. It never holds rows or counts of people."""

    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: str = field(default="", compare=False)
    """Where its file is: relative names of files are relative to this folder. Empty: the current one."""

    def __post_init__(self) -> None:
        frozen = {name: MappingProxyType(dict(values)) for name, values in self.sections.items() if values}
        object.__setattr__(self, "sections", MappingProxyType(frozen))

    # -- making and keeping ------------------------------------------------------------------------------------------

    @staticmethod
    def of(**sections: Mapping[str, Any]) -> Project:
        """A project of sections, checked: ``Project.of(data={...}, posterior={"release": {...}})``."""
        from epsilens.project.toml_file import checked_sections

        return Project(checked_sections(sections))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Project:
        """The project in a file; what is wrong with it is told with its line and the nearest name."""
        from epsilens.project.toml_file import read_text, sections_of

        name = os.fspath(path)
        return Project(sections_of(read_text(path), name), os.path.dirname(name))  # noqa: PTH120 - "" stays ""

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write the project to a file, whole or not at all, with a fingerprint of its data.

        ``force`` replaces a file that exists; what stays the same in it keeps its place and its comments.
        """
        from epsilens.project.toml_file import check_place, read_text, text_with, write_text

        check_place(path)
        exists = Path(path).exists()
        if exists and not force:
            raise SourceError(f"{os.fspath(path)!r} exists", remedy="choose another name, or replace it with `force`")
        moved = self.stamped().moved(os.path.dirname(os.fspath(path)))  # noqa: PTH120
        before = read_text(path) if exists else None
        write_text(path, text_with(moved.sections, before if before is None or _is_project(before) else None))

    def to_toml(self) -> str:
        """The text of its file; relative names of files are relative to where the text is put."""
        from epsilens.project.toml_file import text_with

        return text_with(self.sections)

    def moved(self, folder: str) -> Project:
        """The same project for a file in another folder: relative names of files are changed to mean the same files."""
        from epsilens.project.paths import located, moved

        def place(name: str) -> str:
            return moved(name, self.folder, folder)

        return Project({name: located(name, values, place) for name, values in self.sections.items()}, folder)

    def stamped(self) -> Project:
        """The project with a fingerprint of its data as they are now; without one where the data are not in files."""
        from epsilens.project.fingerprint import fingerprint

        return self.with_values("data", fingerprint=fingerprint(self._source()))

    def changed(self) -> str | None:
        """Since when the data are others than those it was saved for: a day; None where they are the same.

        It reads the data, so nobody asks on the way to a release.
        """
        from epsilens.project.fingerprint import changed_since

        taken = self.section("data").get("fingerprint")
        return None if taken is None else changed_since(taken, self._source())

    def _source(self) -> Any:
        from epsilens.project.paths import from_here

        source = self.section("data").get("source")
        return from_here(source, self.folder) if isinstance(source, str) else source

    # -- values ------------------------------------------------------------------------------------------------------

    def section(self, name: str) -> Mapping[str, Any]:
        """The values of a section; none where there is no such section."""
        return self.sections.get(name, {})

    def with_values(self, section: str, **values: Any) -> Project:
        """The project with these values in a section; None takes one out."""
        merged = {**self.section(section), **values}
        kept = {name: value for name, value in merged.items() if value is not None}
        return Project({**self.sections, section: kept}, self.folder)

    def parameters(self, command: str, takes: Collection[str] | None = None) -> dict[str, Any]:
        """What ``command`` is asked, of the parameters that it ``takes``: its own section wins over the shared ones.

        Without ``takes``, of all that the command has. Names of files are as they are called from here.
        """
        from epsilens.project.paths import from_here, located
        from epsilens.project.shared import shared_values

        known = KEYS[command] if takes is None else takes
        own = {name: value for name, value in self.section(command).items() if name in known}
        found = {**shared_values(self.sections, command, known, own), **own}
        return located(command, found, lambda name: from_here(name, self.folder))

    # -- asking ------------------------------------------------------------------------------------------------------

    def data(self) -> TableToRead | HierarchyToRead:
        """Where its data are and what their columns mean: a table, or a hierarchy where only levels are named."""
        from epsilens.project.answering import data_of

        return data_of(self.usual, self.parameters(self.usual))

    def engine(self, without: Collection[str] = ()) -> Engine | None:
        """Who reads its data, where it says anything of that; some of what it says may be left out."""
        from epsilens.project.answering import engine_of

        names = [name for name in ENGINE_KEYS if name not in without]
        return engine_of(self.parameters("assess", names))

    @property
    def usual(self) -> str:
        """What it is asked first: about its table, or about its hierarchy where it has no table."""
        data = self.section("data")
        return "posterior release" if data.get("levels") and not data.get("quasi_identifiers") else "assess"

    def question(self, command: str) -> Any:
        """The question that the project asks as ``command``, checked; no data are read."""
        from epsilens.project.answering import question_of

        return question_of(command, self._asked(command))

    def answer(self, command: str, table: Any = None, progress: Callable[[int], None] | None = None) -> Any:
        """The answer to it. ``table`` is what was read already: the table, or the situations of a hierarchy.

        Warns where data that it reads have changed since the project was saved, but not before a release, which says
        nothing that depends on the data.
        """
        from epsilens.project.answering import answer_of

        if command != "release" and table is None:
            self.warn_of_change()
        return answer_of(command, self._asked(command), table, progress)

    def warn_of_change(self) -> None:
        """Warn where the data have changed since the project was saved."""
        if (day := self.changed()) is not None:
            warnings.warn(
                EpsilensWarning(f"the data have changed since {day}", remedy="save the project again if that is right"),
                stacklevel=3,
            )

    def worded(self, command: str, answer: Any, table: Any = None) -> dict[str, Any]:
        """An answer as the command line prints it in JSON. Curves, where some are asked for, need the table again."""
        from epsilens.project.answering import worded

        return worded(command, answer, self._asked(command), table)

    def script(self, command: str) -> str:
        """A Python program that prints the same JSON as ``command``."""
        from epsilens.project.script import script_of

        return script_of(command, self._asked(command))

    def _asked(self, command: str) -> dict[str, Any]:
        return self.parameters(one_of("command", command, ANSWERED))

    # -- showing -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        said = [name for name in (*SHARED, *KEYS) if name in self.sections]
        return one_line(self, f"sections: {listed(dict.fromkeys(said))}" if said else "empty")

    def _repr_html_(self) -> str:
        return table_html("Project", {f"[{name}]": listed(values) for name, values in self.sections.items()})


def _is_project(text: str) -> bool:
    """Whether the text of a file is that of a project whose comments can be kept."""
    from epsilens.project.toml_file import sections_of

    try:
        sections_of(text, "")
    except (ParameterError, SourceError):
        return False
    return True
