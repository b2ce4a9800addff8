"""``python -m benchmarks.bare STATEMENTS``: the bare engine in a process of its own.

Runs a JSON list of statements on as many threads as there are cores, fetches the rows of the last one as arrays, and
prints as JSON how many there are and the sum of their last column.
"""

from __future__ import annotations

import json
import sys

from benchmarks.people import engine


def main(statements: list[str]) -> None:
    """Run them, in order."""
    connection = engine()
    for statement in statements[:-1]:
        connection.execute(statement)
    found = connection.execute(statements[-1]).fetchnumpy()
    last = list(found.values())[-1]
    print(json.dumps({"rows": len(last), "total": int(last.sum())}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
