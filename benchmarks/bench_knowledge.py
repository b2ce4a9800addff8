"""All 63 sets of Adult's six quasi-identifiers at five budgets: Epsilens against one k of pyCANON.

Ours are the people disclosed today, the risk of adding up the noisy table and that of the marginal published itself,
for every set and budget, from the table in its engine; pyCANON has the data frame in memory and finds one number.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from pathlib import Path
from typing import Any

import epsilens as el
from epsilens.noise import laplace_sum
from epsilens.table.to_read import TableToRead

QIDS = ["age", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)
RUNS = 9


def run() -> list[dict[str, Any]]:
    import pandas as pd
    from pycanon import anonymity

    folder = Path(os.environ.get("EPSILENS_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    frame = pd.read_csv(folder / "adult.csv", skipinitialspace=True)
    schema = el.Schema(QIDS, SENSITIVE)
    _knowledge(el.read_table(frame.head(100), schema))  # imports and warm-up are not the question
    anonymity.k_anonymity(frame.head(100), QIDS)

    ours_seconds, peer_seconds = [], []  # by turns, so that whatever else the machine does disturbs both
    for _ in range(RUNS):
        table = TableToRead(frame, schema).read()  # as commands read it
        laplace_sum._usual_weights.cache_clear()
        gc.collect()
        start = time.perf_counter()
        found = _knowledge(table)
        ours_seconds.append(time.perf_counter() - start)
        gc.collect()
        start = time.perf_counter()
        k = anonymity.k_anonymity(frame, QIDS)
        peer_seconds.append(time.perf_counter() - start)
    ours, peer = statistics.median(ours_seconds), statistics.median(peer_seconds)
    whole = found.everything
    exact = [el.average(el.homogeneity.local(table, el.LaplaceNoise(1.0 / epsilon)), table) for epsilon in EPSILONS]
    differences = [abs(risk.added_up - value) for risk, value in zip(whole.risks, exact, strict=True)]
    return [
        {
            "name": f"{len(found.sets)} sets of Adult's columns at {len(EPSILONS)} budgets (today, added up, "
            "published)",
            "ours_seconds": ours,
            "peer": "pyCANON, which finds the k of one set",
            "peer_seconds": peer,
            "ratio": peer / ours,
            "target_ratio": 1,
            "agreement": max(*differences, abs(k - el.diagnose(table).k_anonymity)),
        }
    ]


def _knowledge(table: el.FrequencyTable) -> el.Knowledge:
    return el.knowledge(table, epsilon=EPSILONS)
