from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

import altair as alt
import pytest

from epsilens.report.page import render as rendering
from epsilens.report.page.figures import figure
from epsilens.report.page.parts import Code, Dial, Figure, Folded, Page, Part, Points, Section, Terms
from epsilens.report.page.render import PUBLISHABLE, policy, render, specification_of
from epsilens.report.script_json import json_for_a_script
from epsilens.report.words.common import INTERNAL, Grid, Heading, Note, Text, Verdict
from tests.support.page_reader import check_order_of, read_page

EVIL = '</script><script>alert("x")</script><img src=x onerror=alert(1)>'


def drawn(title: str = "Risk") -> Figure:
    rows = [{"x": 0.1, "y": 1 / 3, "name": EVIL}]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_line().encode(x="x:Q", y="y:Q", color="name:N")
    return figure(chart.properties(title=title))


def page(*parts: Part, internal: bool = True) -> Page:
    return Page("Title", [Section("First", parts, internal), Section("Second", [Text("words")], internal)], internal)


@pytest.fixture(autouse=True)
def bundle(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """A small one in place of the real one, which takes seconds; what is given makes the real one."""
    real = rendering._bundle
    monkeypatch.setattr(rendering, "_bundle", lambda: "window.vegaEmbed = null;")
    return real


def test_every_block_becomes_html_that_says_the_same() -> None:
    parts: list[Part] = [
        Heading("A heading"),
        Text("A sentence.", indent=2),
        Text(),
        Note("A remark."),
        Verdict("warning", "bad", "It is so."),
        Grid("A table", ("name", "a\nnumber", "long-\nname"), [("x", "1", "2")], words=1),
        Grid("", ("only",), [("7",)]),
        Code("The command", "epsilens demo <x>", "shell"),
        Terms([("term", "what it is")]),
        Points(["one", "two"]),
        Folded("Show them", [Text("hidden words")], "It is sensitive."),
        drawn(),
    ]
    html = render(page(*parts))
    found = read_page(html)
    check_order_of(found.headings)
    for said in ("A sentence.", "A remark.", "warning: It is so.", "term what it is", "hidden words", "sensitive."):
        assert said in found.text
    assert ["name", "a number", "long-name"] in found.rows
    assert ["x", "1", "2"] in found.rows
    assert "epsilens demo &lt;x&gt;" in html
    assert found.figures == [{"described": 1, "tables": 1, "captions": 1}]
    assert next(row[1:] for row in found.rows if row[0] == EVIL) == ["0.1", "0.3333333333333333"]
    captions = re.findall(r"<caption[^>]*>([^<]+)</caption>", html)
    assert captions == ["A table", "First", "Curves"]
    assert ("html", {"lang": "en"}) in found.attributes
    links = {values["href"] for tag, values in found.attributes if tag == "a"}
    assert links == {"#content", "#first", "#second"}


def test_nothing_that_is_said_can_become_markup_or_script() -> None:
    html = render(Page(EVIL, [Section(EVIL, [Text(EVIL), Grid(EVIL, (EVIL,), [(EVIL,)]), drawn(EVIL)])]))
    assert "<img" not in html
    assert html.count("<script") == html.count("</script>") == 4  # three of ours and one chart
    assert json_for_a_script(EVIL).count("<") == 0


def test_a_page_says_bold_whether_it_is_internal_and_so_does_every_chart() -> None:
    html = render(page(drawn()))
    assert html.count(f"<strong>{INTERNAL}</strong>") == 3  # above, below, and on every sheet of paper
    assert '"text":["INTERNAL: Risk"]' in html
    public = render(page(drawn(), internal=False))
    assert INTERNAL not in public
    assert "INTERNAL: Risk" not in public
    assert f"<strong>{PUBLISHABLE}</strong>" in public
    untitled = specification_of({"mark": "bar", "$schema": "https://x"}, "said", internal=True)
    assert untitled["title"]["text"] == "INTERNAL"
    assert "$schema" not in untitled
    assert untitled["description"] == "said"


def test_the_policy_admits_no_request_and_only_scripts_of_the_page() -> None:
    html = render(page(drawn()))
    rules = read_page(html).policy.split("; ")
    assert "default-src 'none'" in rules
    assert {"form-action 'none'", "base-uri 'none'"} <= set(rules)
    assert "unsafe-eval" not in html
    inline = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in inline}
    assert hashes == set(re.findall(r"'sha256-([^']+)'", html.replace("&#39;", "'")))
    assert policy([]).count("script-src 'none'") == 1


def test_the_bundle_is_there_once_for_all_charts_and_names_no_place_outside(
    bundle: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "_bundle", bundle)
    html = render(page(drawn(), drawn("Again")))
    assert html.count("window.vegaEmbed=") == 1
    assert len(html) < 1_000_000
    attributes = read_page(html).attributes
    assert [row for row in attributes if row[1].get("id", "").startswith("vega-chart")] != []
    assert [row for row in attributes if {"src", "srcset", "action"} & row[1].keys()] == []
    assert [row for row in attributes if not (row[1].get("href") or "#").startswith("#")] == []


def test_a_page_without_charts_has_no_bundle_and_one_of_one_section_no_contents() -> None:
    html = render(Page("Title", [Section("Only", [Text("words")])]))
    assert "vegaEmbed" not in html
    assert "<nav" not in html


def test_a_dial_comes_with_its_script_and_style_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from epsilens.report.dial import markup

    monkeypatch.setattr(markup, "static", lambda _payload: "<div data-epsilens-dial>Ana</div>")
    html = render(page(Dial({}), Folded("more", [Dial({})])))
    assert html.count("<div data-epsilens-dial>Ana</div>") == 2
    assert html.count(markup.script()) == 1
    assert html.count(markup.style()) == 1
    assert f"<script>{markup.start()}</script>" in html


def test_sections_of_one_name_have_anchors_of_their_own() -> None:
    html = render(Page("Title", [Section("Same", []), Section("Same", []), Section("§", [])]))
    assert re.findall(r'<h2 id="([^"]+)"', html) == ["same", "same-2", "section"]


def test_a_chart_that_is_folded_is_drawn_as_well() -> None:
    html = render(Page("Title", [Section("Only", [Folded("More", [drawn()])])]))
    assert "window.vegaEmbed" in html
