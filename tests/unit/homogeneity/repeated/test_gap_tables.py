"""Transforms of what is asked about single children."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.repeated import gap_tables
from epsilens.homogeneity.repeated.gap_tables import FREE, GapTables, hidden_names
from epsilens.noise import LaplaceNoise

SIZE, FAR, FIRST = 64, 9, 40
MASS = LaplaceNoise(1.0).pmf(np.arange(-FAR, FAR + 1.0))
COUNTS = np.array([0, 2, 30])
WEIGHTS = np.random.default_rng(0).random((2, 7))
NAMES = np.array([FREE, *hidden_names(COUNTS), FIRST, FIRST + 1])


def expected(name: int, g: int, angle: float) -> complex:
    """The sum of the definition."""
    if name == FREE:
        return 1.0
    total = 0.0j
    for e in range(-FAR, FAR + 1):
        z = e + g
        weight = WEIGHTS[name - FIRST][min(max(z, -3), 3) + 3] if name >= FIRST else float(z <= 1 - name)
        total += MASS[e + FAR] * weight * np.exp(-1j * angle * (e + FAR))  # noise is counted from its lowest
    return total


@pytest.mark.parametrize("chunk", [1 << 23, 128])
def test_tables_are_the_sums_of_their_definition(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gap_tables, "_LARGEST_CHUNK", chunk)
    tables = GapTables(MASS, SIZE, NAMES, WEIGHTS, FIRST)
    gaps = np.arange(-14, 15)
    still = tables.still(gaps)
    seen = []
    for some in tables.chunks(gaps):
        tables.move_to(some)
        found = tables.at(slice(3, 6))
        seen += some.tolist()
        for w, omega in enumerate((3, 4, 5)):
            wanted = [[expected(name, g, 2 * np.pi * omega / SIZE) for g in some.tolist()] for name in NAMES.tolist()]
            assert found[w] == pytest.approx(np.array(wanted), abs=1e-14)
    assert seen == gaps.tolist()
    at_rest = [[expected(name, g, 0.0).real for g in gaps.tolist()] for name in NAMES.tolist()]
    assert still == pytest.approx(np.array(at_rest), abs=1e-14)
