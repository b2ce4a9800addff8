"""``python -m epsilens.app``, which ``epsilens app`` starts."""

from __future__ import annotations

import argparse
import sys

from epsilens.app.server import serve
from epsilens.errors import EpsilensError


def main(arguments: list[str] | None = None) -> int:
    """Serve the workbench; whoever asks for what cannot be is told so in one line."""
    parser = argparse.ArgumentParser(prog="epsilens app")
    parser.add_argument("project", nargs="?")
    parser.add_argument("--port", type=int)
    parser.add_argument("--show", action="store_true", help="Open it in a browser.")
    parser.add_argument("--with-parent", action="store_true", help="End when standard input is closed.")
    given = parser.parse_args(arguments)
    try:
        serve(given.project, given.port, given.show, given.with_parent)
    except EpsilensError as problem:
        print(f"epsilens: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
