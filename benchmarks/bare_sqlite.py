"""``python -m benchmarks.bare_sqlite FILE``: the two groupings by SQLite itself, in a process of its own."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing

from benchmarks.people import LABELS


def main(path: str) -> None:
    """Group people into cells and cells into signatures; print how many there are."""
    counts = ", ".join(f"sum(disease = '{label}') AS c{k}" for k, label in enumerate(LABELS))
    cells = f"SELECT {counts} FROM people GROUP BY region, age / 10, sex, race, education"
    vectors = ", ".join(f"c{k}" for k in range(len(LABELS)))
    with closing(sqlite3.connect(path)) as database:
        found = database.execute(f"SELECT {vectors}, count(*) FROM ({cells}) GROUP BY {vectors}").fetchall()
    print(json.dumps({"rows": len(found), "total": sum(row[-1] for row in found)}))


if __name__ == "__main__":
    main(sys.argv[1])
