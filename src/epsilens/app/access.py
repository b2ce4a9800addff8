"""Who may see the workbench: whoever presents the secret that the command printed."""

from __future__ import annotations

import hmac
import os
import secrets

import streamlit as st

from epsilens.app.server import TOKEN
from epsilens.app.work import Work

WORK = "work"
"""The parameter of the address that finds somebody's work again after a reload."""


@st.cache_resource(show_spinner=False)
def _works() -> dict[str, Work]:
    """Everybody's work, in memory."""
    return {}


def admitted() -> Work | None:
    """The work of whoever presents the secret; None for everybody else, who are told where it is."""
    expected = os.environ.get(TOKEN, "")
    given = st.query_params.get("token") or st.session_state.get("token") or ""
    if not expected or not hmac.compare_digest(given.encode(), expected.encode()):
        st.title("Epsilens")
        st.write("This page needs the address that `epsilens app` printed: it ends in a secret. Copy the whole of it.")
        return None
    st.session_state["token"] = expected
    name = st.query_params.get(WORK) or st.session_state.get(WORK) or secrets.token_urlsafe(12)
    st.session_state[WORK] = name
    st.query_params.update({"token": expected, WORK: name})  # so that a reload finds the work again
    return _works().setdefault(name, Work())
