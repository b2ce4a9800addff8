"""Many labels: 8 to 5,000 values of the sensitive attribute in 200,000 cells, against bare DuckDB in long form"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks import people
from benchmarks.harness import Child, ChildError, Setting, commands_by_turns, epsilens, n_cores, python
from benchmarks.outcome import Comparison, Growth, Missing, Outcome

LABELS = (8, 50, 500, 5_000)
FORMER = {500: "13 times the CPU and 4.3 GiB", 5_000: "failed"}
WITHIN = 2.0


def skewed(path: Path, rows: int, cells: int, labels: int) -> Path:
    """People in cells of about ten, with a label of their cell's own sort or one of a skewed common law."""
    query = (
        f"SELECT (c // 1000)::INT AS a, (c % 1000)::INT AS b, "
        f"printf('v%04d', CASE WHEN r1 < .5 THEN hash(c) % {labels} ELSE floor({labels} * r2 * r2)::INT END) "
        "AS illness "
        f"FROM (SELECT floor({cells} * random())::INT AS c, random() AS r1, random() AS r2 FROM range({rows}))"
    )
    return people.written(path, query)


def bare_statements(path: Path) -> list[str]:
    """Long form: people by cell and label, the list of each cell's labels and counts, and the distinct lists."""
    return [
        f"CREATE TEMP TABLE long AS SELECT a, b, illness, count(*) AS n FROM {people.parquet(path)} GROUP BY ALL",
        "SELECT v, count(*) AS cells FROM (SELECT list({l: illness, n: n} ORDER BY illness) AS v FROM long "
        "GROUP BY a, b) GROUP BY v",
    ]


def run(setting: Setting) -> Iterator[Outcome]:
    rows, cells = setting.size(2_000_000, 5_000), setting.size(200_000, 500)
    labels = LABELS if not setting.quick else (8, 60)
    done: list[tuple[int, Child, Child]] = []
    for number in labels:
        path = skewed(setting.folder / f"labels-{number}.parquet", rows, cells, number)
        name = f"assess {rows:,} people in {cells:,} cells with {number:,} labels"
        try:
            found = commands_by_turns(
                epsilens("assess", path, "--qid", "a,b", "--sensitive", "illness", "--json"),
                python(*people.bare(bare_statements(path))),
                setting.folder,
                setting.size(3, 1),
                30.0,
                limit=90.0,
            )
        except ChildError as error:
            yield Missing(name, str(error), failed=True)
            continue
        done.append((number, found.ours, found.peer))
        yield Comparison(
            name,
            peer="bare DuckDB, lists of (label, count)",
            target=1.0 / WITHIN if number >= 500 else None,
            difference=abs(json.loads(found.ours.printed)["cells"] - json.loads(found.peer.printed)["total"]),
            tolerance=0.0,
            threads=n_cores(),
            note=f"start-up of both included; {FORMER[number]} in the version before this page"
            if number in FORMER
            else "start-up of both included",
            **found.measured,
        )
    if len(done) > 1:
        yield Growth(
            f"assess {rows:,} people in {cells:,} cells",
            "labels",
            tuple(number for number, _, _ in done),
            tuple(ours.seconds for _, ours, _ in done),
            "bare DuckDB",
            tuple(peer.seconds for _, _, peer in done),
            tuple(ours.mib for _, ours, _ in done),
            tuple(peer.mib for _, _, peer in done),
            target=0.5,
            note="start-up included",
        )
