"""JSON with one value per line, as ``json.dumps`` writes it with ``indent=2``, for cards with very many levels.

Python's quick encoder does not indent: with ``indent`` every value goes through a generator, a microsecond each. A card
names all declared levels, and the levels of an area may be a million, so lists of texts are joined here in one step.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import Any

STEP = "  "


def indented_json(value: Any, margin: str = "") -> str:
    """What ``json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)`` gives, letter by letter."""
    inner = margin + STEP
    between = ",\n" + inner
    if isinstance(value, dict) and value:
        # A key is written by the encoder itself: it may be a number, or true.
        parts = (f"{_key(key)}: {indented_json(item, inner)}" for key, item in value.items())
        return "{\n" + inner + between.join(parts) + "\n" + margin + "}"
    if isinstance(value, list | tuple) and value:
        if set(map(type, value)) == {str}:
            texts = map(encode_basestring, value)
        else:
            texts = (indented_json(item, inner) for item in value)  # type: ignore[assignment]
        return "[\n" + inner + between.join(texts) + "\n" + margin + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key(key: Any) -> str:
    return encode_basestring(key) if type(key) is str else json.dumps({key: 0}, ensure_ascii=False)[1:-4]
