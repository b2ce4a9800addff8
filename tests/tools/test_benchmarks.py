"""The harness of the benchmarks: medians by turns, slopes, the page and what it computes; and that all of them work."""

from __future__ import annotations

import functools
import itertools
import json
import math
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import benchmarks.__main__ as command
import numpy as np
import pytest
from benchmarks import careful, harness, launch, page, sanitise, scale
from benchmarks.former import against_former
from benchmarks.machine import machine
from benchmarks.outcome import Comparison, Found, Growth, Missing, Outcome, from_plain, slope, to_plain

from epsilens.noise import LaplaceNoise
from tests.conftest import REPOSITORY

FAST = Comparison("reading", 2.0, "bare DuckDB", 3.0, target=1.0, difference=0.0, tolerance=0.0, runs=3, ours_mib=9.0)
SHORT = Comparison("guessing", 4.0, "careful | NumPy", 2.0, target=0.8, difference=1e-15, tolerance=1e-12)
WRONG = Comparison("counting", 1.0, "pyCANON", 500.0, target=None, difference=math.nan, tolerance=1e-12)
ROWS = Growth(
    "assess command", "rows", (1e7, 1e8, 3e8), (3.0, 20.0, 60.0), ours_mib=(500.0, 900.0, 1000.0), target=1.05
)
STEEP = Growth("steep", "cells", (10, 100), (1.0, 100.0), "bare DuckDB", (1.0, 10.0), target=1.1)
SKIPPED = Missing("Spark", "Java is not here")
FAILED = Missing("ledger", "no room in /tmp/epsilens-bench-x/y on this disk", failed=True)
ALL: list[Outcome] = [FAST, SHORT, WRONG, ROWS, STEEP, SKIPPED, FAILED]


def a_run(outcomes: list[Outcome], **facts: Any) -> dict[str, Any]:
    told = {"machine": {"cores": "2", "memory": "24 GiB"}, "load_before": 0.1, "quick": False, "all": True}
    told |= {"date": "2026-11-16", "command": "python -m benchmarks", "seconds": 60.0}
    return {**told, **facts, "benchmarks": [Found("some", "Some of them", 60.0, tuple(outcomes))]}


def test_slopes_are_those_of_powers() -> None:
    sizes = (10.0, 100.0, 1000.0)
    assert slope(sizes, [3 * size**1.5 for size in sizes]) == pytest.approx(1.5, rel=1e-12)
    assert math.isnan(slope((10.0,), (1.0,)))
    assert math.isnan(slope((10.0, 10.0), (1.0, 2.0)))
    assert STEEP.last_slope == pytest.approx(2.0)
    assert (STEEP.met, ROWS.met) == (False, True)
    with pytest.raises(ValueError, match="1 values of 2 sizes"):
        Growth("g", "rows", (1, 2), (1.0,))


def test_a_target_is_met_by_the_right_answer_in_time_and_memory_only() -> None:
    assert (FAST.ratio, FAST.met) == (1.5, True)
    assert not SHORT.met
    assert not WRONG.agrees
    assert not WRONG.met
    assert not Comparison("large", 1.0, "p", 9.0, 1.0, 0.0, 0.0, ours_mib=2000.0, limit_mib=1536.0).met


def test_both_sides_run_by_turns_and_medians_are_odd(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    seconds = itertools.cycle([5.0, 1.0, 2.0])
    now = 0.0

    def clock() -> float:
        return now

    def spend(name: str, amount: float) -> str:
        nonlocal now
        now += amount
        order.append(name)
        return name

    monkeypatch.setattr("benchmarks.harness.time.perf_counter", clock)
    timed = harness.by_turns(lambda: spend("ours", next(seconds)), lambda: spend("peer", 4.0), 3, 1e9)
    assert order == ["ours", "peer"] * 3
    assert (timed.ours_seconds, timed.peer_seconds, timed.runs) == (2.0, 4.0, 3)
    assert (timed.ours, timed.theirs) == ("ours", "peer")
    slow = harness.by_turns(lambda: spend("ours", 50.0), lambda: spend("peer", 50.0), 5, 60.0)
    assert slow.runs == 1
    hurried = harness.by_turns(lambda: spend("ours", 10.0), lambda: spend("peer", 10.0), 99, 100.0)
    assert hurried.runs == 5


def test_what_formulas_remember_is_forgotten_between_runs() -> None:
    def doubled(x: int) -> int:
        return 2 * x

    doubled.__module__ = "epsilens.noise.somewhere"
    remembered, engine = functools.cache(doubled), functools.cache(lambda: "open")
    assert (remembered(1), engine()) == (2, "open")
    harness.forget()
    assert (remembered.cache_info().currsize, engine.cache_info().currsize) == (0, 1)


def test_a_process_of_its_own_tells_its_time_its_memory_and_its_last_word(tmp_path: Path) -> None:
    found = harness.child(harness.python("-c", "print(7); x = b'x' * 50_000_000"), tmp_path)
    assert found.printed == "7\n"
    assert 48 < found.mib < 200
    assert found.seconds > 0
    with pytest.raises(harness.ChildError, match=r"^no table$"):
        harness.child(harness.python("-c", "import sys; sys.exit('no table')"), tmp_path)
    with pytest.raises(harness.ChildError, match="stopped after 0 seconds"):
        harness.child(harness.python("-c", "import time; time.sleep(9)"), tmp_path, limit=0.2)
    assert callable(launch.main)


def test_outcomes_survive_json() -> None:
    for outcome in ALL:
        read = from_plain(json.loads(json.dumps(to_plain(outcome), allow_nan=False)))
        assert repr(read) == repr(outcome)  # not a number is not equal to itself


def test_what_is_quoted_says_so() -> None:
    found = against_former("sequence", "a sequence", 9.3)
    assert found.ratio == pytest.approx(10.0)
    assert found.target == 10.0
    assert "quoted" in found.peer


def test_the_page_has_ratios_slopes_and_what_is_missed_and_no_paths() -> None:
    text = page.rendered(a_run(ALL))
    assert "**2 of 4 targets are met.** Missed:" in text
    assert "- guessing (against careful | NumPy): 0.50 times as fast, target 0.8: at most 1.25 times as long" in text
    assert "- counting (against pyCANON): answers disagree" in text
    assert "- steep (against bare DuckDB): grows with cells at a slope of 2.00 at last, target 1.1" in text
    assert "| some | guessing | 4.0 s | careful \\| NumPy | 2.0 s | 0.50 | 0.8 | **no** |" in text
    assert "log-log slope 2.00, last step 2.00 (target at most 1.1: **missed**); bare DuckDB 1.00." in text
    assert "- ledger: no room in ... on this disk" in text
    assert "| memory | 24 GiB |" in text
    assert page.REDUCED not in text
    assert page.REDUCED in page.rendered(a_run([FAST], quick=True))
    assert page.REDUCED in page.rendered(a_run([FAST], all=False))
    assert page.summary(ALL) == "2 of 4 targets met, 2 failed or disagreeing"
    assert [page.line(one)[:4] for one in ALL] == ["ok  ", "MISS", "DIFF", "ok  ", "MISS", "skip", "FAIL"]


def test_the_machine_is_described_without_its_name() -> None:
    found = machine()
    assert {"processor", "cores", "memory", "Python", "duckdb", "numpy"} <= set(found)
    assert platform.node() not in " ".join(found.values()).split()
    assert "/" not in "".join(found.values()).replace("GNU/", "")


def test_the_census_is_computed_from_what_was_measured(tmp_path: Path) -> None:
    cells = Growth("assess 100,000,000 rows", "cells", (1e7, 5e7), (24.0, 40.0), ours_mib=(2000.0, 8000.0))
    spark = [
        Comparison(f"Spark (local[2], Parquet), {rows:,} rows", s, "it", 1.0, None, 0.0, 0.0, size=rows)
        for rows, s in ((1_000_000, 10.0), (10_000_000, 28.0))
    ]
    noise = Comparison("release of 10,000,000 counts", 50.0, "it", 1.0, None, 0.0, 0.0, threads=2, size=10_000_000)
    reading = scale.Reading(ROWS, cells, 1e8)
    assert reading.beyond == pytest.approx(20.0)  # 40 s, less the 20 s of 100 million people
    assert reading.cells_slope == pytest.approx(1.0)  # of 4 s and 20 s beyond the people
    # 60 s x 1.1 for the people, 20 s x 110 / 50 for the cells
    assert reading.seconds(330e6, 110e6) == pytest.approx(66.0 + 44.0)
    assert reading.mib(110e6) == pytest.approx(17_600.0)
    place = tmp_path / "scale.md"
    place.write_text(f"before\n{scale.BEGIN}\nold\n{scale.END}\nafter\n")
    scale.update(place, [ROWS, cells, *spark, noise], {"cores": "2"})
    text = place.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "\nold\n" not in text
    assert "| 3 | 110,000,000 | 110 seconds | 17.2 GiB |" in text
    assert "4.00 core-seconds for each further million" in text
    assert "1,320 core-seconds" in text
    assert f"| 64 | {10 + 1320 / 64:.0f} seconds |" in text
    assert "16.1 billion counts" in text
    assert "22.4 hours" in text
    scale.update(place, [], {})
    assert "has not measured" in place.read_text()
    place.write_text("no marks")
    with pytest.raises(ValueError, match="once each"):
        scale.update(place, [], {})


def test_the_page_of_the_repository_has_its_marks() -> None:
    text = (REPOSITORY / "docs" / "scale.md").read_text()
    assert text.count(scale.BEGIN) == text.count(scale.END) == 1


def test_careful_and_plain_numpy_and_the_recipe_compute_the_same() -> None:
    counts = np.array([[2, 0, 1], [1, 0, 2], [0, 3, 0], [1, 1, 1], [300, 0, 1]])
    laws = [careful.laplace(0.5), careful.geometric(2.0), careful.gaussian(1.0)]
    exact = careful.plain(counts, laws)
    for alike in (True, False):
        np.testing.assert_allclose(careful.curve(counts, laws, alike), exact, rtol=1e-13)
    assert len(careful.distinct(counts)[0]) == 4
    assert len(careful.distinct(counts, alike=False)[0]) == 5
    wide = np.full((2, 9), 255)  # does not fit in one number
    assert careful.distinct(wide)[1].tolist() == [2]
    mean, error = sanitise.sanitised(counts, LaplaceNoise(0.5), "local", 400, np.random.default_rng(1))
    assert abs(mean - exact[0]) < 5 * error


def test_a_benchmark_that_fails_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.__main__.sys.executable", "/bin/false")
    found = command.measured("ledger", tmp_path, quick=True)
    assert [(one.failed, one.why) for one in found.outcomes if isinstance(one, Missing)] == [(True, "exit code 1")]


def test_names_are_known_and_every_benchmark_has_a_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert {"assess", "signatures", "diagnostics", "posterior", "release"} <= set(command.names())
    assert all(command._title(name) != name for name in command.names())
    with pytest.raises(SystemExit):
        command.main(["asess"])
    assert "there is no benchmark 'asess'" in capsys.readouterr().err


def test_a_run_is_written_as_json_and_rendered_again(tmp_path: Path) -> None:
    kept, written = tmp_path / "run.json", tmp_path / "page.md"
    kept.write_text(json.dumps(command.plain(a_run(ALL))))
    assert command.main(["--render", str(kept), "--page", str(written)]) == 0
    assert written.read_text() == page.rendered(a_run(ALL))


QUICK = ("assess", "choose", "curves", "labels", "ledger", "posterior", "release", "signatures")
"""Those that are not long at small sizes either; ``python -m benchmarks --quick`` tries all."""


@pytest.mark.slow
def test_benchmarks_work_and_agree_at_small_sizes(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "benchmarks", *QUICK, "--quick", "--json", str(tmp_path / "run.json")]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    run = json.loads((tmp_path / "run.json").read_text())
    assert tuple(one["benchmark"] for one in run["benchmarks"]) == QUICK
    assert all(one["outcomes"] for one in run["benchmarks"])
