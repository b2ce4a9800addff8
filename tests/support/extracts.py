"""Small made-up extracts of the American Community Survey, in the columns of NIST's files and in those of IPUMS."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

CENSUS_BUREAU = ("PUMA", "AGEP", "SEX", "RAC1P", "OWN_RENT", "PINCP")
IPUMS = ("PUMA", "AGE", "SEX", "RACE", "OWNERSHP", "INCTOT")


def write_extract(
    folder: Path, name: str, areas: int = 2, people: int = 900, columns: tuple[str, ...] = CENSUS_BUREAU, seed: int = 1
) -> Path:
    """A file ``name``.csv of people in so many areas; most are White, some have no income."""
    rng = np.random.default_rng(seed)
    races = rng.choice(np.arange(1, 10), people, p=[0.62, 0.1, 0.01, 0.01, 0.01, 0.12, 0.02, 0.04, 0.07])
    ages, incomes = rng.integers(1, 95, people), rng.choice([0, 8_000, 30_000, 51_000, 90_000], people)
    path = folder / f"{name}.csv"
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(columns)
        for i in range(people):
            income = "N" if ages[i] < 15 else int(incomes[i])
            area = f"25-{rng.integers(0, areas):05d}"
            lines.writerow(
                [area, int(ages[i]), int(rng.integers(1, 3)), int(races[i]), int(rng.integers(0, 3)), income]
            )
    return path
