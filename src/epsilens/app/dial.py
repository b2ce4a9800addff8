"""The dial in the workbench: the component of the report, with a button that takes a budget into the project.

Moving the dial asks nobody: all answers are in the page. Only the button speaks to the server, once. What the component
is given stays the same as long as the question does, so that Streamlit sends it to the browser once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from epsilens.report.dial.markup import script, style

NAME = "epsilens_dial"
HTML = '<div class="epsilens-dial"></div><p class="epsilens-dial-take"><button type="button" hidden></button></p>'
"""The button is hidden until it says what it takes."""
CSS = """
.epsilens-dial-take{position:sticky;bottom:0;margin:0;padding:.6rem 0;z-index:2;
  background:linear-gradient(transparent,var(--st-background-color,#fff) 35%)}
.epsilens-dial-take button{font:inherit;padding:.5rem 1rem;border-radius:.5rem;border:1px solid currentColor;
  background:#0b5394;color:#fff;cursor:pointer;min-height:2.75rem}
.epsilens-dial-take button:focus-visible{outline:3px solid #e69f00;outline-offset:2px}
"""
JS = """
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const host = parentElement.querySelector(".epsilens-dial");
  const button = parentElement.querySelector(".epsilens-dial-take button");
  const say = (state) => {
    button.textContent = data.take.replace("{parameter}", state.parameter).replace("{budget}", String(state.budget));
    button.hidden = false;
  };
  if (data.theme) host.dataset.theme = data.theme;
  const wanted = data.payload.key + ":" + data.index;
  if (host.dataset.shown !== wanted) {
    host.dataset.shown = wanted;
    if (host.epsilensDial) host.epsilensDial.destroy();
    globalThis.EpsilensDial.mount(host, data.payload, { index: data.index, level: 2, onInput: say, onChange: say });
    say(host.epsilensDial.state);
  }
  button.onclick = () => setTriggerValue("taken", host.epsilensDial.state);
}
"""


def show(payload: Mapping[str, Any], index: int | None, take: Callable[[Mapping[str, Any]], None]) -> None:
    """The dial at ``index`` (None: where the payload begins); ``take`` gets what it stood at when somebody took it."""

    def pressed() -> None:
        state = st.session_state[NAME]["taken"]
        if state is not None:
            take(state)

    component = st.components.v2.component(NAME, html=HTML, css=style() + CSS, js=script() + JS)
    component(
        key=NAME,
        data={
            "payload": payload,
            "index": index,
            "theme": st.context.theme.type,
            "take": "Take {parameter} = {budget}",
        },
        on_taken_change=pressed,
    )
