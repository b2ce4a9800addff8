"""What one person is working on: a project, what it was before, and what has been computed of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from epsilens.app.uploads import Upload
from epsilens.app.warned import heard
from epsilens.errors import DataError, EpsilensError, SourceError
from epsilens.project import Project
from epsilens.project.values import key_text

if TYPE_CHECKING:
    from epsilens.table.engine import Engine
    from epsilens.table.frequency import FrequencyTable
    from epsilens.table.to_read import TableToRead

MOST_STEPS = 100
"""Steps that can be undone."""
MOST_EARLIER_BYTES = 200_000_000
"""Of uploads before the present one that are kept, so that a step back finds them."""
MOST_FOUND = 200
"""Results that are kept of one table; the oldest go first."""
ROLES = ("quasi_identifiers", "sensitive")
"""What must be said of a table before anything can be asked of it."""


@dataclass
class Work:
    """Kept in the memory of the server, for one browser; nothing of it is written unless somebody asks."""

    project: Project = field(default_factory=Project)
    past: list[Project] = field(default_factory=list)
    future: list[Project] = field(default_factory=list)
    uploaded: Upload | None = None
    """An upload that the project's data are, by its name; it stays in memory."""
    saved_as: str | None = None
    """The project file that was opened, or written last."""
    told: list[str] = field(default_factory=list)
    """What the next page says once: a project file that could not be opened, a warning of a reader."""
    warned: list[str] = field(default_factory=list)
    """What whoever read the table was warned of."""
    _earlier: dict[str, Upload] = field(default_factory=dict, repr=False)
    """Uploads before, by name, for whoever takes a step back."""
    _found: dict[Any, Any] = field(default_factory=dict, repr=False)
    _found_of: str = field(default="", repr=False)
    _latest: dict[str, tuple[Any, Any]] = field(default_factory=dict, repr=False)
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)
    _one_at_a_time: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)
    """Two tabs of one browser have the same work."""

    def change(self, section: str, **values: Any) -> None:
        """Put values into a section of the project; a change that changes nothing is not a step."""
        self.become(self.project.with_values(section, **values))

    def become(self, changed: Project) -> None:
        """Take another project, as one step."""
        if changed == self.project:
            return
        self.past = [*self.past, self.project][-MOST_STEPS:]
        self.future = []
        self.project = changed

    def undo(self) -> None:
        """Take the last step back."""
        if self.past:
            self.future.append(self.project)
            self.project = self.past.pop()
            self._hold_again()

    def redo(self) -> None:
        """Take the step again that was taken back."""
        if self.future:
            self.past.append(self.project)
            self.project = self.future.pop()
            self._hold_again()

    def hold(self, upload: Upload) -> None:
        """Take an upload for data of its name; earlier ones are kept for a step back as long as there is room."""
        if self.uploaded is not None:
            self._earlier[self.uploaded.name] = self.uploaded
        self._earlier.pop(upload.name, None)
        while self._earlier and sum(len(one.held.content) for one in self._earlier.values()) > MOST_EARLIER_BYTES:
            del self._earlier[next(iter(self._earlier))]
        self.uploaded = upload

    def hold_none_as(self, source: str) -> None:
        """From now on data of that name are read from where it says, whatever was uploaded under it before."""
        if self.uploaded is not None:
            self._earlier[self.uploaded.name] = self.uploaded
        self._earlier.pop(source, None)
        self.uploaded = None

    def _hold_again(self) -> None:
        named = self.project.section("data").get("source")
        if not self.is_held and named in self._earlier:
            self.hold(self._earlier[named])

    def once(self, key: Any, find: Callable[[], Any]) -> Any:
        """What ``find`` finds, found once for each ``key``, which must say all that it depends on but the data.

        As soon as the data are others, all that was found of those before is let go.
        """
        with self._one_at_a_time:
            if self._found_of != (data := self._data_key()):
                self._found.clear()
                self._found_of = data
            if key not in self._found:
                with self._forgetting_what_is_gone():
                    found = find()
                while len(self._found) >= MOST_FOUND:
                    del self._found[next(iter(self._found))]
                self._found[key] = found
            return self._found[key]

    def latest(self, name: str, key: Any, find: Callable[[], Any]) -> Any:
        """What ``find`` finds, found once as long as ``key`` stays the same; only the latest is kept."""
        with self._one_at_a_time:
            if name not in self._latest or self._latest[name][0] != key:
                self._latest.pop(name, None)  # free before something new is read
                with self._forgetting_what_is_gone():
                    self._latest[name] = (key, find())
            found: Any = self._latest[name][1]
            return found

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What was made once for this work, whatever becomes of its data: releases, which nobody takes back."""
        with self._one_at_a_time:
            if name not in self._kept:
                self._kept[name] = make()
            return self._kept[name]

    def forget(self) -> None:
        """Let go of all that was read and found: data are opened anew, and may be others under the same name."""
        with self._one_at_a_time:
            self._found.clear()
            self._latest.clear()

    @contextmanager
    def _forgetting_what_is_gone(self) -> Iterator[None]:
        """Where data cannot be read any more (a connection is lost, a file is gone), they are opened anew next time."""
        try:
            yield
        except SourceError:
            self.forget()
            raise

    def engine(self, without: Collection[str] = ()) -> Engine:
        """Who reads the data, as the project says; what is wrong with that is told when they are read."""
        from epsilens.table.engine import Engine

        with suppress(EpsilensError):
            return self.project.engine(without) or Engine()
        return Engine()

    @property
    def source(self) -> Any:
        """What the project's data are read from: the upload of that name, otherwise the path or address itself."""
        if self.uploaded is not None and self.is_held:
            return self.uploaded.held
        return self.project.parameters("assess", ("source",)).get("source")

    @property
    def is_held(self) -> bool:
        """Whether the project's data are an upload, in memory."""
        return self.uploaded is not None and self.project.section("data").get("source") == self.uploaded.name

    @property
    def source_key(self) -> str:
        """Says which data are meant, whatever their columns mean."""
        held = self.uploaded.digest if self.uploaded is not None and self.is_held else ""
        named = self.project.parameters("assess", ("source", "table"))
        return key_text({"source": named.get("source"), "table": named.get("table"), "held": held})

    @property
    def is_described(self) -> bool:
        """Whether the project says where the data are and which columns matter."""
        section = self.project.section("data")
        return bool(section.get("source")) and all(section.get(role) for role in ROLES)

    def data(self) -> TableToRead:
        """The table that the project describes, not read yet."""
        section = self.project.section("data")
        if not section.get("source"):
            raise DataError("no data are open yet", remedy="open some on the page Data")
        if not self.is_described:
            raise DataError(
                "the roles of the columns are not chosen yet",
                remedy="choose on the page Data what an attacker may know, and what they want to learn",
            )
        return replace(cast("TableToRead", self.project.data()), source=self.source)

    def table(self) -> FrequencyTable:
        """The table that the project describes: read once, and let go as soon as it describes another one."""

        def read() -> tuple[FrequencyTable, list[str]]:
            with _working("Counting people"), heard() as said:
                return self.data().read(), said

        found: tuple[FrequencyTable, list[str]] = self.latest("table", self._data_key(), read)
        self.warned = found[1]
        return found[0]

    def _data_key(self) -> str:
        return key_text(self.project.section("data")) + self.source_key


def _working(what: str) -> AbstractContextManager[None]:
    """A sign of life on the page; nothing where there is no page."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    if get_script_run_ctx(suppress_warning=True) is None:
        return nullcontext()
    return st.spinner(f"{what} ...")
