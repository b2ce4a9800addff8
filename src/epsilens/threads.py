"""Cores, and long work on a thread of its own: arrays are added up and sorted without Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Event, Thread
from typing import TypeAlias, TypeVar

Found = TypeVar("Found")
GoOn: TypeAlias = Callable[[], None]
"""Called by long work between its steps: it ends there where nobody waits for it any more."""


def usable_cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _NotWanted(BaseException):
    """Ends work that nobody waits for any more; no error, so that no work takes it for one of its own."""


@contextmanager
def meanwhile(work: Callable[[GoOn], Found], is_long: bool = True) -> Iterator[Callable[[], Found]]:
    """What ``work`` finds, asked for by calling what this gives; on another thread if it ``is_long``, else at once.

    Whoever leaves with an error, or is interrupted, does not wait for it: ``work`` ends where it next calls what it is
    given, and a process does not wait for it either. Work on another thread must not read from an engine, whose
    connections belong to one thread.
    """
    if not is_long or usable_cores() < 2:
        found = work(lambda: None)
        yield lambda: found
        return
    from concurrent.futures import Future  # lazy: small tables need none

    outcome, left = Future[Found](), Event()

    def go_on() -> None:
        if left.is_set():
            raise _NotWanted

    def run() -> None:
        try:
            outcome.set_result(work(go_on))
        except BaseException as problem:  # raised where it is asked for
            outcome.set_exception(problem)

    Thread(target=copy_context().run, args=(run,), name="epsilens", daemon=True).start()
    try:
        yield outcome.result
    finally:
        left.set()
