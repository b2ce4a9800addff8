"""The dial as HTML: readable without a script, closed to whatever a name may contain."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions import dial
from epsilens.report.dial import markup
from epsilens.report.words.dial import told
from epsilens.report.words.dial_sentences import Names

NASTY = "</script><img src=x onerror=alert(1)>&\u2028"
TABLE = replace(el.FrequencyTable.from_counts([[5, 0], [3, 1], [0, 2]], ["no", "yes"]), sensitive=(NASTY,))


@pytest.fixture(scope="module")
def payload() -> dict[str, Any]:
    return told(dial.answer(dial.Question(max_risk=0.9), TABLE), Names("<b>Ana</b>"))


def test_it_reads_without_a_script(payload: dict[str, Any]) -> None:
    html = markup.static(payload, 2)
    assert html.startswith('<div class="epsilens-dial" data-epsilens-dial data-level="2">')
    assert "INTERNAL: computed from true data" in html
    for text in ("<h2>What the noise guarantees</h2>", "<h2>What it costs</h2>", "A count of 12 is published between"):
        assert text in html
    assert html.count('<th scope="row">') == len(payload["dials"][0]["budgets"])


def test_no_text_becomes_markup(payload: dict[str, Any]) -> None:
    html = markup.static(payload)
    assert "<img" not in html
    assert "<b>" not in html
    assert html.count("</script>") == 1
    data = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    assert json.loads(data[1]) == payload
    assert not set("<>&\u2028") & set(markup.payload_json(payload))


def test_a_published_dial_has_no_panel_of_the_table() -> None:
    html = markup.static(told(dial.answer(dial.Question(max_risk=0.9), TABLE), publishable=True))
    assert "What happens in this table</h3>" not in html
    assert "INTERNAL:" not in html


def test_the_script_asks_nobody_and_makes_no_markup_of_data() -> None:
    script = markup.script()
    for word in ("innerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(", "XMLHttpRequest"):
        assert word not in script
    assert re.findall(r"https?://[^\"' ]+", script) == ["http://www.w3.org/2000/svg"]
    assert "</script" not in script
    assert "url(" not in markup.style()
    assert "@import" not in markup.style()
    assert markup.start() == "EpsilensDial.mountAll();"


def test_every_word_that_the_script_asks_for_is_there(payload: dict[str, Any]) -> None:
    asked = set(re.findall(r"\bwords\.(\w+)", markup.script()))
    assert asked
    assert asked <= set(payload["words"])


def test_light_dark_print_and_still_are_thought_of() -> None:
    style = markup.style()
    for query in ("prefers-color-scheme: dark", "@media print", "prefers-reduced-motion", "focus-visible"):
        assert query in style
