"""Warnings of ours, heard by whoever's page caused them; those of libraries are not the user's business.

Python keeps one way of showing warnings for all threads, and every session of the workbench has a thread of its own: so
one way is set when the server starts, and each thread has its own list.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from epsilens.errors import EpsilensWarning

_here = threading.local()


def listen() -> None:
    """From now on, ours are kept for the thread that caused them, and nothing is written."""
    warnings.simplefilter("ignore")
    warnings.filterwarnings("always", category=EpsilensWarning)
    warnings.showwarning = _hear


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is warned of inside, each said once."""
    before, said = getattr(_here, "said", None), list[str]()
    _here.said = said
    try:
        yield said
    finally:
        _here.said = before


def _hear(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    said = getattr(_here, "said", None)
    if said is not None and issubclass(category, EpsilensWarning) and str(message) not in said:
        said.append(str(message))
