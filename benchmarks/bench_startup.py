"""A small file assessed from the command line, against importing the libraries that this cannot do without.

Both are new processes of the same Python, by turns. The peer imports NumPy, DuckDB, Arrow and the DuckDB backend of
Ibis and ends; the command imports these, itself and what it prints with, reads a file of a thousand people, groups them
and answers. ``-X importtime`` of both says where the time goes: the command may not import anything large beyond
(``tests/contract/test_loaded_libraries.py``).
"""

from __future__ import annotations

import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

LIBRARIES = "import numpy, duckdb, pyarrow, ibis, ibis.backends.duckdb"
RUNS = 9
MOST = 1.3


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        people = _people(Path(folder) / "people.csv")
        ours = [sys.executable, "-m", "epsilens", "assess", str(people), "--qid", "age,zip,sex"]
        ours += ["--sensitive", "disease"]
        peer = [sys.executable, "-c", LIBRARIES]
        for command in (ours, peer):  # the first run compiles
            _seconds(command)
        pairs = [(_seconds(ours), _seconds(peer)) for _ in range(RUNS)]
        large = _import_seconds(ours).keys() - _import_seconds(peer).keys()
    own, imports = (statistics.median(side) for side in zip(*pairs, strict=True))
    return [
        {
            "name": "a small file assessed, its start included",
            "ours_seconds": own,
            "peer": f"importing what it cannot do without (at most {MOST} times as long)",
            "peer_seconds": imports,
            "ratio": imports / own,
            "target_ratio": 1.0 / MOST,
            "agreement": float(bool(large & {"pandas", "scipy", "altair", "opendp", "sklearn"})),
        }
    ]


def _people(path: Path) -> Path:
    chance = random.Random(1)
    rows = [
        f"{chance.randint(18, 70)},{chance.choice('abc')},{chance.choice('MF')},{chance.choice(('flu', 'hiv', 'none'))}"
        for _ in range(1000)
    ]
    path.write_text("\n".join(["age,zip,sex,disease", *rows]) + "\n")
    return path


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def _import_seconds(command: list[str]) -> dict[str, float]:
    """Seconds that each library's own modules take to import, by ``-X importtime``."""
    told = subprocess.run([command[0], "-X", "importtime", *command[1:]], check=True, capture_output=True, text=True)
    found: Counter[str] = Counter()
    for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", told.stderr):
        found[name.partition(".")[0]] += int(own)
    return {name: microseconds / 1e6 for name, microseconds in found.items()}
