"""Real processes killed at random instants, and real processes that race for one budget."""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from epsilens.release import Ledger
from epsilens.release.verification import failures, verify_card

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
KILLS = 200

# One process imports everything and then forks a child per line it reads: "name seconds" kills it after that time
# unless it is over by then. A child that is over stays a zombie until it is waited for, so nobody else is ever killed.
SERVER = """
import os, signal, sys, time
import numpy as np
import epsilens as el
from epsilens.release import release_table
import epsilens.release.tables.release, epsilens.posterior, opendp.prelude, pyarrow.csv, pyarrow as pa
pa.set_cpu_count(1); pa.set_io_thread_count(1)
folder = sys.argv[1]
counts = np.arange(60).reshape(30, 2) % 7
table = el.FrequencyTable.from_counts(counts, labels=["no", "yes"])
print("ready", flush=True)
for line in sys.stdin:
    name, instant = line.split()
    child = os.fork()
    if child == 0:
        try:
            release_table(table, "discrete-laplace", el.PureDP(0.001), f"{folder}/b.db", "survey", total=el.PureDP(1.0),
                          one_row_per_person=True, cells_are_public=True, out=f"{folder}/{name}.csv", wait=20.0)
        except BaseException as problem:
            print(type(problem).__name__, problem, file=sys.stderr, flush=True)
            os._exit(3)
        os._exit(0)
    if float(instant) >= 0:
        time.sleep(float(instant))
        os.kill(child, signal.SIGKILL)
    print(os.waitpid(child, 0)[1], flush=True)
"""


def outputs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.csv") if not path.name.startswith("."))


def test_200_kills_at_random_instants_lose_no_entry(tmp_path: Path) -> None:
    deadline, chance = time.monotonic() + 500, random.Random(2026)
    killed = attempts = 0
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            assert server.stdout.readline() == "ready\n"

            def run(name: str, instant: float) -> int:
                """Run a release, kill it after ``instant`` seconds unless that is negative; its exit status."""
                assert time.monotonic() < deadline
                print(name, instant, file=server.stdin, flush=True)
                return int(server.stdout.readline())  # type: ignore[union-attr]

            start = time.monotonic()
            assert [run(f"warm{i}", -1.0) for i in range(3)] == [0, 0, 0]
            usual = (time.monotonic() - start) / 3
            while killed < KILLS:
                assert attempts < 5 * KILLS
                attempts += 1
                status = run(f"o{attempts}", chance.uniform(0, 1.1 * usual))
                killed += os.WIFSIGNALED(status)
                assert os.WIFSIGNALED(status) or status == 0
        finally:
            server.kill()
    chain = Ledger(tmp_path / "b.db").chain()
    reserved = {entry.body["output"]: entry.body["release"] for entry in chain.reservations("survey")}
    written = outputs(tmp_path)
    without_entry = [path.name for path in written if path.name not in reserved]
    assert without_entry == []
    assert len(written) <= len(reserved)
    # Whatever exists is whole, and everything drawn is counted: the account has spent what it reserved, to the digit.
    for path in written:
        assert len(list(csv.DictReader(path.read_text().splitlines()))) == 60
        assert path.with_suffix(".card.json").exists()
    spent = chain.accounts["survey"].spent(chain.costs("survey"))["epsilon"]
    assert spent == len(reserved) * chain.costs("survey")[0].epsilon  # type: ignore[operator]
    finished = [p for p in written if chain.commit_of(reserved[p.name])]
    for path in finished[:5]:
        checks = verify_card(path.with_suffix(".card.json"), ledger=tmp_path / "b.db")
        assert not list(failures(checks))
    # What the killed ones left is swept, but for files that were not even marked yet, and nothing that was published.
    Ledger(tmp_path / "b.db").swept([tmp_path])
    assert all(path.stat().st_size == 0 for path in tmp_path.glob(".*.tmp"))
    assert outputs(tmp_path) == written
    print(
        f"{killed} kills in {attempts} releases of {usual * 1000:.0f} ms: {len(reserved)} reservations, "
        f"{len(written)} outputs, {len(finished)} committed, 0 outputs without an entry"
    )


RACER = """
import sys, time
from pathlib import Path
import epsilens as el
from epsilens.release import release_table, BudgetExceededError
import epsilens.release.tables.release, opendp.prelude
folder, number = Path(sys.argv[1]), sys.argv[2]
table = el.FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["no", "yes"])
(folder / f"ready{number}").touch()
while not (folder / "go").exists():
    time.sleep(0.005)
try:
    terms = {"total": el.PureDP(1.0)}
    if sys.argv[3] == "plan":
        terms = {"total": el.ApproxDP(2.0, 1e-6), "composition": "pld", "plan": 10}
    release_table(table, "discrete-laplace", el.PureDP(0.1), folder / "b.db", "survey", **terms,
                  one_row_per_person=True, cells_are_public=True, out=folder / f"o{number}.csv", wait=60.0)
except BudgetExceededError:
    sys.exit(7)
"""


@pytest.mark.parametrize("terms", ["budget", "plan"])
def test_16_processes_race_for_a_budget_or_a_plan_that_admits_10(tmp_path: Path, terms: str) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(tmp_path), str(i), terms], cwd=ROOT, stderr=subprocess.PIPE)
        for i in range(16)
    ]
    try:
        deadline = time.monotonic() + 120
        while len(list(tmp_path.glob("ready*"))) < 16:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        (tmp_path / "go").touch()
        errors = [racer.communicate(timeout=120)[1].decode() for racer in racers]
    finally:
        for racer in racers:
            racer.kill()
    assert sorted(racer.returncode for racer in racers) == [0] * 10 + [7] * 6, errors
    assert len(outputs(tmp_path)) == 10
    chain = Ledger(tmp_path / "b.db").chain()
    assert len(chain.reservations("survey")) == 10
    assert [entry.kind for entry in chain.entries].count("open") == 1
    assert [entry.kind for entry in chain.entries].count("commit") == 10


def test_the_command_line_killed_while_it_draws(tmp_path: Path) -> None:
    """A kill in the middle of a long release: no output, a reservation that counts, a ledger that goes on."""
    levels = [str(i) for i in range(600)]
    (tmp_path / "people.csv").write_text("a,b\n" + "".join(f"{i % 600},{i % 7}\n" for i in range(1000)))
    (tmp_path / "u.json").write_text(str({"a": levels, "b": levels}).replace("'", '"'))
    command = [
        sys.executable, "-m", "epsilens", "release", "people.csv", "--columns", "a,b", "--universe", "u.json",
        "--epsilon", "0.5", "--ledger", "b.db", "--account", "s", "--total-epsilon", "2", "--one-row-per-person",
        "--out", "o.csv",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "b.db").exists() or not Ledger(tmp_path / "b.db").chain().reservations("s"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
        process.communicate(timeout=10)
    assert outputs(tmp_path) == [tmp_path / "people.csv"]
    assert len(Ledger(tmp_path / "b.db").chain().reservations("s")) == 1
    done = subprocess.run(
        [*command, "--epsilon", "1.5"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "epsilon 0 left" in done.stdout


def test_three_processes_hammering_a_ledger_all_wait_their_turn(tmp_path: Path) -> None:
    script = (
        "import sys; from epsilens.release.ledger.ledger import Ledger\n"
        "for _ in range(150):\n"
        "    with Ledger(sys.argv[1])._writing() as connection:\n"
        "        connection.execute('SELECT count(*) FROM entries').fetchone()\n"
    )
    Ledger(tmp_path / "b.db")._create()
    hammers = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "b.db")], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    for hammer in hammers:
        _, problem = hammer.communicate(timeout=120)
        assert hammer.returncode == 0, problem.decode()
