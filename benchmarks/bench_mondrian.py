"""Mondrian k-anonymity of Adult, 8 quasi-identifiers, k = 10: against anonypy, both from a data frame in memory"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Setting, by_turns, cores
from benchmarks.outcome import Comparison, Missing, Outcome
from epsilens import avoidance as av

QIDS = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
K = 10


def run(setting: Setting) -> Iterator[Outcome]:
    name = f"Mondrian of Adult, k = {K}"
    try:
        import pandas as pd
        from anonypy.mondrian import Mondrian
    except ImportError:
        yield Missing(name, "anonypy is not installed (make bench installs it)")
        return
    if not setting.adult().exists():
        yield Missing(name, "needs the data that EPSILENS_DATA points to")
        return
    frame = pd.read_csv(setting.adult(), skipinitialspace=True).head(setting.size(1_000_000, 300))
    for column in [*QIDS[1:], SENSITIVE]:
        frame[column] = frame[column].astype("category")
    av.KAnonymity(K).anonymised(av.Records.of(frame.head(100), QIDS, QIDS, numeric=["age"]))  # imports, warm-up
    with cores(1) as threads:
        timed = by_turns(
            lambda: av.KAnonymity(K).anonymised(av.Records.of(frame, QIDS, [*QIDS, SENSITIVE], numeric=["age"])),
            lambda: Mondrian(frame, QIDS, SENSITIVE).partition(K),
            setting.size(3, 1),
        )
    ours, theirs = timed.ours, timed.theirs
    their_average = len(frame) / len(theirs)
    too_large = max(0.0, ours.average_size / their_average - 1.0)
    too_small = max(0, K - int(ours.sizes.min()))
    yield Comparison(
        f"{name}: {ours.n_classes} classes of {ours.average_size:.2f} people on average (anonypy {len(theirs)} of "
        f"{their_average:.2f}), smallest {ours.sizes.min()}",
        peer="anonypy",
        target=30.0,
        difference=too_large + too_small,
        tolerance=0.05 if not setting.quick else 0.3,
        threads=threads,
        note="difference: by how much our classes are larger on average; a class below k does not agree",
        **timed.seconds,
    )
