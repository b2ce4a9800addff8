"""Expected absolute errors of randomised swapping, against all outputs of small tables and against releases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance import swapped_errors
from epsilens.avoidance.published import keep_probability
from epsilens.avoidance.swapped_errors import moved_cells_errors, moved_rows_errors


@pytest.mark.parametrize("reading", ["equation-4", "algorithm-4"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("row", [(3, 0, 5), (1, 2, 2), (0, 0, 4), (2, 2, 2), (0, 0, 0), (6, 1, 3)])
def test_errors_are_those_of_all_outputs(row: tuple[int, ...], epsilon: float, reading: str) -> None:
    system = av.DPSwapping(epsilon, 3, reading=reading)  # type: ignore[arg-type]
    outputs: dict[Any, float] = dict(system.output_law((row,)))
    listed = sum(mass * np.abs(np.subtract(output[0], row)) for output, mass in outputs.items())
    found = system.absolute_errors(np.array([row]))
    assert found is not None
    np.testing.assert_allclose(found[0], listed, atol=1e-12)


def test_groups_are_apart_and_long_sums_are_left_to_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    groups, keep = np.array([[3.0, 0.0, 5.0], [10.0, 1.0, 0.0]]), keep_probability(1.0, 3)
    for errors in (moved_cells_errors, moved_rows_errors):
        together = errors(groups, keep)
        assert together is not None
        for i, group in enumerate(groups):
            np.testing.assert_allclose(together[i], errors(group[None, :], keep)[0])  # type: ignore[index]
    monkeypatch.setattr(swapped_errors, "_LONGEST", 2)
    assert moved_cells_errors(groups, keep) is None
    assert moved_rows_errors(groups, keep) is None
