"""The first page: which data, and what their columns mean."""

from __future__ import annotations

import streamlit as st

from epsilens.app.data.columns import columns, rows_if_asked
from epsilens.app.data.declarations import declarations, rows_read
from epsilens.app.data.opening import opening, structure
from epsilens.app.data.project_file import project_file
from epsilens.app.data.roles import roles
from epsilens.app.parts.blocks import plain
from epsilens.app.problems import calm
from epsilens.app.work import Work
from epsilens.report.words.common import number
from epsilens.table.suggested_roles import suggested

WHERE_DATA_GO = (
    "What would others learn about the people in a table if its counts were published, and how much noise protects "
    "them? Open the table here, say what its columns mean, and go through the pages on the left. Everything stays on "
    "this machine: uploads in memory, nothing is sent, and a file is written only where you say so. Pages show what is "
    "computed from true data: whoever sees your screen sees it too."
)
"""What somebody must know before they open people's data."""


def page(work: Work) -> None:
    """Open data and say what their columns mean."""
    st.title("Data", anchor=False)
    st.write(WHERE_DATA_GO)
    while work.told:
        st.warning(plain(work.told.pop(0)))
    st.header("Which data", anchor=False)
    opening(work)
    with calm():
        project_file(work)
    if not work.project.section("data").get("source"):
        return
    with calm():
        _described(work)


def _described(work: Work) -> None:
    """Columns and roles of the data that are open; a source that cannot be read is said once, above all of it."""
    _warn_of_change(work)
    found = structure(work)
    guesses = suggested(found)
    st.header("What the columns are", anchor=False)
    columns(found, guesses)
    rows_if_asked(work, found)
    st.header("What they mean", anchor=False)
    with calm():
        roles(work, found, guesses)
    with calm():
        rows_read(work)
    if not work.is_described:
        st.info("Confirm the roles to go on: which columns others may know, and what they want to learn.")
        return
    with calm():
        table = work.table()
        for warning in work.warned:
            st.warning(plain(warning[:1].upper() + warning[1:] + "."))
        declarations(work, table)
        st.success(
            f"The table can be read: {counted(table.n_records, 'person', 'people')} in "
            f"{counted(table.n_cells, 'cell', 'cells')}. "
            "Go on with the page Today's risk."
        )


def counted(number_of: int, one: str, several: str) -> str:
    """How many there are, in words that fit the number."""
    return f"{number(number_of)} {one if number_of == 1 else several}"


def _warn_of_change(work: Work) -> None:
    """A project may have been saved for data that are others now."""
    key = (work.source_key, work.project.section("data").get("fingerprint"))
    day = None if work.is_held else work.latest("changed", key, work.project.changed)
    if day is not None:
        st.warning(
            plain(f"The data have changed since {day}, when the project was saved. Save it again if that is right.")
        )
