"""Run the benchmarks, each in a process of its own, and write what they find: a page, a JSON file, lines on the way.

``python -m benchmarks`` runs all of them and writes ``docs/benchmarks.md`` and the computed part of ``docs/scale.md``.
With names it runs those and writes no page, unless one is named. One benchmark that fails is a line, not the end.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import importlib
import json
import pkgutil
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks import page, scale
from benchmarks.harness import REPOSITORY, Setting
from benchmarks.machine import load, machine
from benchmarks.outcome import Found, Missing, Outcome, from_plain, to_plain

LIMIT_SECONDS = 900.0
ORDER = ("startup", "assess", "reading", "labels", "growth", "signatures", "curves", "choose", "diagnostics")
"""First these, then all others by name."""


def names() -> list[str]:
    """All benchmarks, in the order of the page."""
    found = [info.name for info in pkgutil.iter_modules(benchmarks.__path__) if info.name.startswith("bench_")]
    known = sorted(name.removeprefix("bench_") for name in found)
    return [*(name for name in ORDER if name in known), *(name for name in known if name not in ORDER)]


def parsed(words: list[str]) -> argparse.Namespace:
    """What the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Epsilens against its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names())}; all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that all of them work and agree")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write what was found as JSON")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page here")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="make data in a temporary folder of this one")
    parser.add_argument("--render", type=Path, metavar="FILE", help="write the page of an earlier run's JSON again")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "LINES"), help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if unknown := [name for name in asked.names if name not in names()]:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(names())}")
    return asked


def main(words: list[str]) -> int:
    """Run what is asked; 1 where a target is missed, answers disagree or a benchmark fails."""
    asked = parsed(words)
    if asked.one:
        run_one(asked.one[0], Setting(asked.folder, asked.quick), Path(asked.one[1]))
        return 0
    if asked.render:
        write_pages(
            read(asked.render), asked.page or REPOSITORY / "docs" / "benchmarks.md", scale_too=asked.page is None
        )
        return 0
    begun = time.perf_counter()
    chosen = asked.names or names()
    facts = {"machine": machine(), "load_before": load(), "quick": asked.quick, "all": not asked.names}
    words = ["python", "-m", "benchmarks", *asked.names, *(["--quick"] if asked.quick else [])]
    facts |= {"date": datetime.date.today().isoformat(), "command": shlex.join(words)}
    with tempfile.TemporaryDirectory(prefix="epsilens-bench-", dir=asked.folder) as folder:
        found = [measured(name, Path(folder), asked.quick) for name in chosen]
    run = {**facts, "seconds": time.perf_counter() - begun, "benchmarks": found}
    if asked.json:
        asked.json.write_text(json.dumps(plain(run), indent=1) + "\n")
    whole = not asked.names and not asked.quick
    if asked.page or whole:
        write_pages(run, asked.page or REPOSITORY / "docs" / "benchmarks.md", scale_too=whole and not asked.page)
    outcomes = [outcome for one in found for outcome in one.outcomes]
    print(page.summary(outcomes), flush=True)
    bad = page.failed(outcomes) or (page.missed(outcomes) and not asked.quick)
    return 1 if bad else 0


def measured(name: str, folder: Path, quick: bool) -> Found:
    """The outcomes of one benchmark, run in a process of its own; those it found before it failed are kept."""
    title = _title(name)
    print(f"== {name}: {title}", flush=True)
    lines = folder / f"{name}.jsonl"
    words = [sys.executable, "-m", "benchmarks", "--one", name, str(lines), "--folder", str(folder)]
    begun = time.perf_counter()
    why = ""
    running = subprocess.Popen([*words, *(["--quick"] if quick else [])], stderr=subprocess.PIPE, text=True)
    try:
        _, told = running.communicate(timeout=LIMIT_SECONDS)
        if running.returncode:
            last = told.strip().splitlines()[-1:] or [f"exit code {running.returncode}"]
            why = last[0].replace(str(folder), "...")
            print(told, file=sys.stderr, flush=True)
    except subprocess.TimeoutExpired:
        why = f"stopped after {LIMIT_SECONDS:.0f} seconds"
    finally:
        if running.poll() is None:
            running.terminate()  # which it passes on to what it has started
            running.communicate()
    outcomes = [from_plain(json.loads(line)) for line in lines.read_text().splitlines()] if lines.exists() else []
    if why:
        outcomes.append(Missing(title, why, failed=True))
        print(page.line(outcomes[-1]), flush=True)
    return Found(name, title, time.perf_counter() - begun, tuple(outcomes))


def _title(name: str) -> str:
    """The first line of its docstring, without importing what it imports."""
    source = Path(benchmarks.__path__[0], f"bench_{name}.py").read_text()
    return (ast.get_docstring(ast.parse(source)) or name).splitlines()[0]


def run_one(name: str, setting: Setting, lines: Path) -> None:
    """Run a benchmark in this process; each outcome is written when it is found."""
    found: Iterator[Outcome] = importlib.import_module(f"benchmarks.bench_{name}").run(setting)
    with lines.open("w") as stream:
        for outcome in found:
            if setting.quick and not isinstance(outcome, Missing):  # small sizes have no target
                outcome = replace(outcome, target=None)
            stream.write(json.dumps(to_plain(outcome)) + "\n")
            stream.flush()
            print("  " + page.line(outcome), flush=True)


def plain(run: dict[str, Any]) -> dict[str, Any]:
    """A run for JSON."""
    found = [
        {
            "benchmark": f.benchmark,
            "title": f.title,
            "seconds": f.seconds,
            "outcomes": [to_plain(outcome) for outcome in f.outcomes],
        }
        for f in run["benchmarks"]
    ]
    return {**run, "benchmarks": found}


def read(path: Path) -> dict[str, Any]:
    """A run from JSON."""
    run = json.loads(path.read_text())
    run["benchmarks"] = [
        Found(f["benchmark"], f["title"], f["seconds"], tuple(from_plain(o) for o in f["outcomes"]))
        for f in run["benchmarks"]
    ]
    return dict(run)


def write_pages(run: dict[str, Any], path: Path, scale_too: bool) -> None:
    """The page of the ratios and, after a whole run, the computed part of the page about scale."""
    path.write_text(page.rendered(run))
    print(f"written: {path.name}", flush=True)
    if scale_too:
        outcomes = [outcome for one in run["benchmarks"] for outcome in one.outcomes]
        scale.update(REPOSITORY / "docs" / "scale.md", outcomes, run["machine"])


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # whoever stops a run leaves nothing behind
    sys.exit(main(sys.argv[1:]))
