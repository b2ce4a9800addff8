"""``python -m epsilens.app [PROJECT.toml] [PORT]``, which ``epsilens app`` starts."""

from __future__ import annotations

import sys

from epsilens.app.server import serve

if __name__ == "__main__":
    serve(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else None, int(sys.argv[2]) if len(sys.argv) > 2 else None)
