"""Signals of processes that tests start."""

from __future__ import annotations

import signal


def hear_ctrl_c() -> None:
    """In a child before it begins: Ctrl-C is heard, also where a shell that runs tests in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
