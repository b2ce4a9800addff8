"""The dial in a real browser: every way to move it, what follows, and how quickly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from epsilens.choice.questions import dial
from epsilens.report.dial import markup
from epsilens.report.words.dial import merged, told
from epsilens.report.words.dial_sentences import Names
from epsilens.table.frequency import FrequencyTable

pytestmark = pytest.mark.integration

FORBIDS = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
TO_REPAINT = """async () => {
    const slider = document.querySelector(".ed-slider"), taken = [];
    for (let move = 0; move < 50; move++) {
        slider.value = String((Number(slider.value) + 7) % (Number(slider.max) + 1));
        const began = performance.now();
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        await new Promise((done) => requestAnimationFrame(() => {
            const painted = new MessageChannel();  // its message comes after the frame is painted
            painted.port1.onmessage = done;
            painted.port2.postMessage(0);
        }));
        taken.push(performance.now() - began);
    }
    return taken;
}"""
AT_WORK = """() => {
    const slider = document.querySelector(".ed-slider"), taken = [];
    for (let move = 0; move < 50; move++) {
        slider.value = String((Number(slider.value) + 7) % (Number(slider.max) + 1));
        const began = performance.now();
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        document.body.getBoundingClientRect();  // with the layout that follows
        taken.push(performance.now() - began);
    }
    return taken;
}"""
IN_A_SHADOW = """([payload, style]) => {
    const host = document.createElement("div"), shadow = host.attachShadow({mode: "open"});
    document.body.replaceChildren(host);
    const look = document.createElement("style"), root = document.createElement("div");
    look.textContent = style;
    root.className = "epsilens-dial";
    shadow.append(look, root);
    window.told = [];
    EpsilensDial.mount(root, payload, {index: 3, onChange: (state) => window.told.push(state)});
}"""


@pytest.fixture(scope="module")
def table() -> FrequencyTable:
    counts = [[1, 0], [3, 0], [0, 2], [8, 1], [40, 9], [0, 1], [4, 0], [30, 30], [12, 0], [500, 80]]
    return FrequencyTable.from_counts(counts, ["no", "yes"])


@pytest.fixture(scope="module")
def payload(table: FrequencyTable) -> dict[str, Any]:
    asked: list[dict[str, Any]] = [{}, {"measure": "hard"}, {"mechanism": "discrete-laplace"}]
    answers = [dial.answer(dial.Question(max_risk=0.05, **more), table) for more in asked]
    return merged([told(answer, Names("Bea", "patients")) for answer in answers])


@pytest.fixture
def opened(payload: dict[str, Any], browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open the page in a context of its own; whatever it asks for and whatever goes wrong fails the test."""
    file, asked, wrong, contexts = tmp_path / "dial.html", list[str](), list[str](), list[Any]()
    file.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Dial</title>'
        f'<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{FORBIDS}"><style>{markup.style()}</style></head>'
        f"<body><main>{markup.static(payload, 2)}</main>"
        f"<script>{markup.script()}{markup.start()}</script></body></html>",
        encoding="utf-8",
    )

    def page(**options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        opened = context.new_page()
        opened.on("request", lambda request: asked.append(request.url))
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        opened.goto(file.as_uri())
        return opened

    yield page
    for context in contexts:
        context.close()
    assert wrong == []
    assert set(asked) == {file.as_uri()}


def _at(page: Any) -> str:
    return str(page.locator(".ed-slider").get_attribute("aria-valuetext"))


def test_keys_move_the_dial_and_every_sentence(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator(".ed-slider").focus()
    page.locator(".ed-box").fill("1")
    page.locator(".ed-box").press("Enter")
    assert _at(page) == "epsilon 1, 73 of 100"
    assert page.get_by_text("27 make the attacker believe that Bea is in it, 73 do not").is_visible()
    assert page.get_by_text("A count of 12 is published between 9 and 15 at least 19 times").is_visible()
    page.locator(".ed-slider").focus()
    moves = {"ArrowRight": "1.2", "ArrowLeft": "1", "PageDown": "0.1", "PageUp": "1", "Home": "0.01", "End": "20"}
    for key, budget in moves.items():
        page.keyboard.press(key)
        assert _at(page).startswith(f"epsilon {budget}, ")
        assert page.locator(".ed-box").input_value() == budget
    assert page.locator(".ed-weak").inner_text() == "Weak guarantee: a belief of 50 % can become 90 % or more."
    assert page.locator(".ed-a .ed-amber").count() > 100
    page.keyboard.press("Home")
    assert page.locator(".ed-weak").inner_text() == ""
    assert page.locator(".ed-amber").count() == 0


def test_a_number_off_the_grid_goes_to_the_nearest_and_says_so(opened: Callable[..., Any]) -> None:
    page = opened()
    box, message = page.locator(".ed-box"), page.locator(".ed-message")
    box.fill("0.77")
    box.press("Enter")
    assert (box.input_value(), _at(page)) == ("0.77", "epsilon 0.8, 69 of 100")
    assert message.inner_text() == "0.77 is not on the dial; the nearest budget is 0.8."
    box.fill("much")
    box.press("Enter")
    assert message.inner_text() == "much is not a number above 0; the dial stays at 0.8."
    page.locator(".ed-slider").press("ArrowRight")
    assert (box.input_value(), message.inner_text()) == ("0.9", "")


def test_the_prior_has_a_slider_of_its_own(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator(".ed-box").fill("1")
    page.locator(".ed-box").press("Enter")
    prior, belief = page.get_by_label("What the attacker believed before"), page.locator(".ed-belief")
    assert prior.get_attribute("aria-valuetext") == "50 %"
    assert belief.inner_text() == "A belief of 50 % can rise to 73 % at most, or fall to 27 %."
    prior.press("Home")
    for _ in range(2):
        prior.press("ArrowRight")
    assert prior.get_attribute("aria-valuetext") == "10 %"
    assert belief.inner_text() == "A belief of 10 % can rise to 23 % at most, or fall to 4 %."


def test_a_pinned_budget_stays_beside_the_other(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator(".ed-box").fill("1")
    page.locator(".ed-box").press("Enter")
    assert page.locator(".ed-compare").is_hidden()
    page.get_by_role("button", name="Pin this budget").click()
    page.locator(".ed-slider").press("PageDown")
    rows = page.locator(".ed-compare tr").all_inner_texts()
    assert rows[0].split("\t")[-2:] == ["Pinned: epsilon 1", "now"]
    assert rows[1:5] == [
        "Budget, epsilon\t1\t0.1",
        "Bea not there: releases that convince\t27 of 100\t48 of 100",
        "Bea there: releases that convince\t73 of 100\t52 of 100",
        "a belief of 50 % can become\t73 %\t52 %",
    ]
    assert page.locator(".ed-a .ed-ghost-line").first.get_attribute("d") == "M0 0H100V20H70V30H0Z"  # 27 of 100
    assert page.locator(".ed-strip .ed-ghost").first.get_attribute("visibility") == "visible"
    assert page.locator(".ed-curve .ed-ghost-line").get_attribute("visibility") == "visible"
    page.get_by_role("button", name="Remove the pin").click()
    assert page.locator(".ed-compare").is_hidden()
    assert page.locator(".ed-strip .ed-ghost").first.get_attribute("visibility") == "hidden"


def test_other_measures_and_mechanisms_keep_the_budget(opened: Callable[..., Any], payload: dict[str, Any]) -> None:
    page = opened()
    page.locator(".ed-box").fill("2")
    page.locator(".ed-box").press("Enter")
    page.get_by_label("Measure").select_option("hard")
    assert _at(page) == "epsilon 2, 88 of 100"
    at = payload["dials"][1]["budget_texts"].index("2")
    assert payload["dials"][1]["table"]["lines"][at]["texts"][0] in page.locator(".ed-b").inner_text()
    page.get_by_label("Mechanism").select_option("discrete-laplace")
    assert page.get_by_label("Measure").input_value() == "local"
    assert page.locator(".ed-noise").inner_text() == "Discrete-laplace noise, add-remove neighbours."
    assert page.evaluate("document.activeElement.id").endswith("-mechanism")


def test_sentences_can_be_copied(opened: Callable[..., Any]) -> None:
    page = opened()
    page.get_by_role("button", name="Copy sentences").click()
    page.wait_for_function("() => document.querySelector('.ed-message').textContent !== ''")
    text = page.evaluate("document.querySelector('[data-epsilens-dial]').epsilensDial.text()")
    assert "possible releases" in text
    assert "INTERNAL: computed from true data" in text


def test_it_follows_within_a_frame(opened: Callable[..., Any], record_property: Callable[..., None]) -> None:
    page = opened()
    for name, measured in (("to the repaint", TO_REPAINT), ("of work", AT_WORK)):
        taken = page.evaluate(measured)
        assert len(taken) == 50
        record_property(f"dial, milliseconds {name}, median of 50", median(taken))
        print(f"dial: {median(taken):.1f} ms {name} in the median of 50, {max(taken):.1f} ms at most")


def test_it_is_one_element_wide_or_narrow(opened: Callable[..., Any]) -> None:
    for width in (1280, 640, 400, 320):
        page = opened(viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_reads_without_a_script(opened: Callable[..., Any]) -> None:
    text = opened(java_script_enabled=False).locator("main").inner_text()
    assert "possible releases" in text
    assert "A count of 12 is published between" in text


def test_it_lives_in_a_shadow_root(opened: Callable[..., Any], payload: dict[str, Any]) -> None:
    page = opened()
    page.evaluate(IN_A_SHADOW, [payload, markup.style()])
    slider = page.locator(".ed-slider")
    assert slider.input_value() == "3"
    slider.press("ArrowRight")
    assert page.evaluate("window.told.map((state) => state.index)") == [4]
    page.get_by_role("button", name="Pin this budget").click()
    assert page.locator(".ed-compare").is_visible()
