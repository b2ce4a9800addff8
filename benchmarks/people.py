"""People who are not real, made on the fly as Parquet files by the engine; what is made once is shared by a run.

Regions, ages, sex, race and education make about a million cells (520 x 10 x 2 x 6 x 16) and disease has 8 labels.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PART = 10_000_000
LABELS = ("asthma", "cancer", "diabetes", "epilepsy", "hiv", "none", "other", "stroke")
QIDS = ("region", "age", "sex", "race", "education")
SENSITIVE = "disease"
ASKED = ("--qid", ",".join(QIDS), "--bins", "age=10", "--sensitive", SENSITIVE)
_PEOPLE = """
SELECT region, age, sex,
    ['white', 'black', 'asian', 'native', 'islander', 'other'][1 + floor(6 * r1 * r1 * r1)::INT] AS race,
    floor(16 * r2)::INT AS education,
    ['none', 'asthma', 'diabetes', 'cancer', 'stroke', 'hiv', 'epilepsy', 'other']
        [1 + floor(8 * r3 * r3 * (0.3 + 0.7 * ((region * 31 + age) % 7) / 6))::INT] AS disease
FROM (SELECT floor(520 * random())::INT AS region, floor(100 * sqrt(random()))::INT AS age,
    CASE WHEN random() < .5 THEN 'f' ELSE 'm' END AS sex, random() AS r1, random() AS r2, random() AS r3
    FROM range({rows}))
"""


def people(folder: Path, rows: int) -> str:
    """A pattern of Parquet files with so many people, made if they are not there; parts of 10 million are shared."""
    place = folder / f"people-{rows}"
    if not place.exists():
        place.mkdir()
        for part in range(-(-rows // PART)):
            size = min(PART, rows - part * PART)
            whole = folder / f"part-{part:02}-{size}.parquet"
            if not whole.exists():
                written(whole, _PEOPLE.format(rows=size), seed=0.001 * (part + 1))
            (place / f"{part:02}.parquet").symlink_to(whole)
    return str(place / "*.parquet")


def written(path: Path, query: str, seed: float = 0.5, form: str = "parquet") -> Path:
    """What a query of DuckDB finds, as a file; made if it is not there."""
    if not path.exists():
        connection = engine()
        connection.execute(f"SELECT setseed({seed})")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT {form})")
        connection.close()
    return path


def engine() -> Any:
    """A DuckDB with as many threads as this process has cores."""
    import duckdb

    from benchmarks.harness import n_cores

    connection = duckdb.connect()
    connection.execute(f"SET threads = {n_cores()}")
    connection.execute("SET enable_progress_bar = false")
    return connection


def bare_cells(source: str, keys: str, sensitive: str = SENSITIVE, labels: tuple[str, ...] = LABELS) -> str:
    """The query whoever knows SQL and the labels writes: one pass over the people, a filtered count per label.

    Grouping by the label first and adding up its groups took 1.7 times as long on ten million people.
    """
    counts = ", ".join(f"count(*) FILTER (WHERE {sensitive} = '{label}') AS c{k}" for k, label in enumerate(labels))
    return f"SELECT {keys}, {counts} FROM {source} GROUP BY ALL"


def bare_signatures(n_labels: int = len(LABELS), cells: str = "cells") -> str:
    """The distinct count vectors of the cells, and how many cells have each."""
    vectors = ", ".join(f"c{k}" for k in range(n_labels))
    return f"SELECT {vectors}, count(*) AS cells FROM {cells} GROUP BY ALL"


KEYS = "region, age // 10, sex, race, education"


def parquet(pattern: str | Path) -> str:
    return f"read_parquet('{pattern}')"


def bare(statements: list[str]) -> list[str]:
    """A command that runs statements in a bare DuckDB, fetches the last one's rows and says how many there were."""
    return ["-m", "benchmarks.bare", json.dumps(statements)]
