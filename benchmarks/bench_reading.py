"""Other ways to read (CSV, several rows a person, three sensitive attributes, SQLite): against bare queries"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks import people
from benchmarks.harness import Child, ChildError, Setting, Turned, commands_by_turns, epsilens, n_cores, python
from benchmarks.outcome import Comparison, Missing, Outcome

LABELS = people.LABELS


def run(setting: Setting) -> Iterator[Outcome]:
    rows = setting.size(10_000_000, 5_000)
    fewer = setting.size(1_000_000, 2_000)
    pattern = people.people(setting.folder, rows)
    small = people.people(setting.folder, fewer)

    csv = people.written(setting.folder / "people.csv", f"FROM {people.parquet(pattern)}", form="csv")
    yield _compared(
        setting,
        f"assess a CSV file of {rows:,} rows",
        ("assess", csv, *people.ASKED),
        [
            "CREATE TEMP TABLE cells AS " + people.bare_cells(f"read_csv('{csv}')", people.KEYS),
            people.bare_signatures(),
        ],
        "bare DuckDB on the same file",
        0.5,
    )

    several = setting.folder / "several.parquet"
    bounded = setting.size(2_000_000, 5_000)
    twice = f"SELECT *, hash(rowid) % {bounded * 6 // 10} AS person FROM (SELECT *, row_number() OVER () AS rowid "
    people.written(several, f"{twice} FROM {people.parquet(pattern)} LIMIT {bounded})")
    kept = (
        f"SELECT unnest(arg_min({{region: region, age: age, sex: sex, race: race, education: education, "
        f"disease: disease}}, hash(region, age, sex, race, education, disease))) FROM {people.parquet(several)} "
        "GROUP BY person"
    )
    yield _compared(
        setting,
        f"assess {bounded:,} rows with --unit",
        ("assess", several, *people.ASKED, "--unit", "person"),
        [f"CREATE TEMP TABLE cells AS {people.bare_cells(f'({kept})', people.KEYS)}", people.bare_signatures()],
        "bare DuckDB: one row of each person by a hash (arg_min), then the two groupings",
        0.5,
        agree="people",
    )

    keys = "region, age // 10 AS age"
    sensitive = ("disease", "race", "sex")
    joint = f"CREATE TEMP TABLE people AS SELECT {keys}, education, {', '.join(sensitive)}, count(*) AS n FROM "
    joint += f"{people.parquet(pattern)} GROUP BY ALL"
    statements = [joint]
    for place, columns in enumerate([(name,) for name in sensitive] + [sensitive]):
        listed = ", ".join(columns)
        statements.append(
            f"CREATE TEMP TABLE t{place} AS SELECT region, age, education, {listed}, sum(n)::BIGINT AS n "
            "FROM people GROUP BY ALL"
        )
        statements.append(_list_signatures(f"t{place}", "region, age, education", columns))
    yield _compared(
        setting,
        f"assess three sensitive attributes of {rows:,} rows (three tables and the joint one)",
        ("assess", pattern, "--qid", "region,age,education", "--bins", "age=10", "--sensitive", ",".join(sensitive)),
        statements,
        "bare DuckDB: one joint grouping, four sets of signatures from it",
        0.5,
    )
    yield from _sqlite(setting, small, fewer)


def _list_signatures(table: str, keys: str, labels: Sequence[str]) -> str:
    """Signatures in long form: the list of labels and counts of each cell, and how many cells have it."""
    name = labels[0] if len(labels) == 1 else f"row({', '.join(labels)})"
    return (
        f"SELECT v, count(*) AS cells FROM (SELECT list({{l: {name}, n: n}} ORDER BY {', '.join(labels)}) AS v "
        f"FROM {table} GROUP BY {keys}) GROUP BY v"
    )


def _compared(
    setting: Setting,
    name: str,
    words: Sequence[str | Path],
    statements: list[str],
    peer: str,
    target: float | None,
    agree: str = "cells",
) -> Outcome:
    try:
        found = commands_by_turns(
            epsilens(*words, "--json"), python(*people.bare(statements)), setting.folder, setting.size(3, 1), 90.0
        )
    except ChildError as error:
        return Missing(name, str(error), failed=True)
    return Comparison(
        name,
        peer=peer,
        target=target,
        difference=_apart(found, agree),
        tolerance=0.0 if agree == "cells" else 0.01,
        threads=n_cores(),
        note="start-up of both included; difference: cells"
        + ("" if agree == "cells" else ", relative: the rows that are kept are others"),
        **found.measured,
    )


def _apart(found: Turned, agree: str) -> float:
    ours, theirs = json.loads(found.ours.printed)["cells"], json.loads(found.peer.printed)["total"]
    return float(abs(ours - theirs)) if agree == "cells" else abs(ours / theirs - 1.0)


def _sqlite(setting: Setting, pattern: str, rows: int) -> Iterator[Outcome]:
    """The same people in a SQLite file: against SQLite's own grouping, and against ours of Parquet."""
    path = setting.folder / "people.sqlite"
    connection = people.engine()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE people (region INT, age INT, sex TEXT, race TEXT, education INT, disease TEXT)")
        reader = connection.execute(f"FROM {people.parquet(pattern)}")
        while part := reader.fetchmany(50_000):
            database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", part)
        database.commit()
    words = ("assess", f"sqlite:///{path}", "--table", "people", *people.ASKED, "--json")
    script = python("-m", "benchmarks.bare_sqlite", str(path))
    for name, peer, command, target in (
        ("SQLite's own grouping by the same columns", "sqlite", script, 0.5),
        ("ours of the same people as Parquet", "parquet", epsilens("assess", pattern, *people.ASKED, "--json"), 0.5),
    ):
        try:
            found = commands_by_turns(epsilens(*words), command, setting.folder, setting.size(3, 1), 40.0)
        except ChildError as error:
            yield Missing(f"assess a SQLite table of {rows:,} rows against {peer}", str(error), failed=True)
            continue
        yield Comparison(
            f"assess a SQLite table of {rows:,} rows",
            peer=name,
            target=target,
            difference=_cells_apart(found.ours, found.peer),
            tolerance=0.0,
            threads=n_cores(),
            note="start-up of both included" + ("; SQLite has one thread" if peer == "sqlite" else ""),
            **found.measured,
        )


def _cells_apart(ours: Child, peer: Child) -> float:
    theirs = json.loads(peer.printed)
    return float(abs(json.loads(ours.printed)["cells"] - theirs.get("total", theirs.get("cells"))))
