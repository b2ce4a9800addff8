"""The columns of the data: names, kinds, numbers of values; rows only for somebody who asks to see them."""

from __future__ import annotations

import streamlit as st

from epsilens.app.parts.blocks import show
from epsilens.app.work import Work
from epsilens.report.words.common import Grid, Note, number
from epsilens.table.column_facts import Structure
from epsilens.table.structure import first_rows
from epsilens.table.suggested_roles import Suggestion

MOST_LISTED = 60
"""Columns that are listed at once; of wider tables those come first that have a suggestion."""
ROWS_SHOWN = 5
MOST_COLUMNS_SHOWN = 30
ROLES = {
    "known": "others may know it",
    "sensitive": "they want to learn it",
    "count": "counts people",
    "weight": "survey weight",
    "unit": "names the person",
    "unused": "not used",
}
"""What a role is called on the page."""


def columns(found: Structure, suggestions: tuple[Suggestion, ...]) -> None:
    """How many rows, and every column with what its name and its number of values suggest."""
    about = "" if found.exact else "about "
    by_name = {one.column: one for one in suggestions}
    listed = sorted(found.columns, key=lambda column: by_name[column.name].role == "unused")[:MOST_LISTED]
    rows = [
        (
            column.name,
            column.kind,
            ROLES[by_name[column.name].role],
            by_name[column.name].reason,
            f"{about}{number(column.distinct)}",
            number(column.missing),
        )
        for column in listed
    ]
    headings = ("Column", "Kind", "Suggested", "Because", "Values", "Missing")
    title = f"{number(found.rows)} rows, {number(len(found.columns))} columns"
    left = len(found.columns) - len(listed)
    more = [Note(f"{number(left)} more columns, for which nothing is suggested, can be chosen below.")] if left else []
    show([Grid(title, headings, rows, words=4), *more])


def rows_if_asked(work: Work, found: Structure) -> None:
    """The first rows, for somebody who says that they may see them; they are forgotten with the next click."""
    with st.expander("Look at the first rows"):
        st.write(
            "Rows are about single people: whoever looks over your shoulder, or gets a picture of your screen, learns "
            "what is in them. Nothing on this page needs them."
        )
        if st.button("I may see people's data: show the rows", key="show-rows"):
            table = work.project.section("data").get("table")
            head = first_rows(work.source, table, ROWS_SHOWN)
            names = list(head)[:MOST_COLUMNS_SHOWN]
            lines = list(zip(*(head[name] for name in names), strict=True)) if names else []
            show([Grid(f"The first {len(lines)} rows", names, lines, words=len(names))])
            if len(found.columns) > len(names):
                st.write(f"The first {len(names)} of {number(len(found.columns))} columns.")
