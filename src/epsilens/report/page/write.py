"""Writing a page: refused before any work where it could not be written, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError, SourceError
from epsilens.report.page.parts import Page

SUFFIX = ".html"


def check_page_path(path: str | os.PathLike[str], force: bool = True) -> Path:
    """The path, refused before any work is done if a page could not be written there."""
    target = Path(path)
    if target.suffix.lower() != SUFFIX:
        raise ParameterError(
            f"a report is written as {SUFFIX}; got {target.name!r}{did_you_mean(target.suffix, (SUFFIX,))}"
        )
    if not target.absolute().parent.is_dir():
        raise SourceError(f"folder {str(target.parent)!r} does not exist; create it or choose another place")
    if not os.access(_behind(target).absolute().parent, os.W_OK):
        raise SourceError(f"cannot write into folder {str(target.parent)!r}; choose another place")
    if target.is_dir() or (target.exists() and not force):
        raise SourceError(f"{str(target)!r} exists; choose another name")
    return target


def write_page(page: Page, path: str | os.PathLike[str], force: bool = True) -> Path:
    """Write a page as one file that everybody may read; it appears whole or not at all, where a link leads too."""
    from epsilens.report.page.render import render

    named = check_page_path(path, force)
    target = _behind(named)
    text = render(page)
    try:
        handle, temporary = tempfile.mkstemp(suffix=SUFFIX, dir=target.absolute().parent)
    except OSError as problem:
        raise SourceError(f"cannot write {str(target)!r}: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except OSError as problem:
        raise SourceError(f"cannot write {str(target)!r}: {problem.strerror}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)
    return named


def _behind(path: Path) -> Path:
    """Where a link leads; any other path is itself."""
    return path.resolve() if path.is_symlink() else path
