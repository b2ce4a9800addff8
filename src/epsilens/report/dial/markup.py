"""The dial as HTML: readable as it is, and alive where scripts run. Pages and the workbench use exactly these texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from epsilens.report.script_json import json_for_a_script


@cache
def script() -> str:
    """The component: ``EpsilensDial.mount(root, payload, options)`` and ``EpsilensDial.mountAll()``."""
    folder = files(__package__)
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("drawings.js", "dial.js"))


@cache
def style() -> str:
    """Its style; the element that the dial is mounted in has the class ``epsilens-dial``."""
    return files(__package__).joinpath("dial.css").read_text(encoding="utf-8")


def start() -> str:
    """The line that brings every dial of a page to life; it stands behind the last of them, and behind the script."""
    return "EpsilensDial.mountAll();"


def payload_json(payload: Mapping[str, Any]) -> str:
    """The payload as JSON that may stand in a script element."""
    return json_for_a_script(payload)


def static(payload: Mapping[str, Any], level: int = 3) -> str:
    """The dial without a script: the sentences of the budget at which it begins, and all budgets as a table.

    ``level`` is that of its headings. With the script and :func:`start` in the page the same element comes to life.
    """
    parts = "".join(_still(payload, dial, level) for dial in payload["dials"])
    data = f'<script type="application/json">{payload_json(payload)}</script>'
    return f'<div class="epsilens-dial" data-epsilens-dial data-level="{level}">{parts}{data}</div>'


def _still(payload: Mapping[str, Any], dial: Mapping[str, Any], level: int) -> str:
    words, i, table = payload["words"], dial["start"], dial["table"]
    guarantee, cost = payload["guarantees"][dial["guarantee"]], payload["costs"][dial["cost"]][i]
    line = guarantee["lines"][i]
    at = f"{dial['parameter']} {dial['budget_texts'][i]}"
    html = [_paragraph(payload["label"], strong=True)] if payload["internal"] else []
    html += [_paragraph(table["subject"])] if table else []
    html += [_paragraph(f"{dial['noise']} {words['dial']}: {at}.")]
    html += [_heading(level, words["guarantee"])]
    html += map(_paragraph, [guarantee["setting"], line["if_not_text"], line["if_so_text"], line["weak_text"]])
    html += map(_paragraph, [line["belief_texts"][payload["prior_start"]], guarantee["basis"]])
    if table:
        found = table["lines"][i]
        html += [_heading(level, f"{words['table']} ({words['internal']})")]
        html += map(_paragraph, [found.get("shown_text", ""), found.get("believing_text", ""), *found["texts"]])
        html += map(_paragraph, [table["safe_text"], table["without_noise_sentence"], table["explained"]])
    html += [_heading(level, words["cost"])]
    html += map(_paragraph, [cost["interval_text"], cost["error_text"], cost["dots_text"], words["interval_note"]])
    return "".join([*html, _every_budget(payload, dial), _paragraph(words["not_covered"])])


def _every_budget(payload: Mapping[str, Any], dial: Mapping[str, Any]) -> str:
    words, table = payload["words"], dial["table"]
    guarantee, costs = payload["guarantees"][dial["guarantee"]]["lines"], payload["costs"][dial["cost"]]
    names = [dial["parameter"], *dial["rows"][:2], *(table["rows"] if table else ()), *dial["rows"][2:]]
    rows = (
        [budget, *guarantee[i]["rows"], *(table["lines"][i]["rows"] if table else ()), *costs[i]["rows"]]
        for i, budget in enumerate(dial["budget_texts"])
    )
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    internal = f" ({words['internal']})" if table else ""
    caption = f"<caption>{escape(words['every_budget'] + internal)}</caption>"
    grid = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<details><summary>{escape(words['every_budget'])}</summary>{grid}</details>"


def _cells(row: Iterable[str]) -> str:
    first, *others = row
    return f'<th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(text)}</td>" for text in others)


def _heading(level: int, text: str) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def _paragraph(text: str, strong: bool = False) -> str:
    inner = f"<strong>{escape(text)}</strong>" if strong else escape(text)
    return f"<p>{inner}</p>" if text else ""
