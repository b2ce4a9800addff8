"""Undo and redo, each with what it would do."""

from __future__ import annotations

import streamlit as st

from epsilens.app.work import Work
from epsilens.report.words.project_summary import changed_words


def history(work: Work) -> None:
    """Two buttons side by side; each says which step it takes back or takes again."""
    with st.container(horizontal=True):
        st.button(
            undo_label(work),
            key="undo",
            disabled=not work.past,
            on_click=work.undo,
            help="Take the last choice back. What was released stays released.",
        )
        st.button(
            redo_label(work),
            key="redo",
            disabled=not work.future,
            on_click=work.redo,
            help="Take the choice again that was taken back.",
        )


def undo_label(work: Work) -> str:
    """The step that would be taken back."""
    if not work.past:
        return "Undo"
    return f"Undo: {_literal(changed_words(work.past[-1].sections, work.project.sections))}"


def redo_label(work: Work) -> str:
    """The step that would be taken again."""
    if not work.future:
        return "Redo"
    return f"Redo: {_literal(changed_words(work.project.sections, work.future[-1].sections))}"


def _literal(text: str) -> str:
    """The text for a label, which reads Markdown."""
    from epsilens.app.parts.blocks import plain

    return plain(text)
