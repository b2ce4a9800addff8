"""A field for a number that is kept as it was typed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.errors import EpsilensError


def typed_field(label: str, key: str, shown: str, put: Callable[[str], None], help: str) -> None:  # noqa: A002 - Streamlit's word
    """A field whose text is kept as it was typed; what cannot be taken is said below it, and stays there."""
    wrong = st.session_state.get(f"{key}-wrong")
    if wrong is not None and wrong[2] != shown:  # the project has moved on since
        wrong = None
        st.session_state[f"{key}-wrong"] = None
    st.session_state[key] = shown if wrong is None else wrong[0]

    def moved() -> None:
        text = st.session_state[key]
        st.session_state[f"{key}-wrong"] = None
        try:
            put(text)
        except EpsilensError as problem:
            st.session_state[f"{key}-wrong"] = (text, str(problem), shown)

    st.text_input(label, key=key, on_change=moved, help=help)
    if wrong is not None:
        st.error(plain(wrong[1]))
