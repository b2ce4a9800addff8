"""Internal reports: what only the data tell, and what must never be told by failing.

A release is made whatever its data are like. The report that goes with it looks at the data from many sides, some of
which have nothing to say about some data (a single label, nobody at all). So whatever is computed for it is computed
where it can be, and otherwise the report says why not; and it has the same size whatever it says.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from typing import Any

from epsilens.errors import EpsilensError


def told_or_why(fact: Callable[[], Any]) -> Any:
    """What ``fact`` gives, or why it gives nothing. It neither fails nor warns: both would depend on the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fact()
        except EpsilensError as problem:
            return {"not_computed": str(problem)}
        except Exception as problem:
            return {"not_computed": type(problem).__name__}


def room_of_names(*names: object) -> int:
    """The bytes that names take in JSON, at most, with what stands around them; nothing is no name."""
    return sum(len(json.dumps(str(name))) + 8 for name in names if name is not None)


def internal_bytes(report: Any, room: int) -> bytes:
    """The report in JSON, with blanks up to ``room`` bytes: its size is not to tell what is in it."""
    text = json.dumps(_plain(report), indent=2, ensure_ascii=False, allow_nan=False).encode()
    missing = -(len(text) + 1) % room
    return text + b" " * missing + b"\n"


def _plain(value: Any) -> Any:
    """Plain values; what is not a number in JSON becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
