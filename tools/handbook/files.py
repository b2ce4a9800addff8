"""Blocks that are files have their name above them: ``<!-- file: u.json -->`` is the caption of the block below."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_FILE = re.compile(r"^<!-- file: (?P<name>\S+) -->\n```(?P<language>\w+)\n", re.M)


def with_captions(text: str) -> str:
    """A page whose files are blocks with captions."""
    return _FILE.sub("```{code-block} \\g<language>\n:caption: \\g<name>\n\n", text)


def _read(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = with_captions(source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Make names of files a part of the pages."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
