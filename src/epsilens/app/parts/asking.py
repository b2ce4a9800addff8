"""Asking from a page: what is missing before anything can be asked, answers found once, progress, and errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.app.work import Work
from epsilens.choice.questions.assess import steps
from epsilens.errors import EpsilensError
from epsilens.project import Project
from epsilens.table.frequency import FrequencyTable

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
}
"""What the controls call the parameters that errors speak of."""
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
        with waiting(what, _total(command, asked.question(command), table), stop) as progress:
            return asked.answer(command, table=table, progress=progress)

    return work.once((command, asked_of(asked, command)), find)


def asked_of(project: Project, command: str) -> str:
    """All of a project that an answer to ``command`` depends on, besides the data: the key of what was found."""
    return repr(sorted((name, _plain(value)) for name, value in project.parameters(command).items()))


def _total(command: str, question: Any, table: FrequencyTable | None) -> int | None:
    """How often an answer says that it is further on; None where nobody knows."""
    if table is None:
        return None
    if command == "assess":
        return steps(question, len(table.sensitive))
    if command == "knowledge":
        return int(question.steps(len(table.quasi_identifiers)))
    return int(question.steps) if command == "compare" else None


def _plain(value: Any) -> Any:
    return sorted(value.items()) if isinstance(value, Mapping) else value


@contextmanager
def waiting(
    what: str, total: int | None = None, stop: Callable[[], None] | None = None
) -> Iterator[Callable[[int], None]]:
    """A bar that moves while something is found, and is gone then; leaving the page, or any control, ends the work.

    ``stop`` is called when somebody presses the button beside it.
    """
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, text=what)
        if stop is not None:
            st.button("Stop", key=f"stop-{what}", on_click=stop, help="Ends it; nothing is kept of what was begun.")
        done, began, shown = 0, time.monotonic(), 0.0

    def advance(more: int) -> None:
        nonlocal done, shown
        done += more
        now = time.monotonic()
        if now - shown < _PAUSE:
            return
        shown = now
        if total:
            share = min(done / total, 1.0)
            bar.progress(share, text=f"{what}: {100 * share:.0f} %{_left(now - began, share)}")
        else:
            bar.progress(0.0, text=f"{what}: {done:,} steps so far, {now - began:.0f} s")

    try:
        yield advance
    finally:
        place.empty()


def _left(elapsed: float, share: float) -> str:
    """How long it still takes, once there is something to go by."""
    if elapsed < 1.0 or not 0.02 <= share < 1.0:
        return ""
    left = elapsed * (1.0 - share) / share
    return f", about {left:.0f} s left" if left < 90 else f", about {left / 60:.0f} min left"
