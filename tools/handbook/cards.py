"""The fields of cards, made of the JSON Schemas that are shipped: ``{card} FORMAT`` is a table of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from epsilens.release.card_files import card_schema
from tools.handbook.commands import plain

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_HERE = re.compile(r"^```\{card\} (\S+)\n```$", re.M)
_TYPES = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "null": "null"}


def fields(schema: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Every field of a schema: its place, what is said of it, and whether it is always there."""
    for form in (schema, *schema.get("anyOf", ())):
        for name, field in form.get("properties", {}).items():
            here = f"{path}.{name}" if path else name
            yield here, field, name in form.get("required", ())
            yield from fields(field, here)
        if "items" in form:
            yield from fields(form["items"], f"{path}[]")


def form_of(field: Mapping[str, Any]) -> str:
    """What a field holds, in words."""
    if "const" in field:
        return f"`{_json(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(form_of(one) for one in field["anyOf"]))
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    return " or ".join(_kind(kind, field) for kind in kinds)


def _kind(kind: str, field: Mapping[str, Any]) -> str:
    if kind == "array":
        inside = field.get("items", {}).get("type")
        return f"list of {'texts' if inside == 'string' else 'lists' if inside == 'array' else 'objects'}"
    if kind == "object":
        return "object"
    if kind == "string" and "Infinity" in field.get("pattern", ""):
        return "decimal, as text"
    return _TYPES[kind]


def _json(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def table(card_format: str) -> str:
    """The fields of a card as a table in Markdown."""
    lines = ["| field | holds | what it is |", "|---|---|---|"]
    for place, field, always in fields(card_schema(card_format)):
        there = "" if always else " (may be missing)"
        lines.append(f"| `{place}` | {form_of(field)}{there} | {_marked(field['description'])} |")
    return "\n".join(lines)


def _marked(text: str) -> str:
    """A description, of which what stands in backticks stays code."""
    return "".join(part if k % 2 else plain(part) for k, part in enumerate(re.split(r"(`[^`]+`)", text)))


def _read(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = _HERE.sub(lambda found: table(found[1]), source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the fields of cards a part of pages that ask for them."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
