"""The component: the dial of the report, and a button that alone speaks to the server."""

from __future__ import annotations

from epsilens.app.dial import CSS, HTML, JS
from epsilens.report.dial.markup import script


def test_moving_the_dial_asks_nobody() -> None:
    assert "setStateValue" not in JS
    assert JS.count("setTriggerValue(") == 1
    assert "button.onclick = () => setTriggerValue" in JS


def test_the_button_is_not_there_before_it_says_what_it_takes() -> None:
    assert '<button type="button" hidden></button>' in HTML
    says, shown = JS.index("button.textContent ="), JS.index("button.hidden = false")
    assert says < shown


def test_it_is_the_dial_of_the_report_and_fetches_nothing() -> None:
    assert "EpsilensDial.mount" in JS
    assert "EpsilensDial" in script()
    for text in (HTML, CSS, JS):
        assert "http" not in text
        assert "url(" not in text
