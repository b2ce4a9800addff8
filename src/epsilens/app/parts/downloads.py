"""Things to take away: each with one sentence that says what it is, and whether it may be published.

Bytes are made when somebody asks for them, in memory: no file is written on the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.errors import EpsilensError

KEPT_INSIDE = "INTERNAL"
PUBLISHABLE = "PUBLISHABLE"
OUR_MISTAKE = "this could not be made, by an error of Epsilens itself"


@dataclass(frozen=True)
class Download:
    """One file to take away."""

    key: str
    label: str
    """What the button says."""
    name: str
    """The name that the browser saves it under."""
    mime: str
    words: str
    """One sentence: what it is, and what it is for."""
    internal: bool
    """Whether anything in it is computed from true data, or tells where they are."""
    make: Callable[[], bytes]
    missing: str | None = None
    """Why it cannot be made yet."""

    @property
    def mark(self) -> str:
        """Whether it may be published, in a word."""
        return KEPT_INSIDE if self.internal else PUBLISHABLE

    def made(self) -> bytes:
        """Its bytes; where they cannot be made the file says why, in one line without anybody's values.

        Streamlit asks for them outside of the page, where whatever is raised would end in its log.
        """
        try:
            return self.make()
        except EpsilensError as problem:
            return f"{problem}\n".encode()
        except Exception:
            return f"{OUR_MISTAKE}\n".encode()


def offer(downloads: Iterable[Download]) -> None:
    """The files one below the other, each with its sentence and its button."""
    for one in downloads:
        words, button = st.columns([3, 1], vertical_alignment="center")
        with words:
            st.markdown(f"**{one.mark}** · {plain(one.words)}")
            if one.missing is not None:
                st.markdown(f"*Not yet: {plain(one.missing)}*")
        with button:
            st.download_button(
                one.label,
                one.made,
                file_name=one.name,
                mime=one.mime,
                key=f"take-{one.key}",
                on_click="ignore",
                disabled=one.missing is not None,
                width="stretch",
            )
