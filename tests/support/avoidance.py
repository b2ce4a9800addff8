"""Tables and people that tests of disclosure avoidance share."""

from __future__ import annotations

import numpy as np

import epsilens as el
from epsilens import avoidance as av
from epsilens.avoidance.records import Records

SETTINGS = av.Settings(k=3, swap=("race",), share=0.3)


def random_histogram(seed: int, ordered: tuple[str, ...] = ()) -> av.Histogram:
    rng = np.random.default_rng(seed)
    counts = rng.negative_binomial(1, 0.2, (3, 4, 2)) * (rng.random((3, 4, 2)) < 0.7)
    levels = tuple(tuple(str(i) for i in range(size)) for size in counts.shape)
    return av.Histogram(counts.astype(np.int64), ("puma", "race", "income"), levels, ("puma", "race"), ordered)


def people(n: int, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    frame = {
        "age": rng.integers(18, 90, n),
        "town": rng.choice(["ash", "birch", "cedar", "elm", "fir"], n, p=[0.4, 0.3, 0.2, 0.07, 0.03]),
        "sex": rng.choice(["f", "m"], n),
        "ill": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
    }
    return Records.of(frame, ["age", "town", "sex"], numeric=["age"])


TREE = av.GeneralisationHierarchy.from_parents(
    {"ash": "broad", "birch": "broad", "elm": "broad", "cedar": "needle", "fir": "needle", "broad": "*", "needle": "*"},
    "town",
)


def swappable_people(n: int, seed: int) -> Records:
    rng = np.random.default_rng(seed)
    return Records.of(
        {
            "age": rng.integers(20, 60, n),
            "sex": rng.choice(["f", "m"], n),
            "race": rng.choice(list("abcd"), n),
            "income": rng.choice(["low", "high"], n),
        },
        ["sex", "race"],
        numeric=["age"],
    )


def towns_by_age() -> el.FrequencyTable:
    rng = np.random.default_rng(11)
    counts = rng.negative_binomial(1, 0.15, (12, 2))
    cells = {"town": [str(i) for i in range(4) for _ in range(3)], "age": ["20", "30", "40"] * 4}
    return el.FrequencyTable.from_counts(counts, ["no", "yes"], cells)
