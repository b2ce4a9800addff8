"""Start-up: a small file assessed from the command line, against importing the libraries that this cannot do without

Both are new processes of the same Python, by turns. The peer imports NumPy, DuckDB, Arrow and the DuckDB backend of
Ibis and ends; the command imports these, itself and what it prints with, reads a file of a thousand people, groups them
and answers. ``-X importtime`` of both says where the time goes: the command may not import anything large beyond
(``tests/contract/test_loaded_libraries.py``).
"""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Setting, child, commands_by_turns, environment, epsilens, python
from benchmarks.outcome import Comparison, Outcome

LIBRARIES = "import numpy, duckdb, pyarrow, ibis, ibis.backends.duckdb"
LARGE = {"pandas", "scipy", "altair", "opendp", "sklearn"}
MOST = 1.3


def run(setting: Setting) -> Iterator[Outcome]:
    people = _people(setting.folder / "to-start.csv")
    ours = epsilens("assess", people, "--qid", "age,zip,sex", "--sensitive", "disease")
    peer = python("-c", LIBRARIES)
    for command in (ours, peer):  # the first run compiles
        child(command, setting.folder)
    found = commands_by_turns(ours, peer, setting.folder, setting.size(9, 1))
    imported, needed = _import_seconds(ours), _import_seconds(peer)
    large = sorted((imported.keys() - needed.keys()) & LARGE)
    further = sum(seconds for name, seconds in imported.items() if name not in needed)
    yield Comparison(
        "a small file assessed, its start included",
        peer="importing what it cannot do without",
        target=1.0 / MOST,
        difference=float(len(large)),
        tolerance=0.0,
        note=f"imports by -X importtime: {sum(imported.values()):.2f} s, {sum(needed.values()):.2f} s of the peer, and "
        f"{further:.2f} s of libraries that it has not; difference: large libraries beyond it"
        + (f" ({', '.join(large)})" if large else ""),
        **found.measured,
    )


def _people(path: Path) -> Path:
    chance = random.Random(1)
    rows = [
        f"{chance.randint(18, 70)},{chance.choice('abc')},{chance.choice('MF')},{chance.choice(('flu', 'hiv', 'none'))}"
        for _ in range(1000)
    ]
    path.write_text("\n".join(["age,zip,sex,disease", *rows]) + "\n")
    return path


def _import_seconds(command: list[str]) -> dict[str, float]:
    """Seconds that each library's own modules take to import, by ``-X importtime``."""
    words = [command[0], "-X", "importtime", *command[1:]]
    told = subprocess.run(words, check=True, capture_output=True, text=True, env=environment())
    found: Counter[str] = Counter()
    for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", told.stderr):
        found[name.partition(".")[0]] += int(own)
    return {name: microseconds / 1e6 for name, microseconds in found.items()}
