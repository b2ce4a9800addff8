"""The first page: which data, and what their columns mean."""

from __future__ import annotations

import streamlit as st

from epsilens.app.work import Work


def page(work: Work) -> None:
    """Open data and say what their columns mean."""
    st.header("Data")
    source = st.text_input(
        "Path of a file, or the address of a database", work.project.section("data").get("source", "")
    )
    if source:
        work.change("data", source=source)
    st.write(dict(work.project.section("data")))
