from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from epsilens.release.ledger.ledger import Ledger
from tests.unit.cli.conftest import Run, arguments


def test_ledgers_that_are_missing_locked_tampered_with_or_none(
    run: Run, people: Path, universe: Path, tmp_path: Path
) -> None:
    assert run(*arguments(people, universe)).code == 0
    with closing(sqlite3.connect(tmp_path / "b.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waited = run(*arguments(people, universe, "--wait", "0.4", "--out", "p.csv"))
        other.execute("ROLLBACK")
    assert waited.code == 2
    assert "waiting up to 0.4 seconds" in waited.err.splitlines()[0]
    assert "gave up after 0.4 seconds" in waited.err.splitlines()[1]
    with closing(sqlite3.connect(tmp_path / "b.db")) as other:
        other.execute("DROP TRIGGER entries_stay")
        other.execute("UPDATE entries SET body = replace(body, '0.5', '0.1') WHERE number = 2")
        other.commit()
    for command in (
        ("ledger", "verify", "b.db"),
        ("ledger", "show", "b.db"),
        arguments(people, universe, "--out", "p.csv"),
    ):
        outcome = run(*command)
        assert (outcome.code, outcome.err.count("\n")) == (2, 1)
        assert "tampered with: entry 2" in outcome.err
    assert "there is no ledger none.db" in run("ledger", "show", "none.db").err
    assert "not a ledger" in run("ledger", "verify", people).err
    assert run("card", "verify", people).code == 2


def test_what_a_crash_left_is_swept_with_a_line_that_says_so(
    run: Run, people: Path, universe: Path, tmp_path: Path
) -> None:
    assert run(*arguments(people, universe)).code == 0
    reserved = [e for e in Ledger(tmp_path / "b.db").chain().entries if e.kind == "reserve"]
    left = tmp_path / f".o.csv.{reserved[0].body['release']}.tmp"
    left.write_text("noise that was never published")
    found = run("ledger", "sweep", str(tmp_path / "b.db"), str(tmp_path))
    assert (found.code, found.out.splitlines()[-1]) == (
        0,
        "removed 1 temporary file that a crashed release left; what it reserved (entry 2) stays spent.",
    )
    assert not left.exists()
    assert "No release left a temporary file." in run("ledger", "sweep", str(tmp_path / "b.db")).out
    assert run("ledger", "sweep", str(tmp_path / "b.db"), str(tmp_path / "none")).code == 2
    assert json.loads(run("ledger", "sweep", str(tmp_path / "b.db"), "--json").out) == {"removed": []}
    left.write_text("again")
    again = run(*arguments(people, universe, "--force"))
    assert "epsilens: removed 1 temporary file that a crashed release left" in again.err
    assert again.code == 0


def test_two_releases_are_shown_with_what_is_left(run: Run, people: Path, universe: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    assert run(*arguments(people, universe, "--out", "p.csv", "--epsilon", "0.25")).code == 0
    plain, told = run("ledger", "show", "b.db", "--json").json, run("ledger", "show", "b.db").out
    assert [entry["kind"] for entry in plain["entries"]] == ["open", "reserve", "commit", "reserve", "commit"]
    (account,) = plain["accounts"]
    assert account["account"] == "survey"
    assert "epsilon 0.75 spent of epsilon 2" in told
    assert told.splitlines()[-1] == f"head {plain['head']}"
    for word in ("reserve", "commit", "o.csv", "p.csv"):
        assert word in told


def test_rows_cut_off_at_the_end_are_found_with_a_card(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    shorter = (tmp_path / "b.db").read_bytes()
    assert run(*arguments(people, universe, "--out", "p.csv", "--epsilon", "0.25")).code == 0
    (tmp_path / "b.db").write_bytes(shorter)
    assert run("ledger", "verify", "b.db").code == 0  # a shorter chain is a chain
    assert run("ledger", "verify", "b.db", "--card", "o.card.json").code == 0
    outcome = run("ledger", "verify", "b.db", "--card", "o.card.json", "--card", "p.card.json")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "p.card.json" in outcome.err


def test_reading_a_ledger_leaves_nothing_beside_it(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    for command in ("ledger show b.db", "ledger verify b.db", "card verify o.card.json --ledger b.db"):
        assert run(*command.split()).code == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert "show only against a card: --card" in run("ledger", "verify", "b.db").out
