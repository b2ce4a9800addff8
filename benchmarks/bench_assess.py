"""The whole `assess` against the bare engine: one GROUP BY with filtered counts, and one of the signatures"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import epsilens as el
from benchmarks import careful, people
from benchmarks.harness import (
    Child,
    ChildError,
    Setting,
    Turned,
    by_turns,
    commands_by_turns,
    epsilens,
    n_cores,
    python,
)
from benchmarks.outcome import Comparison, Growth, Missing, Outcome

ROWS = (100_000, 1_000_000, 10_000_000, 100_000_000, 300_000_000)
LIBRARY_ROWS = ROWS[:4]
PEER = "bare DuckDB, labels known to whoever wrote the query"
WITHIN = 1.3
SLOW = 120.0  # seconds for all runs of one size
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)
TWO_LABELS = ("--qid", "region,age,race,education", "--bins", "age=5", "--sensitive", "sex")
"""About as many cells as of :data:`people.ASKED`, and far fewer signatures: nearly all of it is reading."""


def bare_statements(pattern: str) -> list[str]:
    """The two queries."""
    cells = people.bare_cells(people.parquet(pattern), people.KEYS)
    return [f"CREATE TEMP TABLE cells AS {cells}", people.bare_signatures()]


def of_two_labels(pattern: str) -> list[str]:
    """The two queries where the sensitive attribute has two values."""
    source, keys = people.parquet(pattern), "region, age // 5, race, education"
    return [
        f"CREATE TEMP TABLE cells AS {people.bare_cells(source, keys, 'sex', ('f', 'm'))}",
        people.bare_signatures(2),
    ]


def run(setting: Setting) -> Iterator[Outcome]:
    sizes = ROWS if not setting.quick else (2_000, 20_000)
    tiny = people.people(setting.folder, 1_000)
    start = commands_by_turns(
        epsilens("assess", tiny, *people.ASKED, "--json"),
        python(*people.bare(bare_statements(tiny))),
        setting.folder,
        setting.size(5, 1),
    )
    yield Comparison(
        "start-up: the assess command on 1,000 rows",
        peer="bare DuckDB in a Python process",
        target=None,
        difference=_apart(start.ours, start.peer),
        tolerance=0.0,
        threads=n_cores(),
        **start.measured,
    )
    done: list[tuple[int, Child, Child]] = []
    for rows in sizes:
        pattern = people.people(setting.folder, rows)
        try:
            found = commands_by_turns(
                epsilens("assess", pattern, *people.ASKED, "--json"),
                python(*people.bare(bare_statements(pattern))),
                setting.folder,
                setting.size(5 if rows < 10**7 else 3, 1),
                SLOW,
            )
        except ChildError as error:
            yield Missing(f"assess command, {rows:,} rows", str(error), failed=True)
            continue
        done.append((rows, found.ours, found.peer))
        measured = found.measured
        yield Comparison(
            f"assess command, {rows:,} rows, start-up included",
            peer=PEER,
            target=None,
            difference=_apart(found.ours, found.peer),
            tolerance=0.0,
            threads=n_cores(),
            limit_mib=1536.0 if rows == ROWS[-1] else None,
            note="difference: of the cells that are counted",
            **measured,
        )
        if rows >= 10**6:
            measured |= {
                "ours_seconds": found.ours.seconds - start.ours.seconds,
                "peer_seconds": found.peer.seconds - start.peer.seconds,
            }
            yield Comparison(
                f"assess command, {rows:,} rows, start-up apart",
                peer=PEER,
                target=1.0 / WITHIN if rows >= 10**8 else None,
                difference=_apart(found.ours, found.peer),
                tolerance=0.0,
                threads=n_cores(),
                note="start-up of either side, as above, taken off",
                **measured,
            )
    yield _two_labels(setting, start)
    if len(done) > 1:
        yield Growth(
            "assess command",
            "rows",
            tuple(rows for rows, _, _ in done),
            tuple(ours.seconds for _, ours, _ in done),
            "bare DuckDB",
            tuple(peer.seconds for _, _, peer in done),
            tuple(ours.mib for _, ours, _ in done),
            tuple(peer.mib for _, _, peer in done),
            target=1.05,
        )
    yield from _library(setting)


def _two_labels(setting: Setting, start: Turned) -> Outcome:
    rows = setting.size(10**8, 20_000)
    pattern = people.people(setting.folder, rows)
    found = commands_by_turns(
        epsilens("assess", pattern, *TWO_LABELS, "--json"),
        python(*people.bare(of_two_labels(pattern))),
        setting.folder,
        setting.size(3, 1),
        SLOW,
    )
    seconds = {
        "ours_seconds": found.ours.seconds - start.ours.seconds,
        "peer_seconds": found.peer.seconds - start.peer.seconds,
    }
    return Comparison(
        f"assess command, {rows:,} rows, two labels, start-up apart",
        peer=PEER,
        target=1.0 / WITHIN,
        difference=_apart(found.ours, found.peer),
        tolerance=0.0,
        threads=n_cores(),
        note=f"{json.loads(found.ours.printed)['cells']:,} cells; start-up of either side, as above, taken off",
        **{**found.measured, **seconds},
    )


def _apart(ours: Child, peer: Child) -> float:
    """By how many cells the two differ; the bare engine's are those of its signatures. Risks: see the library call."""
    found, theirs = json.loads(ours.printed), json.loads(peer.printed)
    return float(abs(found["cells"] - theirs["total"]))


def _library(setting: Setting) -> Iterator[Outcome]:
    sizes = LIBRARY_ROWS if not setting.quick else (2_000, 20_000)
    schema = el.Schema(people.QIDS, people.SENSITIVE, bins={"age": 10})
    budgets = [el.PureDP(epsilon) for epsilon in EPSILONS]
    el.risk_curve(el.read_table(people.people(setting.folder, 1_000), schema), "laplace", budgets)  # imports

    def ours(pattern: str) -> np.ndarray:
        return el.risk_curve(el.read_table(pattern, schema), "laplace", budgets).risks

    seconds: list[tuple[int, float, float]] = []
    for rows in sizes:
        pattern = people.people(setting.folder, rows)
        timed = by_turns(partial(ours, pattern), partial(bare, pattern), setting.size(3, 1), 45.0)
        counts, cells = timed.theirs
        risks = careful.curve_of(counts, cells, [careful.laplace(1.0 / epsilon) for epsilon in EPSILONS])
        seconds.append((rows, timed.ours_seconds, timed.peer_seconds))
        yield Comparison(
            f"read_table and the risk at {len(EPSILONS)} budgets, {rows:,} rows, as a library call",
            peer="bare DuckDB up to the signatures",
            target=1.0 / WITHIN if rows == 10**8 else None,
            difference=float(np.abs(risks - timed.ours).max()),
            tolerance=1e-12,
            threads=n_cores(),
            note="difference: of the risks, those of the peer by careful NumPy (not timed)",
            **timed.seconds,
        )
    yield Growth(
        "read_table and the risk, as a library call",
        "rows",
        tuple(rows for rows, _, _ in seconds),
        tuple(one for _, one, _ in seconds),
        "bare DuckDB",
        tuple(peer for _, _, peer in seconds),
        target=1.05,
    )


def bare(pattern: str) -> tuple[np.ndarray, np.ndarray]:
    """The signatures by the bare engine, in this process: count vectors, and how many cells have each."""
    connection = people.engine()
    create, signatures = bare_statements(pattern)
    connection.execute(create)
    found: dict[str, Any] = connection.execute(signatures).fetchnumpy()
    connection.close()
    columns = list(found.values())
    return np.stack(columns[:-1], axis=1), columns[-1]
