from __future__ import annotations

import epsilens as el
from epsilens.report.words.common import Grid, Note
from epsilens.report.words.scenarios import scenario_blocks

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"])


def test_eight_rows_that_add_up() -> None:
    found = el.assess(TABLE, epsilon=(0.5, 2.0), scenarios=True)
    grid, *notes = scenario_blocks(found.lines, "people")
    assert isinstance(grid, Grid)
    assert grid.headings == ("", "scenario", "epsilon\n0.5", "epsilon\n2")
    assert [row[0] for row in grid.rows] == ["1", "2", "3", "4", "5", "6", "7", "8", ""]
    assert grid.rows[-1][2:] == ("100.0 %", "100.0 %")
    assert all(isinstance(note, Note) for note in notes)
    first = found.lines[0].scenarios
    assert first is not None
    assert grid.rows[0][2] == f"{100 * first['homogeneous, shows its own label']:.1f} %"


def test_deltas_are_told_apart_where_they_differ() -> None:
    one = el.assess(TABLE, "gaussian-analytic", 1.0, delta=0.01, scenarios=True).lines
    other = el.assess(TABLE, "gaussian-analytic", 1.0, delta=0.1, scenarios=True).lines
    grid = scenario_blocks([*one, *other], "people")[0]
    assert isinstance(grid, Grid)
    assert grid.headings[2:] == ("epsilon\n1\ndelta\n0.01", "epsilon\n1\ndelta\n0.1")
