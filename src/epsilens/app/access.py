"""Who may see the workbench: whoever presents the secret that the command printed."""

from __future__ import annotations

import os

import streamlit as st

from epsilens.app.gate import ADVICE, PARAMETER, cookie_name, cookie_value, is_secret
from epsilens.app.opened import first_work
from epsilens.app.server import PORT, TOKEN
from epsilens.app.work import Work
from epsilens.app.works import Works

WORK = "work"
"""The parameter of the address that finds somebody's work again after a reload."""
GONE = "The work of this address is not here any more: the workbench was started again, or it is too old."
WORKS = Works(first_work)
"""Everybody's."""


def admitted() -> Work | None:
    """The work of whoever presents the secret; None for everybody else, who are told where it is.

    The gate in front of the server has asked before; a session is asked again, so that neither has to trust the other.
    It has to show more than the cookie, which other programs of this machine may have been sent: the secret itself, or
    the name of a work that is here.
    """
    if not _presented():
        st.title("Epsilens")
        if st.query_params.get(WORK):
            st.info(GONE)
        st.write(ADVICE)
        return None
    asked = st.query_params.get(WORK, "") or st.session_state.get(WORK, "")
    found = WORKS.find(asked)
    if found is None:
        if asked and asked == st.query_params.get(WORK):
            st.info(GONE)
        asked = WORKS.begin()
        found = WORKS.find(asked)
    st.session_state[WORK] = asked
    if st.query_params.get(WORK) != asked:
        st.query_params[WORK] = asked  # so that a reload finds the work again
    if PARAMETER in st.query_params:
        del st.query_params[PARAMETER]  # the browser has a cookie by now; a secret should not stay in view
    return found


def _presented() -> bool:
    secret = os.environ.get(TOKEN, "")
    if st.session_state.get(PARAMETER) is True:
        return True
    cookie = st.context.cookies.get(cookie_name(int(os.environ.get(PORT, "0"))), "")
    shown = is_secret(_asked(PARAMETER), secret) or (
        is_secret(str(cookie), cookie_value(secret)) and WORKS.find(_asked(WORK)) is not None
    )
    st.session_state[PARAMETER] = shown
    return shown


def _asked(name: str) -> str:
    return str(st.query_params.get(name, ""))
