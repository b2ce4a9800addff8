"""Blocks in the workbench: all text escaped, tables that say whose number each is, no options of commands."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from streamlit.testing.v1 import AppTest

from epsilens.app.parts.blocks import html_of, plain, table_html
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, Verdict

GRID = Grid("Risk <by> value", ("a<b", "worst\noff", "marginal-\nshrinkage"), [("x & y", "1.0 %", "2")], words=1)


class Tags(HTMLParser):
    """What elements there are, with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_table_has_a_caption_and_heads_that_say_what_they_are_of() -> None:
    read = Tags(table_html(GRID))
    assert [attributes.get("scope") for tag, attributes in read.found if tag == "th"] == ["col", "col", "col", "row"]
    assert read.texts == ["Risk <by> value", "a<b", "worst off", "marginal-shrinkage", "x & y", "1.0 %", "2"]
    frame = dict(read.found)["div"]
    assert (frame["role"], frame["tabindex"], frame["aria-label"]) == ("region", "0", "Risk <by> value")


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "</p><script>1</script>", "a & b"])
def test_every_text_is_escaped(text: str) -> None:
    blocks: list[Block] = [Text(text), Note(text), Verdict(text, "bad", text), Grid(text, [text], [[text]])]
    read = Tags(html_of(blocks))
    ours = {"p", "span", "div", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in read.found} <= ours
    assert read.texts.count(text) >= 6


def test_blank_lines_are_left_to_the_style() -> None:
    assert html_of([BLANK, Text(" ")]) == ""


def test_markdown_is_taken_literally() -> None:
    assert plain("_a_ *c* $d$ :red[e]") == r"\_a\_ \*c\* \$d\$ \:red\[e\]"
    assert plain("birth_year: b-c -> d--e") == r"birth_year\: b-c \-\> d\-\-e"  # as screen readers say it


def _page(level: int) -> None:
    from epsilens.app.parts.blocks import show
    from epsilens.report.words.common import Heading, Text

    show([Text("before"), Heading("a_b"), Text("one"), Text("two")], level)


@pytest.mark.parametrize(("level", "kind"), [(2, "header"), (3, "subheader")])
def test_headings_are_those_of_the_page_and_what_is_between_them_one_element(level: int, kind: str) -> None:
    app = AppTest.from_function(_page, args=(level,)).run()
    assert [heading.value for heading in getattr(app, kind)] == ["a_b"]
    assert [element.proto.body.count("<p>") for element in app.get("html")] == [1, 2]
