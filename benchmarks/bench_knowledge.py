"""All sets of Adult's quasi-identifiers at five budgets: against pyCANON, which finds one k of one set

Ours are the people disclosed today, the risk of adding up the noisy table and that of the marginal published itself,
for every set and budget, from the table in its engine; pyCANON has the data frame in memory and finds one number.
"""

from __future__ import annotations

from collections.abc import Iterator

import epsilens as el
from benchmarks.harness import Setting, by_turns, n_cores
from benchmarks.outcome import Comparison, Missing, Outcome
from epsilens.table.to_read import TableToRead

QIDS = ["age", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)


def run(setting: Setting) -> Iterator[Outcome]:
    name = f"{2 ** len(QIDS) - 1} sets of Adult's columns at {len(EPSILONS)} budgets (today, added up, published)"
    try:
        import pandas as pd
        from pycanon import anonymity
    except ImportError:
        yield Missing(name, "pyCANON is not installed (make bench installs it)")
        return
    if not setting.adult().exists():
        yield Missing(name, "needs the data that EPSILENS_DATA points to")
        return
    frame = pd.read_csv(setting.adult(), skipinitialspace=True).head(setting.size(1_000_000, 200))
    schema = el.Schema(QIDS, SENSITIVE)
    el.knowledge(el.read_table(frame.head(100), schema), epsilon=EPSILONS)  # imports and warm-up are not the question
    anonymity.k_anonymity(frame.head(100), QIDS)
    tables: list[el.FrequencyTable] = []
    timed = by_turns(
        lambda: el.knowledge(tables[-1], epsilon=EPSILONS),
        lambda: anonymity.k_anonymity(frame, QIDS),
        setting.size(9, 1),
        before=lambda: tables.append(TableToRead(frame, schema).read()),  # as commands read it
    )
    table = tables[-1]
    exact = [el.average(el.homogeneity.local(table, el.LaplaceNoise(1.0 / epsilon)), table) for epsilon in EPSILONS]
    whole = timed.ours.everything
    differences = [abs(risk.added_up - value) for risk, value in zip(whole.risks, exact, strict=True)]
    yield Comparison(
        name,
        peer="pyCANON, which finds the k of one set",
        target=1.0,
        difference=max(*differences, abs(timed.theirs - el.diagnose(table).k_anonymity)),
        tolerance=1e-12,
        threads=n_cores(),
        note="not the same work: 63 sets x 15 numbers against one number of one set",
        **timed.seconds,
    )
