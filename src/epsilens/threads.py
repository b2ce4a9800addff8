"""Cores, and long work on a thread of its own: arrays are added up and sorted without Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

Found = TypeVar("Found")


def usable_cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def meanwhile(work: Callable[[], Found], is_long: bool = True) -> Iterator[Callable[[], Found]]:
    """What ``work`` finds, asked for by calling what this gives; on another thread if it ``is_long``, else at once.

    Work on another thread must not read from an engine, whose connections belong to one thread.
    """
    if not is_long or usable_cores() < 2:
        found = work()
        yield lambda: found
        return
    from concurrent.futures import ThreadPoolExecutor  # lazy: small tables need none

    with ThreadPoolExecutor(1, "epsilens") as thread:
        yield thread.submit(copy_context().run, work).result
