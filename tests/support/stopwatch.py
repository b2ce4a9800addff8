"""How long a browser takes, by its own clock: from a hand on a control to what is painted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from statistics import median
from typing import Any

MEASUREMENTS = "EPSILENS_MEASUREMENTS"
"""The variable that names a JSON file for what was measured; without it nothing is written."""
REPAINT = """async ([dial, steps]) => {
    const text = () => dial.getAttribute("aria-valuetext") ?? "";
    const taken = [];
    let unmoved = 0;
    for (let step = 0; step < steps; step++) {
        const [low, high, at] = [Number(dial.min), Number(dial.max), Number(dial.value)];
        const before = text();
        dial.value = String(at + 1 > high ? low : at + 1);
        const began = performance.now();
        dial.dispatchEvent(new Event("input", {bubbles: true}));
        await new Promise((resolve) => requestAnimationFrame(() => {
            const painted = new MessageChannel();  // its message is a task: it comes after the frame is painted
            painted.port1.onmessage = resolve;
            painted.port2.postMessage(0);
        }));
        taken.push(performance.now() - began);
        unmoved += text() === before ? 1 : 0;
    }
    return [taken, unmoved];
}"""
WATCH = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const note = (touched) => { window.noted = {touched, changed: null, done: null, runs: 0}; };
    const touch = () => note(performance.now());
    note(null);
    for (const kind of ["click", "change", "keydown"]) document.addEventListener(kind, touch, true);
    new MutationObserver(() => {
        if (app.dataset.testScriptState !== "notRunning") { window.noted.runs += 1; window.noted.done = null; }
        else if (window.noted.runs > 0) requestAnimationFrame(() => { window.noted.done = performance.now(); });
    }).observe(app, {attributes: true, attributeFilter: ["data-test-script-state"]});
    new MutationObserver(() => requestAnimationFrame(() => { window.noted.changed = performance.now(); }))
        .observe(app, {subtree: true, childList: true, characterData: true});
}"""
SHOWN = """() => {
    const {changed, done, runs} = window.noted;
    return done !== null || (runs === 0 && changed !== null && performance.now() - changed > 1000);
}"""
"""The answer is there: a run has ended, or was over before a busy browser drew that it had begun, and all is quiet."""


def repaints(dial: Any, steps: int = 40) -> list[float]:
    """Milliseconds from moving a slider by one step to the frame that shows it; every step moved its text."""
    taken, unmoved = dial.evaluate(f"(dial, steps) => ({REPAINT})([dial, steps])", steps)
    assert unmoved == 0
    return list(taken)


def watch(page: Any) -> None:
    """Begin to note when somebody touches a control and when the server's answer is shown."""
    page.evaluate(WATCH)


def round_trip(page: Any, timeout: float = 60_000) -> float:
    """Milliseconds from the last touch of a control to the frame that shows all of the server's answer."""
    page.wait_for_function(SHOWN, timeout=timeout)
    page.wait_for_timeout(60)  # a second run that follows at once belongs to the same touch
    page.wait_for_function(SHOWN, timeout=timeout)
    taken: float = page.evaluate("() => (window.noted.done ?? window.noted.changed) - window.noted.touched")
    return taken


class Line:
    """The line to the server, timed by the browser: from the question to the last of the answer."""

    def __init__(self, page: Any) -> None:
        self.sent: float | None = None
        self.received = 0.0
        session = page.context.new_cdp_session(page)
        session.on("Network.webSocketFrameSent", self._note_question)
        session.on("Network.webSocketFrameReceived", self._note_answer)
        session.send("Network.enable")

    def _note_question(self, frame: dict[str, Any]) -> None:
        self.sent = frame["timestamp"] if self.sent is None else self.sent

    def _note_answer(self, frame: dict[str, Any]) -> None:
        self.received = frame["timestamp"]

    def taken(self) -> float:
        """Milliseconds of the last question, which is forgotten then."""
        assert self.sent is not None
        took, self.sent = 1000.0 * (self.received - self.sent), None
        return took


KEPT: dict[str, dict[str, list[float]]] = {}
"""What was measured so far, in milliseconds."""


def keep(name: str, taken: dict[str, float]) -> None:
    """Keep what one touch of a control took."""
    for part, milliseconds in taken.items():
        KEPT.setdefault(name, {}).setdefault(part, []).append(milliseconds)


def tell() -> None:
    """Print the medians of what was measured, and write all of it where somebody asked for it."""
    for name, parts in KEPT.items():
        said = ", ".join(f"{part} {median(all_of):.0f} ms (of {len(all_of)})" for part, all_of in parts.items())
        print(f"{name}: {said}")
    if path := os.environ.get(MEASUREMENTS):
        Path(path).write_text(json.dumps(KEPT, indent=2) + "\n")
