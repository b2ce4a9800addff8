"""The first page: which data, and what their columns mean."""

from __future__ import annotations

import streamlit as st

from epsilens.app.problems import calm
from epsilens.app.server import UPLOAD_MB
from epsilens.app.uploads import DEMO_ROLES, Upload, demo
from epsilens.app.work import Work


def page(work: Work) -> None:
    """Open data and say what their columns mean."""
    st.title("Data")
    with calm():
        _open(work)
    if work.project.section("data").get("source"):
        with calm():
            _roles(work)


def _open(work: Work) -> None:
    upload, path, invented = st.tabs(["Upload a file", "A file or database", "Demo population"])
    with upload:
        file = st.file_uploader(f"A file of at most {UPLOAD_MB} MB", max_upload_size=UPLOAD_MB, key="upload")
        if file is not None and st.button("Open this upload"):
            work.uploaded = Upload.of(file.name, file.getvalue())
            work.change("data", source=work.uploaded.name, table=None)
    with path, st.form("path", border=False):
        source = st.text_input("Path of a file, or the address of a database")
        table = st.text_input("Table, of a database")
        if st.form_submit_button("Open") and source:
            work.change("data", source=source, table=table or None)
    with invented:
        rows = st.number_input("People", 100, 1_000_000, 5_000)
        if st.button("Open the demo population"):
            work.uploaded = demo(int(rows))
            work.change("data", source=work.uploaded.name, table=None, **DEMO_ROLES)


def _roles(work: Work) -> None:
    from epsilens.table.structure import structure_of

    section = work.project.section("data")
    found = work.latest("structure", work.source_key, lambda: structure_of(work.source, section.get("table")))
    st.write(f"{section['source']}: {found.rows:,} rows, {len(found.columns):,} columns")
    names = [column.name for column in found.columns]
    with st.form("roles"):
        known = st.multiselect("An attacker may know", names, _there(section.get("quasi_identifiers"), names))
        secret = st.multiselect("They want to learn", names, _there(section.get("sensitive"), names))
        if st.form_submit_button("These are the roles"):
            work.change("data", quasi_identifiers=known or None, sensitive=secret or None)
    if work.is_described:
        table = work.table()
        st.write(f"{table.n_records:,} people in {table.n_cells:,} cells, {table.n_labels:,} labels.")


def _there(given: str | list[str] | None, names: list[str]) -> list[str]:
    wanted = given.split(",") if isinstance(given, str) else list(given or ())
    return [name for name in wanted if name in names]
