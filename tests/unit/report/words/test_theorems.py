from __future__ import annotations

import pytest

from epsilens.choice.comparison_theorems import TheoremCheck, counterexample
from epsilens.report.words.common import Grid, Note
from epsilens.report.words.theorems import theorems, value_text


def test_a_line_for_each_and_its_worth_once() -> None:
    swapped = [
        TheoremCheck(3, "delta of DP swapping", e, None, 0.8, 1.0, "false as printed", "false", 1.0, {"delta_qid": d})
        for e, d in ((0.5, 0.889), (1.0, 0.892))
    ]
    grid, *notes = theorems([*swapped, counterexample()])
    assert isinstance(grid, Grid)
    assert grid.rows[0] == ("3", "delta of DP swapping", "0.5", "-", "0.8", "1", "1", "false as printed")
    assert grid.rows[-1][4:] == ("0", "0.9447", "-", "false as printed")
    assert all(isinstance(note, Note) for note in notes)
    assert notes[0] == Note("Theorem 3: false: delta = 0.889, 0.892 at epsilon = 0.5, 1.")
    assert len(notes) == 3


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (22855.638, "22,855.64"), (901.761, "901.76"), (0.8679, "0.8679"), (2.0, "2")]
)
def test_values(value: float | None, text: str) -> None:
    assert value_text(value) == text
