"""Plain values as JSON within a page."""

from __future__ import annotations

import json
from typing import Any


def json_for_a_script(value: Any) -> str:
    """JSON that can stand in a script element whatever it holds: no text in it ends the element or begins a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plainly)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _plainly(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
