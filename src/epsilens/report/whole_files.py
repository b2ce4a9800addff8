"""Files that appear whole or not at all, refused before any work where they could not be written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError, SourceError


def check_path(path: str | os.PathLike[str], what: str, suffixes: Sequence[str], overwrite: bool = True) -> Path:
    """The path, refused before any work is done if ``what`` could not be written there."""
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        raise ParameterError(
            f"{what} is written as {', '.join(suffixes)}; got {target.name!r}{did_you_mean(target.suffix, suffixes)}"
        )
    if not target.absolute().parent.is_dir():
        raise SourceError(f"folder {str(target.parent)!r} does not exist; create it or choose another place")
    if not os.access(_behind(target).absolute().parent, os.W_OK):
        raise SourceError(f"cannot write into folder {str(target.parent)!r}; choose another place")
    if target.is_dir() or (target.exists() and not overwrite):
        raise SourceError(f"{str(target)!r} exists; choose another name")
    return target


@contextmanager
def whole_file(path: Path, mode: int = 0o600) -> Iterator[Path]:
    """A file beside ``path`` to write to, which takes its place at the end; until then nobody else can read it.

    Where the path is a link, the file is written that it leads to.
    """
    target = _behind(path)
    partial = target.with_name(f".epsilens-{secrets.token_hex(6)}.part{target.suffix.lower()}")
    try:
        partial.touch(mode=0o600, exist_ok=False)
        yield partial
        partial.chmod(mode)
        partial.replace(target)
    except OSError as problem:
        raise SourceError(f"cannot write {str(target)!r}: {problem.strerror or problem}") from None
    finally:
        partial.unlink(missing_ok=True)


def _behind(path: Path) -> Path:
    """Where a link leads; any other path is itself."""
    return path.resolve() if path.is_symlink() else path
