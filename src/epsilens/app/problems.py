"""What a page says when something goes wrong: one calm sentence, and never a value of people."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from epsilens.app.parts.asking import sentence
from epsilens.app.parts.blocks import plain
from epsilens.errors import EpsilensError

NO_MEMORY = "There is not enough memory for this. Take fewer columns, wider bins or fewer measures."


@contextmanager
def calm() -> Iterator[None]:
    """Whatever goes wrong inside is told in one sentence, and the page stays usable.

    Our own errors carry no values of people and are shown as they are. Of all others only the kind and the place in
    the program are told: their messages may quote data. Nothing is logged, unless EPSILENS_DEBUG asks for it.
    """
    try:
        yield
    except EpsilensError as problem:
        st.error(plain(sentence(problem)))
    except MemoryError:
        st.error(NO_MEMORY)
    except Exception as bug:
        if os.environ.get("EPSILENS_DEBUG"):
            traceback.print_exc()
        st.error(bug_report(bug))


def shown_calmly(problem: Exception) -> bool:
    """The same for what no page caught, as in functions that widgets call."""

    def again() -> None:
        raise problem

    with calm():
        again()
    return True


def bug_report(bug: BaseException) -> str:
    """Where it happened and of what kind, never the message: that might hold data values."""
    frame = traceback.extract_tb(bug.__traceback__)[-1]
    place = f"{Path(frame.filename).name} line {frame.lineno}"
    return plain(
        f"Something went wrong inside Epsilens ({type(bug).__name__}, {place}). What you chose is still there."
    )
