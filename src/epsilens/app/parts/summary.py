"""What was chosen so far, in one short paragraph: every page begins with it."""

from __future__ import annotations

from html import escape

import streamlit as st

from epsilens.app.work import Work
from epsilens.report.words.project_summary import summary_rows

STYLE = """<style>
.el-so-far{margin:0;padding:.5rem .8rem;border-left:3px solid currentColor;font-size:.9rem;line-height:1.6}
.el-so-far dt,.el-so-far dd{display:inline;margin:0}
.el-so-far dt{font-weight:600}
.el-so-far dd::after{content:"";display:inline-block;width:1.1em}
.el-so-far div{display:inline;overflow-wrap:anywhere}
</style>"""


def summary(work: Work) -> None:
    """The choices so far, from the project alone: data, roles, bins, harmful values, noise, ceiling, budget, ledger."""
    st.html(f"{STYLE}{summary_html(work)}")


def summary_html(work: Work) -> str:
    """A list of what was chosen; whatever somebody typed is escaped."""
    rows = "".join(
        f"<div><dt>{escape(about)}:</dt> <dd>{escape(said)}</dd></div> "
        for about, said in summary_rows(work.project.sections)
    )
    return f'<dl class="el-so-far" aria-label="Choices so far">{rows}</dl>'
