"""What does an attacker learn from a published table? Exact, against Anonymeter's inference attack on the same question

Adult by six columns is published with discrete Laplace noise at epsilon = 1 as people, one row each. The question: of
those whose cell the publication shows, how often is a guess right that is drawn from the published people like them?
Ours sums over cells; Anonymeter takes some targets, looks for the nearest published row and counts. The nearest row of
such a target is one like it, the first of them in an order that is shuffled.

Anonymeter 1.1.0 (Clear BSD licence) wants numpy < 1.27 and pyarrow < 22, beside which Epsilens cannot be installed, so
it gets an environment of its own, made by this benchmark: about 900 MB. ``EPSILENS_ANONYMETER`` may name the Python of
one that is there already.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import epsilens as el
from benchmarks.harness import Setting, alone, n_cores
from benchmarks.outcome import Comparison, Missing, Outcome

WANTED = "anonymeter==1.1.0"
QIDS = ["age", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
ATTACKS = 2_000
NAME = "what an attacker who knows six columns learns from a published table of Adult"
ATTACK = """
import json, sys, time
import numpy as np, pandas as pd
from anonymeter.evaluators import InferenceEvaluator
truth, published, qids, secret, attacks, threads = json.loads(sys.argv[1])
truth, published = pd.read_csv(truth, dtype=str), pd.read_csv(published, dtype=str)
def attacked(number):
    np.random.seed(2026)
    start = time.perf_counter()
    evaluator = InferenceEvaluator(ori=truth, syn=published, aux_cols=qids, secret=secret, n_attacks=number)
    right = int(evaluator.evaluate(n_jobs=threads)._n_success)
    return time.perf_counter() - start, right
attacked(2)  # what numba compiles is not the question
seconds, right = attacked(attacks)
print(json.dumps({"seconds": seconds, "right": right}))
"""


def run(setting: Setting) -> Iterator[Outcome]:
    if missing := setting.no_adult(NAME):
        yield missing
        return
    python = os.environ.get("EPSILENS_ANONYMETER")
    if python is None and setting.quick:
        yield Missing(
            NAME,
            "needs an environment of its own, which takes a minute to make: name one's Python in "
            "EPSILENS_ANONYMETER, or run without --quick",
        )
        return
    try:
        peer = Path(python) if python else _environment(setting.folder / "anonymeter")
    except (subprocess.CalledProcessError, OSError) as error:
        yield Missing(NAME, f"Anonymeter cannot be installed here ({type(error).__name__})")
        return
    yield _compared(setting, peer)


def _compared(setting: Setting, peer: Path) -> Outcome:
    import pandas as pd

    people = pd.read_csv(setting.adult(), skipinitialspace=True, dtype=str)[[*QIDS, SENSITIVE]]
    people = people.head(setting.size(1_000_000, 1_000))
    table = el.read_table(people, el.Schema(QIDS, SENSITIVE))
    rng = np.random.default_rng(2026)
    noisy = np.maximum(table.counts + el.DiscreteLaplaceNoise(1.0).sample(table.counts.shape, rng), 0).astype(int)
    cells = pd.DataFrame(table.cells())
    shown = noisy.sum(axis=1) > 0
    rows = pd.concat(
        [
            cells.loc[cells.index.repeat(noisy[:, k])].assign(**{SENSITIVE: label})
            for k, label in enumerate(table.labels)
        ]
    )
    published, truth = (setting.folder / f"anonymeter-{name}.csv" for name in ("published", "truth"))
    rows = rows.sample(frac=1.0, random_state=2026).reset_index(drop=True)
    rows.to_csv(published, index=False)
    visible = pd.MultiIndex.from_frame(cells[shown])
    targets = people[pd.MultiIndex.from_frame(people[QIDS]).isin(visible)]
    targets.to_csv(truth, index=False)

    def exact() -> float:
        found = el.evaluate(rows, targets, QIDS, SENSITIVE)
        return float(found.observed.soft.right)

    exact()  # imports are not the question
    seconds, right = alone(exact, setting.size(5, 1))
    attacks = min(setting.size(ATTACKS, 50), len(targets))
    words: list[Any] = [str(truth), str(published), QIDS, SENSITIVE, attacks, n_cores()]
    told = subprocess.run(
        [str(peer), "-W", "ignore", "-c", ATTACK, json.dumps(words)],
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
        env={"PATH": os.environ.get("PATH", "")},
    )
    found = json.loads(told.stdout.strip().splitlines()[-1])
    theirs = found["right"] / attacks
    error = math.sqrt(right * (1 - right) / attacks)
    return Comparison(
        f"{NAME}: ours {right:.4f} of {len(targets):,} people, exact; Anonymeter {theirs:.4f} of {attacks:,} targets",
        seconds,
        f"Anonymeter 1.1.0, {attacks:,} attacks, both frames in memory",
        found["seconds"],
        target=1.0,
        difference=abs(right - theirs) / error,
        tolerance=5.0,
        threads=n_cores(),
        note="difference in standard errors of the peer; ours is of everybody, and has no error",
    )


def _environment(folder: Path) -> Path:
    """A Python that has Anonymeter and nothing of ours."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    words = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", WANTED]
    subprocess.run(words, check=True, capture_output=True, timeout=600)
    return python
