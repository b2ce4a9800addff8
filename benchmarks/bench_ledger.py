"""A ledger of 10,000 entries: verified and shown, and against rereading and hashing its rows in plain Python"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import epsilens as el
from benchmarks.former import against_former
from benchmarks.harness import Setting, by_turns, child, epsilens
from benchmarks.outcome import Comparison, Growth, Outcome


def ledger_of(path: Path, entries: int) -> Path:
    """A ledger with one account and so many entries, reservations and commits by turns.

    The first release is a real one; the others repeat its rows with ids of their own, hashed as the format says
    (SHA-256 of the previous hash, a newline and the body) and written at once.
    """
    table = el.FrequencyTable.from_counts([[1, 2]], labels=["a", "b"])
    told: dict[str, Any] = {"one_row_per_person": True, "cells_are_public": True, "total": el.PureDP(1000.0)}
    el.release_table(table, "discrete-laplace", el.PureDP(0.001), path, "survey", **told)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT number, body, hash FROM entries ORDER BY number").fetchall()
        number, _, last = rows[-1]
        pair = [json.loads(body) for _, body, _ in rows[-2:]]
        while number < entries:
            for body in pair:
                body["release"] = f"{number + 1 - (body['kind'] == 'commit'):016x}"
                text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                following = hashlib.sha256(f"{last}\n{text}".encode()).hexdigest()
                number += 1
                connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (number, text, last, following))
                last = following
        head = [(str(number), "head_number"), (last, "head_hash")]
        connection.executemany("UPDATE meta SET value = ? WHERE name = ?", head)
        connection.commit()
    return path


def reread(path: Path) -> str:
    """The least that verifying takes: every row read, parsed and hashed; the head."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA integrity_check").fetchall()
        last = ""
        for body, previous, own in connection.execute("SELECT body, previous, hash FROM entries ORDER BY number"):
            json.loads(body)
            if (last and previous != last) or hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest() != own:
                raise ValueError("the chain is broken")
            last = own
    return str(last)


def run(setting: Setting) -> Iterator[Outcome]:
    sizes = (100, 2_500, 5_000, 10_000) if not setting.quick else (10, 100)
    books = [ledger_of(setting.folder / f"ledger-{size}.db", size) for size in sizes]
    for command in ("verify", "show"):
        found = [child(epsilens("ledger", command, book), setting.folder) for book in books]
        yield Growth(
            f"epsilens ledger {command}, start-up included",
            "entries",
            sizes,
            tuple(one.seconds for one in found),
            ours_mib=tuple(one.mib for one in found),
            target=1.1,
        )
        if not setting.quick:
            name = f"epsilens ledger {command}, {sizes[-1]:,} entries"
            yield against_former(f"ledger {command}", name, found[-1].seconds, found[-1].mib)
    timed = by_turns(lambda: el.Ledger(books[-1]).chain().head, lambda: reread(books[-1]), setting.size(5, 1))
    yield Comparison(
        f"verify a ledger of {sizes[-1]:,} entries as a library call",
        peer="plain Python that rereads and hashes every row, and checks no account",
        target=None,
        difference=float(timed.ours != timed.theirs),
        tolerance=0.0,
        **timed.seconds,
    )
