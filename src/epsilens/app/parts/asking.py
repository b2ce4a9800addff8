"""Asking from a page: what is missing before anything can be asked, answers found once, progress, and errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Generic, TypeVar

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.app.work import Work
from epsilens.choice.questions.assess import steps
from epsilens.errors import EpsilensError
from epsilens.project import Project
from epsilens.project.values import key_text
from epsilens.table.frequency import FrequencyTable
from epsilens.table.to_read import HierarchyToRead

Found = TypeVar("Found")
WORDS = {
    "quasi_identifiers": "columns that others may know",
    "sensitive": "column that is nobody's business",
    "max_risk": "highest risk",
    "max_people": "people who may be above it",
    "max_error": "largest error of a count",
    "max_wrong": "people wrongly shown",
    "epsilons": "budgets",
    "deltas": "delta",
    "mechanisms": "kinds of noise",
    "mechanism": "kind of noise",
    "measures": "measures of risk",
    "measure": "measure of risk",
    "knows": "what one attacker knows",
    "largest_set": "columns known at most",
    "by": "what makes people alike",
    "missing": "what becomes of missing values:",
    "force": "'Replace a file that exists'",
}
"""What the controls call the parameters that errors speak of."""
_AT_ONCE = 0.15  # seconds within which nobody needs a bar
_PAUSE = 0.1  # seconds between two moves of a bar: each of them is a message to the browser


def sentence(error: EpsilensError) -> str:
    """The error in one sentence, with parameters called as the controls call them."""

    def speller(name: str, value: str | None = None) -> str:
        said = WORDS.get(name, name.replace("_", " "))
        return said if value is None else f"{said} {value}"

    said = error.spelt(speller).strip()
    begun = said[:1].upper() if said.split(" ", 1)[0].isalpha() else said[:1]  # names of files stay as they are
    return f"{begun}{said[1:]}{'' if said.endswith(('.', '?', '!')) else '.'}"


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Say what cannot be served in one sentence; whatever else goes wrong is for the shell to say."""
    try:
        yield
    except EpsilensError as error:
        st.error(plain(sentence(error)))


def missing_from(work: Work) -> str | None:
    """What must be said on the page Data before anything can be asked; None where nothing is missing."""
    data = work.project.section("data")
    if not data.get("source") and work.uploaded is None:
        return "No data are open yet: open a file or a database, or the demo, on the page Data."
    if not data.get("quasi_identifiers"):
        return "Nobody has said yet which columns others may know about a person: do so on the page Data."
    if not data.get("sensitive"):
        return "Nobody has said yet which column is nobody's business: do so on the page Data."
    return None


def table_of(work: Work) -> FrequencyTable | None:
    """The table, counted; None where it cannot be, and the page has then said why and where to go."""
    missing = missing_from(work)
    if missing is not None:
        st.info(missing)
        to_data()
        return None
    try:
        table: FrequencyTable = work.table()
    except EpsilensError as error:
        st.error(plain(sentence(error)))
        to_data()
        return None
    return table


def to_data() -> None:
    """A way to the page Data."""
    st.page_link(st.Page(to_data, title="Data", url_path="data", default=True), label="Go to the page Data")


def answered(
    work: Work,
    command: str,
    what: str,
    table: FrequencyTable | None = None,
    project: Project | None = None,
    stop: Callable[[], None] | None = None,
) -> Any:
    """What the project answers to ``command``, found once for all that it depends on; errors are for the caller.

    Another ``project`` than that of the work may be asked, one that differs in something that is not to be kept.
    """
    asked = work.project if project is None else project

    def find() -> Any:
        read = read_for(work, command, table, asked)
        total = _total(command, asked.question(command), table)
        return waited(what, lambda progress: asked.answer(command, table=read, progress=progress), total, stop)

    return work.once((command, asked_of(asked, command)), find)


def read_for(work: Work, command: str, table: FrequencyTable | None, project: Project) -> Any:
    """What ``command`` is asked about: the table, or the people at every level where it names those of a hierarchy."""
    asked = None if command != "choose" else project.question(command)
    if asked is None or not isinstance(asked.data, HierarchyToRead):
        return table
    return replace(asked, data=replace(asked.data, source=work.source)).read()


def asked_of(project: Project, command: str) -> str:
    """All of a project that an answer to ``command`` depends on, besides the data: the key of what was found."""
    return key_text(project.parameters(command))


def _total(command: str, question: Any, table: FrequencyTable | None) -> int | None:
    """How often an answer says that it is further on; None where nobody knows."""
    if table is None:
        return None
    if command == "assess":
        return steps(question, len(table.sensitive))
    if command == "knowledge":
        return int(question.steps(len(table.quasi_identifiers)))
    return int(question.steps) if command == "compare" else None


def waited(
    what: str,
    find: Callable[[Callable[[int], None]], Found],
    total: int | None = None,
    stop: Callable[[], None] | None = None,
) -> Found:
    """What ``find`` finds, with a bar that moves meanwhile; ``find`` gets what it calls when it is further on.

    It works beside the page, in a thread of its own: whoever leaves the page, or moves a control, is not kept waiting,
    and the work ends when it next says that it is further on. ``stop`` is called when somebody presses the button.
    """
    work = _Beside(find)
    place = st.empty()
    if work.join(_AT_ONCE):
        return work.result()
    with place.container():
        bar = st.progress(0.0, text=what)
        if stop is not None:
            st.button("Stop", key=f"stop-{what}", on_click=stop, help="Ends it; nothing is kept of what was begun.")
    began = time.monotonic()
    try:
        while not work.join(_PAUSE):
            passed = time.monotonic() - began
            share = min(work.done / total, 1.0) if total else 0.0
            said = f"{100 * share:.0f} %{_left(passed, share)}" if total else f"{passed:.0f} s so far"
            bar.progress(share, text=f"{what}: {said}")  # where somebody has left, this does not come back
    finally:
        work.unwanted = True
    place.empty()
    return work.result()


class _Left(Exception):  # noqa: N818 - nobody waits for the work any more
    """Ends work whose page was left."""


class _Beside(Generic[Found]):
    """Work in a thread of its own."""

    def __init__(self, find: Callable[[Callable[[int], None]], Found]) -> None:
        self.done = 0
        self.unwanted = False
        self._find = find
        self._found: list[Found] = []
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found.append(self._find(self._further))
        except Exception as problem:  # told by whoever waits
            self._problem = problem

    def _further(self, more: int) -> None:
        if self.unwanted:
            raise _Left
        self.done += more

    def join(self, seconds: float) -> bool:
        """Whether it is done, after so many seconds at most."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> Found:
        """What was found; what went wrong is raised here."""
        if self._problem is not None:
            raise self._problem
        return self._found[0]


def _left(elapsed: float, share: float) -> str:
    """How long it still takes, once there is something to go by."""
    if elapsed < 1.0 or not 0.02 <= share < 1.0:
        return ""
    left = elapsed * (1.0 - share) / share
    return f", about {left:.0f} s left" if left < 90 else f", about {left / 60:.0f} min left"
