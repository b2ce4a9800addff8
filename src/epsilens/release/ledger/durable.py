"""Files that are there whole or not at all, also after a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def link_without_replacing(draft: Path, path: Path) -> None:
    """Give ``draft`` its final name unless that is taken; then remove the draft's own name."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(str(path)) from None
        draft.rename(path)
        return
    draft.unlink()


def sync_folder(folder: Path) -> None:
    """Make names in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
