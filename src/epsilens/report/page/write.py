"""Writing a page: refused before any work where it could not be written, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from epsilens.report.page.parts import Page
from epsilens.report.whole_files import check_path, whole_file

SUFFIX = ".html"


def check_page_path(path: str | os.PathLike[str], force: bool = True) -> Path:
    """The path, refused before any work is done if a page could not be written there."""
    return check_path(path, "a report", (SUFFIX,), force)


def write_page(page: Page, path: str | os.PathLike[str], force: bool = True) -> Path:
    """Write a page as one file that everybody may read; it appears whole or not at all, where a link leads too."""
    from epsilens.report.page.render import render

    target = check_page_path(path, force)
    text = render(page)
    with whole_file(target, 0o644) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    return target
