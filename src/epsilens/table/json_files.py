"""JSON files that say something about data: a universe, a plan, a hierarchy of values."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from epsilens.errors import SourceError


def read_json(path: str | os.PathLike[str], what: str, kind: type, example: str = "") -> Any:
    """The JSON object or list in a file; ``what`` names it in errors."""
    name, shape = os.fspath(path), "an object" if kind is dict else "a list"
    hint = f", such as {example}" if example else ""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise SourceError(f"cannot read the {what} {name!r}: {problem.strerror}") from None
    except ValueError:
        raise SourceError(f"the {what} {name!r} must be JSON: {shape}{hint}") from None
    if not isinstance(found, kind):
        raise SourceError(f"the {what} {name!r} must be a JSON file with {shape}{hint}")
    return found
