"""``python -m epsilens``, and the ``epsilens`` command."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def process() -> NoReturn:
    """The command line as a process of its own, in which Ctrl-C is answered also while its modules are imported."""
    try:
        from epsilens.cli.main import process as command_line
    except KeyboardInterrupt:
        print("epsilens: interrupted", file=sys.stderr, flush=True)
        os._exit(130)
    command_line()


if __name__ == "__main__":
    process()
