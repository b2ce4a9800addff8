"""What Streamlit runs for every click: who is there, which page, what has been chosen so far."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import streamlit as st

from epsilens.app.access import admitted
from epsilens.app.parts.history import history
from epsilens.app.parts.summary import summary
from epsilens.app.problems import calm
from epsilens.app.work import Work
from epsilens.report.words.common import INTERNAL

PAGES: dict[str, str] = {
    "data": "Data",
    "today": "Today's risk",
    "dial": "The dial",
    "choose": "Choose a budget",
    "compare": "Compare",
    "adversary": "The Bayesian adversary",
    "knowledge": "Attackers who know less",
    "release": "Release",
    "downloads": "Take away",
}
"""Titles of pages by their module in ``pages``, which is also the end of their address, in the order of a first visit.

A module has one function ``page(work)``; it is imported when somebody opens the page.
"""

STYLE = """<style>
[data-testid="stVegaLiteChart"] :is(svg,canvas){max-width:100%;height:auto!important}
[data-tag],[data-testid^="stBaseButton-primary"]:enabled{background-color:#0b5394!important;color:#fff!important}
</style>"""
"""A chart that is wider than the window is drawn smaller; what is chosen can be read in the dark as well."""


def main() -> None:
    """One run of the script."""
    st.set_page_config(page_title="Epsilens", layout="wide")
    work = admitted()
    if work is None:
        return
    pages = [
        st.Page(_bound(name, work), title=title, url_path=name, default=name == "data") for name, title in PAGES.items()
    ]
    chosen = st.navigation(pages)
    st.set_page_config(page_title=f"{chosen.title} - Epsilens")
    st.html(STYLE)
    st.markdown(f"**{INTERNAL}**")
    with calm():
        summary(work)
        history(work)
    with calm(), work.engine().used():
        chosen.run()


def _bound(name: str, work: Work) -> Callable[[], None]:
    def page() -> None:
        import_module(f"epsilens.app.pages.{name}").page(work)

    return page
