"""Blocks of words as Streamlit elements: what :mod:`epsilens.report.words` says, and not a word of its own.

Sentences name columns and values of people's data, which may read like Markdown or HTML: all of it is escaped, and
tables are static ones that a screen reader can walk through, with nothing to download.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from epsilens.report.words.common import Block, Grid, Heading, Note, Text, Verdict

STYLE = """<style>
.el p{margin:0 0 .45rem 0;max-width:62rem;line-height:1.5}
.el .el-note{opacity:.8;font-size:.875rem;margin-bottom:.25rem}
.el .el-note + p:not(.el-note){margin-top:.6rem}
.el .el-scroll{overflow-x:auto;margin:.35rem 0 .9rem 0}
.el table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
.el caption{text-align:left;font-weight:600;padding:.2rem 0;white-space:nowrap}
.el th,.el td{padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:top;border:none}
.el thead th{border-bottom:1px solid currentColor;font-weight:600;vertical-align:bottom}
.el tbody tr{border-bottom:1px solid rgba(128,128,128,.25)}
.el tbody th{font-weight:400;min-width:6rem}
.el tbody td:not(.el-number){min-width:5rem}
.el .el-number{text-align:right;white-space:nowrap}
.el .el-mark{display:inline-block;min-width:1.6em;font-weight:700}
[data-testid="stVegaLiteChart"]{max-width:100%;overflow-x:auto}
</style>"""
"""Colours are those of the page, light or dark; a wide table or chart scrolls in a frame of its own."""

_MARKDOWN = re.compile(r"([\\`*{}\[\]()#+.!|<>$~:&\"'=/]|(?<![^\W_])[_-]|[_-](?![^\W_]))")
"""What Markdown may read as more than text. Within a word ``_`` and ``-`` are text anyway, and are left as they are:
names of controls, which screen readers say, keep the backslashes."""


def show(blocks: Iterable[Block], level: int = 3) -> None:
    """The blocks, one below the other: a heading becomes one of the page, all that is between two one element.

    ``level`` is that of the headings: 2 below the title of a page, 3 below a heading of its own.
    """
    between: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            _show_between(between)
            between = []
            (st.header if level == 2 else st.subheader)(plain(block.text), anchor=False)
        else:
            between.append(block)
    _show_between(between)


def _show_between(blocks: Sequence[Block]) -> None:
    body = html_of(blocks)
    if body:
        st.html(f'{STYLE}<div class="el">{body}</div>')


def html_of(blocks: Iterable[Block]) -> str:
    """The blocks as HTML with every text escaped; blank lines are left to the style."""
    return "".join(_html(block) for block in blocks)


def _html(block: Block) -> str:
    if isinstance(block, Grid):
        return table_html(block)
    if isinstance(block, Heading):
        return f"<h3>{escape(block.text)}</h3>"
    if isinstance(block, Note):
        return f'<p class="el-note">{escape(block.text)}</p>'
    if isinstance(block, Verdict):
        return f'<p><span class="el-mark">{escape(block.mark)}</span> {escape(block.text)}</p>'
    assert isinstance(block, Text)
    return f"<p>{escape(block.text)}</p>" if block.text.strip() else ""


def table_html(grid: Grid) -> str:
    """The grid as a table that says whose row and whose column each number is."""
    title = escape(grid.title)
    head = "".join(
        f'<th scope="col"{_aligned(j, grid)}>{escape(_in_one_line(heading))}</th>'
        if heading.strip()
        else f"<td{_aligned(j, grid)}></td>"
        for j, heading in enumerate(grid.headings)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row"{_aligned(j, grid)}>{escape(text)}</th>'
            if j == 0 and text.strip()
            else f"<td{_aligned(j, grid)}>{escape(text)}</td>"
            for j, text in enumerate(row)
        )
        + "</tr>"
        for row in grid.rows
    )
    named = f' aria-label="{title or "Table"}"'
    caption = f"<caption>{title}</caption>" if title else ""
    return (
        f'<div class="el-scroll" role="region" tabindex="0"{named}><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _aligned(column: int, grid: Grid) -> str:
    return "" if column < grid.words else ' class="el-number"'


def _in_one_line(heading: str) -> str:
    return heading.replace("-\n", "-").replace("\n", " ")


def plain(text: str) -> str:
    """The text for an element that reads Markdown, with all of it taken literally."""
    return _MARKDOWN.sub(r"\\\1", text)
