"""The dial in the workbench: the component of the report, with a button that takes a budget into the project.

Moving the dial asks nobody: all answers are in the page. Only the button speaks to the server, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from epsilens.report.dial.markup import script, style

NAME = "epsilens_dial"
HTML = (
    '<div class="epsilens-dial-host"></div>'
    '<p class="epsilens-dial-take"><button type="button"></button> <span role="status"></span></p>'
)
CSS = """
.epsilens-dial-take{margin:1rem 0}
.epsilens-dial-take button{font:inherit;padding:.5rem 1rem;border-radius:.5rem;border:1px solid currentColor;
  background:#0b5394;color:#fff;cursor:pointer;min-height:2.75rem}
.epsilens-dial-take button:focus-visible{outline:3px solid #e69f00;outline-offset:2px}
.epsilens-dial-take button[disabled]{background:transparent;color:inherit;cursor:default}
"""
JS = """
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const host = parentElement.querySelector(".epsilens-dial-host");
  const button = parentElement.querySelector(".epsilens-dial-take button");
  const told = parentElement.querySelector(".epsilens-dial-take span");
  const say = (state) => {
    const taken = data.taken !== null && Math.abs(state.budget - data.taken) <= 1e-9 * state.budget;
    button.textContent = data.take.replace("{parameter}", state.parameter).replace("{budget}", String(state.budget));
    button.disabled = taken;
    told.textContent = taken ? data.is_taken : "";
  };
  const wanted = data.payload.key + ":" + data.index + ":" + data.dial;
  if (host.dataset.shown !== wanted) {
    host.dataset.shown = wanted;
    if (host.epsilensDial) host.epsilensDial.destroy();
    globalThis.EpsilensDial.mount(host, data.payload, {
      index: data.index, dial: data.dial, level: 2,
      onInput: (state) => host.epsilensSay(state),
    });
  }
  host.epsilensSay = say;
  button.onclick = () => setTriggerValue("taken", host.epsilensDial.state);
  say(host.epsilensDial.state);
}
"""


def show(
    payload: Mapping[str, Any], index: int | None, taken: float | None, take: Callable[[Mapping[str, Any]], None]
) -> None:
    """The dial at ``index`` (None: where the payload begins); ``take`` gets what it stood at when somebody took it."""

    def pressed() -> None:
        state = st.session_state[NAME]["taken"]
        if state is not None:
            take(state)

    _component()(
        key=NAME,
        data={
            "payload": payload,
            "index": index,
            "dial": 0,
            "taken": taken,
            "take": "Take {parameter} = {budget}",
            "is_taken": "This budget is in the project.",
        },
        on_taken_change=pressed,
    )


def _component() -> Callable[..., Any]:
    """The component, known to Streamlit under one name."""
    renderer: Callable[..., Any] = st.components.v2.component(
        NAME, html=HTML, css=style() + CSS, js=script() + JS, isolate_styles=True
    )
    return renderer
