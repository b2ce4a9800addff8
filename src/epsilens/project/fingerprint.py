"""Whether data are still those for which a project was written.

A fingerprint is the day and a hash of what is in the files; of large files of their ends, their size and the time they
were written. Of a database there is none. Whoever holds a fingerprint and a copy of the data can tell whether the copy
is right: so it is internal, as the data are, and on the way to a release nobody looks at it.
"""

from __future__ import annotations

import glob
import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path

HASHED_WHOLE = 1 << 28
"""Bytes. A quarter of a gibibyte is hashed in less than a second."""
END = 1 << 20
"""Bytes at either end of a larger file."""

_FORM = re.compile(r"(\d{4}-\d{2}-\d{2}) (whole|ends) ([0-9a-f]{32})")


def fingerprint(source: object) -> str | None:
    """The fingerprint of a file or of the files of a pattern; None of whatever is not in files here."""
    if (files := _files(source)) is None:
        return None
    whole = sum(path.stat().st_size for path in files) <= HASHED_WHOLE
    try:
        return f"{datetime.now(UTC):%Y-%m-%d} {'whole' if whole else 'ends'} {_hash(files, whole)}"
    except OSError:
        return None


def changed_since(taken: str, source: object) -> str | None:
    """The day on which ``taken`` was taken, where the data are now others; None where they are the same or gone."""
    if (files := _files(source)) is None:
        return None
    found = _FORM.fullmatch(taken)
    if found is None:
        return "this project was written"
    try:
        return None if _hash(files, found[2] == "whole") == found[3] else found[1]
    except OSError:
        return None


def _files(source: object) -> list[Path] | None:
    if not isinstance(source, str | Path) or "://" in str(source):
        return None
    text = str(source)
    try:
        named = [Path(text)] if Path(text).is_file() else [Path(name) for name in glob.glob(text)]  # noqa: PTH207
    except (OSError, ValueError):
        return None
    return sorted(path for path in named if path.is_file()) or None


def _hash(files: list[Path], whole: bool) -> str:
    digest = hashlib.sha256()
    for path in files:
        facts = path.stat()
        digest.update(f"{facts.st_size} {'' if whole else facts.st_mtime_ns} ".encode())
        with path.open("rb") as stream:
            if whole:
                while block := stream.read(END):
                    digest.update(block)
                continue
            digest.update(stream.read(END))
            stream.seek(max(facts.st_size - END, 0))
            digest.update(stream.read(END))
    return digest.hexdigest()[:32]
