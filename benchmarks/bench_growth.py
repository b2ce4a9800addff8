"""How `assess` grows with cells, with quasi-identifiers and with levels of a hierarchy, beside the bare engine"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import people
from benchmarks.harness import Child, ChildError, Setting, child, commands_by_turns, epsilens, python
from benchmarks.outcome import Growth, Missing, Outcome

CELLS = (1_000, 10_000, 100_000, 1_000_000, 5_000_000)
MANY = 50_000_000
COLUMNS = (2, 5, 10, 20)
LEVELS = (2, 3, 4, 5)
MINUTES = 5


def run(setting: Setting) -> Iterator[Outcome]:
    yield from _cells(setting)
    yield from _columns(setting)
    yield from _levels(setting)


def _grown(
    setting: Setting,
    name: str,
    along: str,
    questions: Sequence[tuple[int, list[str], list[str]]],
    target: float | None,
    note: str = "",
) -> Iterator[Outcome]:
    """Both sides at every size; a size at which ours fails is a line, and the others stand."""
    done: list[tuple[int, Child, Child]] = []
    for size, ours, statements in questions:
        try:
            found = commands_by_turns(
                ours, python(*people.bare(statements)), setting.folder, setting.size(3, 1), 15.0, limit=60.0 * MINUTES
            )
        except ChildError as error:
            yield Missing(f"{name}, {size:,} {along}", str(error), failed=True)
            continue
        theirs = json.loads(found.peer.printed)["total"]
        if json.loads(found.ours.printed)["cells"] != theirs:
            yield Missing(f"{name}, {size:,} {along}", "the two sides count other cells", failed=True)
        done.append((size, found.ours, found.peer))
    yield Growth(
        name,
        along,
        tuple(size for size, _, _ in done),
        tuple(ours.seconds for _, ours, _ in done),
        "bare DuckDB",
        tuple(peer.seconds for _, _, peer in done),
        tuple(ours.mib for _, ours, _ in done),
        tuple(peer.mib for _, _, peer in done),
        target=target,
        note=f"start-up included{note}",
    )


def _bare(path: Path, keys: str) -> list[str]:
    cells = people.bare_cells(people.parquet(path), keys)
    return [f"CREATE TEMP TABLE cells AS {cells}", people.bare_signatures()]


def in_cells(path: Path, rows: int, cells: Sequence[int]) -> Path:
    """People in exactly so many cells, for each of several numbers: columns ``a<i>`` and ``b<i>`` tell the cell."""
    columns = ", ".join(
        f"(i % {number} // 1000)::INT AS a{place}, (i % {number} % 1000)::INT AS b{place}"
        for place, number in enumerate(cells)
    )
    labels = ", ".join(f"'{label}'" for label in people.LABELS)
    query = f"SELECT {columns}, [{labels}][1 + floor(8 * random() * random())::INT] AS disease FROM range({rows}) t(i)"
    return people.written(path, query)


def _cells(setting: Setting) -> Iterator[Outcome]:
    rows = setting.size(10_000_000, 5_000)
    numbers = CELLS if not setting.quick else (100, 1_000)
    path = in_cells(setting.folder / "cells.parquet", rows, numbers)
    yield from _grown(
        setting,
        f"assess {rows:,} rows",
        "cells",
        [
            (number, _assess(path, f"a{place},b{place}"), _bare(path, f"a{place}, b{place}"))
            for place, number in enumerate(numbers)
        ],
        1.1,
    )
    if setting.quick:
        return
    many = in_cells(setting.folder / "many-cells.parquet", 2 * MANY, [MANY // 5, MANY])
    yield from _grown(
        setting,
        f"assess {2 * MANY:,} rows",
        "cells",
        [
            (MANY // 5, _assess(many, "a0,b0"), _bare(many, "a0, b0")),
            (MANY, _assess(many, "a1,b1"), _bare(many, "a1, b1")),
        ],
        1.1,
    )
    many.unlink()


def _columns(setting: Setting) -> Iterator[Outcome]:
    """Columns beyond the fifth follow from the others, so that cells stay and columns grow."""
    rows = setting.size(2_000_000, 5_000)
    numbers = COLUMNS if not setting.quick else (2, 6)
    free = ", ".join(f"floor(random() * {3 + k})::INT AS q{k}" for k in range(5))
    follow = ", ".join(f"(hash(q{k % 5}, {k}) % 4)::INT AS q{k}" for k in range(5, max(COLUMNS)))
    labels = ", ".join(f"'{label}'" for label in people.LABELS)
    label = f"[{labels}][1 + floor(8 * random() * random())::INT] AS disease"
    path = people.written(
        setting.folder / "columns.parquet", f"SELECT *, {follow} FROM (SELECT {free}, {label} FROM range({rows}))"
    )
    names = [f"q{k}" for k in range(max(COLUMNS))]
    yield from _grown(
        setting,
        f"assess {rows:,} rows",
        "quasi-identifiers",
        [(n, _assess(path, ",".join(names[:n])), _bare(path, ", ".join(names[:n]))) for n in numbers],
        1.0,
        "; columns beyond the fifth follow from others, so that cells stay the same",
    )


def _assess(path: Path, qid: str) -> list[str]:
    return epsilens("assess", path, "--qid", qid, "--sensitive", people.SENSITIVE, "--json")


def _levels(setting: Setting) -> Iterator[Outcome]:
    """People in blocks within groups within tracts: choose for a hierarchy of more and more levels."""
    rows = setting.size(1_000_000, 2_000)
    numbers = LEVELS if not setting.quick else (2, 3)
    groups = ", ".join(f"(c // {8**k})::INT AS l{k}" for k in range(max(LEVELS)))
    path = people.written(
        setting.folder / "levels.parquet",
        f"SELECT {groups}, floor(6 * r)::INT AS race FROM "
        f"(SELECT floor({8**5} * random())::INT AS c, random() * random() AS r FROM range({rows}))",
    )
    seconds, mib = [], []
    for number in numbers:
        levels = ",".join(f"l{k}" for k in range(number))
        try:
            found = child(
                epsilens("choose", path, "--levels", levels, "--by", "race", *_POSTERIOR),
                setting.folder,
                limit=120.0,
            )
        except ChildError as error:
            yield Missing(f"choose for a hierarchy of {number} levels", str(error), failed=True)
            return
        seconds.append(found.seconds)
        mib.append(found.mib)
    yield Growth(
        f"choose for a hierarchy, {rows:,} people in {8**5:,} groups",
        "levels",
        numbers,
        tuple(seconds),
        ours_mib=tuple(mib),
        note="start-up included",
    )


_POSTERIOR = ("--measure", "posterior", "--mechanism", "discrete-gaussian", "--rho", "--max-risk", "0.6", "--json")
