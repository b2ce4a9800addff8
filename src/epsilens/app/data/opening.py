"""Ways to open data: an upload, a path or the address of a database, the demo population."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from epsilens.app.problems import calm
from epsilens.app.server import UPLOAD_MB
from epsilens.app.uploads import DEMO_NAME, DEMO_ROLES, Upload, demo
from epsilens.app.work import Work
from epsilens.errors import SourceError
from epsilens.project.keys import ENGINE_KEYS
from epsilens.project.paths import moved
from epsilens.project.values import texts_of
from epsilens.table.column_facts import Structure
from epsilens.table.engine import overruled
from epsilens.table.structure import structure_of

OF_FILES = ("engine", "spark_master")
"""What is said of an engine that reads files; what is held in memory, the embedded one reads."""
FORMATS = ["csv", "tsv", "txt", "gz", "parquet", "pq"]
DEMO_ROWS = 5_000
MOST_DEMO_ROWS = 1_000_000
COLUMNS_OF = ("quasi_identifiers", "sensitive", "count", "unit", "weight")
"""What names columns in a project."""


def opening(work: Work) -> None:
    """The ways to open data, side by side; what cannot be opened changes nothing."""
    upload, place, invented = st.tabs(["Upload a file", "A path or a database", "The demo population"])
    with upload, calm():
        _by_upload(work)
    with place, calm():
        _by_place(work)
    with invented, calm():
        _by_demo(work)


def structure(work: Work) -> Structure:
    """The structure of the data that are open, found once."""
    section = work.project.section("data")
    absent = tuple(texts_of(section["missing_values"])) if "missing_values" in section else ()

    def find() -> Structure:
        with st.spinner("Looking at the columns ..."):
            return structure_of(work.source, section.get("table"), absent)

    key = (work.source_key, absent) if absent else work.source_key
    found: Structure = work.latest("structure", key, find)
    return found


def _by_upload(work: Work) -> None:
    turn = st.session_state.get("uploads", 0)
    file = st.file_uploader(
        f"A CSV or Parquet file of at most {UPLOAD_MB} MB",
        type=FORMATS,
        max_upload_size=UPLOAD_MB,
        key=f"upload-{turn}",
        help="The file stays in the memory of this machine and is not written anywhere; it is gone when the workbench "
        "ends. Larger files are opened by their path.",
    )
    if file is not None and st.button("Open this file", key="open-upload", type="primary"):
        open_upload(work, Upload.of(file.name, file.getvalue()))
        st.session_state["uploads"] = turn + 1  # a new control: Streamlit lets go of its own copy of the file
        st.rerun()


def _by_place(work: Work) -> None:
    with st.form("place", border=False):
        source = st.text_input(
            "Path, pattern or address",
            placeholder="/data/people.csv, /data/part-*.parquet, duckdb:///data/people.db, postgresql://host/name",
            help="A file on this machine, several files by a pattern, or the address of a database.",
        )
        table = st.text_input("Table", help="Only of a database: the table or view to read.")
        if st.form_submit_button("Open", type="primary"):
            open_place(work, source, table)
            st.rerun()


def _by_demo(work: Work) -> None:
    st.write("Invented people in blocks, block groups, tracts and counties, to try things out. Nobody is real.")
    rows = st.number_input(
        "How many people", 100, MOST_DEMO_ROWS, DEMO_ROWS, 1_000, help="The first people are the same, however many."
    )
    st.write(f"`epsilens demo --rows {int(rows)} --write {DEMO_NAME}` writes the same people to a file.")
    if st.button("Open the demo population", key="open-demo", type="primary"):
        with st.spinner("Inventing people ..."):
            people = demo(int(rows))
        work.hold(people)
        work.change("data", **{**_emptied(work, OF_FILES), "source": people.name, **DEMO_ROLES})
        st.rerun()


def open_upload(work: Work, upload: Upload) -> None:
    """Take an upload for the data, if it can be read."""
    with work.engine(OF_FILES).used():
        found = structure_of(upload.held)
    work.hold(upload)
    _take(work, upload.name, None, found, OF_FILES)


def open_place(work: Work, source: str, table: str = "") -> None:
    """Take a path or an address for the data, if it can be read."""
    named = source.strip().strip('"')
    if not named:
        raise SourceError("no path is given", remedy="type the path of a file, or the address of a database")
    others = overruled(work.project.section("data"), {"source": named})
    with work.engine(others).used():
        found = structure_of(named, table.strip() or None)
    place = moved(named, "", work.project.folder)
    work.hold_none_as(place)
    _take(work, place, table.strip() or None, found, others)


def _take(work: Work, source: str, table: str | None, found: Structure, others: Collection[str]) -> None:
    """Take the data; roles of columns stay where the columns are there, as when a project's file is opened again.

    What is said of an engine that does not read them does not stay.
    """
    names = {column.name for column in found.columns}
    kept = columns_of(work.project.section("data")) <= names
    changed: dict[str, Any] = dict.fromkeys(others) if kept else _emptied(work, others)
    work.change("data", **{**changed, "source": source, "table": table, "fingerprint": None})
    work.forget()
    if "missing_values" not in work.project.section("data"):
        work.latest("structure", work.source_key, lambda: found)  # large data are looked at once


def columns_of(section: Mapping[str, Any]) -> set[str]:
    """All columns that the data section of a project gives a role."""
    return {name for role in COLUMNS_OF for name in named(section.get(role))}


def named(given: str | Collection[str] | None) -> list[str]:
    """Names of columns, given as a list or as a text with commas."""
    return [part.strip() for part in given.split(",")] if isinstance(given, str) else list(given or ())


def _emptied(work: Work, others: Collection[str]) -> dict[str, Any]:
    """Nothing said of the data, but for the engine that reads them."""
    return dict.fromkeys({*work.project.section("data")} - ({*ENGINE_KEYS} - {*others}))
