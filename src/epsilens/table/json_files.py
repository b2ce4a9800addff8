"""JSON files that say something about data: a universe, a plan, a hierarchy of values, a release card.

What is read must mean one thing. JSON lets an object name a key twice and leaves open which of them counts, so such a
file is refused, and with it what nests too deeply, is not UTF-8, or holds half a character.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from epsilens.errors import SourceError

LARGEST_FILE = 1 << 28
"""Bytes. What is declared by hand is far smaller, and parsed it takes ten times as much memory."""


class NotJson(ValueError):  # noqa: N818 - a reason, put into words by whoever knows what the file is
    """Text that is not JSON, or not JSON that means one thing; the message is the reason."""


def parsed(raw: bytes) -> Any:
    """The value that JSON text in UTF-8 stands for, or the reason why it does not stand for one."""
    if len(raw) > LARGEST_FILE:
        raise NotJson(f"it is larger than {LARGEST_FILE >> 20} MiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotJson("it is not UTF-8 text") from None
    try:
        found = json.loads(text, object_pairs_hook=_unrepeated)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise NotJson("it nests too deeply") from None
    except UnicodeEncodeError:
        raise NotJson("it holds half of a surrogate pair, which is not a character") from None
    except NotJson:
        raise
    except ValueError:
        raise NotJson("") from None
    return found


def read_json(path: str | os.PathLike[str], what: str, kind: type, example: str = "") -> Any:
    """The JSON object or list in a file; ``what`` names it in errors."""
    name, shape = os.fspath(path), "an object" if kind is dict else "a list"
    hint = f", such as {example}" if example else ""
    try:
        found = parsed(bytes_of(path))
    except OSError as problem:
        raise SourceError(f"cannot read the {what} {name!r}: {problem.strerror or type(problem).__name__}") from None
    except NotJson as problem:
        reason = str(problem)
        raise SourceError(
            f"cannot read the {what} {name!r}: {reason}"
            if reason
            else f"the {what} {name!r} must be JSON: {shape}{hint}"
        ) from None
    if not isinstance(found, kind):
        raise SourceError(f"the {what} {name!r} must be a JSON file with {shape}{hint}")
    return found


def called(given: str | os.PathLike[str]) -> str:
    """The name of a file in an error; what is JSON itself has none."""
    return "" if is_json(given) else f" {os.fspath(given)!r}"


def declared_json(given: str | os.PathLike[str], what: str, kind: type, example: str = "") -> Any:
    """What is declared in a JSON file, or in a text that begins with a bracket and is JSON itself."""
    if not is_json(given):
        return read_json(given, what, kind, example)
    shape = "an object" if kind is dict else "a list"
    hint = f", such as {example}" if example else ""
    try:
        found = parsed(str(given).encode("utf-8", "surrogatepass"))
    except NotJson as problem:
        reason = str(problem) or "it is not JSON"
        raise SourceError(f"cannot read the {what} that is given as text: {reason}") from None
    if not isinstance(found, kind):
        raise SourceError(f"the {what} must be {shape}{hint}")
    return found


def is_json(given: str | os.PathLike[str]) -> bool:
    """Whether a text is JSON itself and not the name of a file: then it begins with a bracket."""
    return isinstance(given, str) and given.lstrip()[:1] in ("{", "[")


def bytes_of(path: str | os.PathLike[str]) -> bytes:
    """What is in a file, but no more than one byte beyond the largest that is parsed."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(LARGEST_FILE + 1)
    except ValueError:  # a NUL in the name
        raise FileNotFoundError(2, "No such file or directory") from None


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, refused where it names a key twice: keys are declared, so they may be said."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotJson(f"it has the key {twice!r} twice")
    return found
