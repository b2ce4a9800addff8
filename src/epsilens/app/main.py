"""The script that Streamlit runs: who is there, which page, what has been chosen so far."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from epsilens.app.access import admitted
from epsilens.app.pages import data
from epsilens.app.work import Work
from epsilens.report.words.common import INTERNAL

PAGES: dict[str, tuple[str, Callable[[Work], None]]] = {
    "data": ("Data", data.page),
}
"""Pages by the end of their address: title and function, in the order of a first visit."""


def main() -> None:
    """One run of the script."""
    st.set_page_config(page_title="Epsilens", layout="wide")
    work = admitted()
    if work is None:
        return
    pages = [
        st.Page(_bound(show, work), title=title, url_path=name, default=name == "data")
        for name, (title, show) in PAGES.items()
    ]
    chosen = st.navigation(pages)
    st.caption(f"**{INTERNAL}**")
    chosen.run()


def _bound(show: Callable[[Work], None], work: Work) -> Callable[[], None]:
    def page() -> None:
        show(work)

    return page


main()
