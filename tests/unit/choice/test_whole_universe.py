from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice import whole_universe
from epsilens.choice.whole_universe import over_universe
from epsilens.errors import ParameterError

PEOPLE = pd.DataFrame({"a": ["x", "x", "z", "z"], "b": ["u", "v", "u", "u"], "y": ["no", "yes", "no", "no"]})
UNIVERSE = {"a": ["x", "z", "w"], "y": ["no", "yes", "maybe"]}


def test_every_combination_is_a_cell() -> None:
    schema = el.Schema(["a", "b"], "y", universe=UNIVERSE, structural_zeros=[{"a": "w", "y": "yes"}])
    table = el.read_table(PEOPLE, schema)
    whole = over_universe(table)
    assert (whole.n_cells, whole.n_labels, whole.n_records) == (6, 3, 4)
    counts = {
        (a, b, y): int(whole.vectors[i, j])
        for i, (a, b) in enumerate(zip(*whole.cells().values(), strict=True))
        for j, (y,) in enumerate(whole.label_values)
    }
    assert counts["z", "u", "no"] == 2
    assert counts["x", "v", "yes"] == 1
    assert counts["w", "u", "maybe"] == 0
    assert counts["w", "v", "yes"] == -1
    assert sum(max(count, 0) for count in counts.values()) == 4


def test_without_a_universe_a_table_stays_as_it_is() -> None:
    table = el.read_table(PEOPLE, el.Schema(["a", "b"], "y"))
    assert over_universe(table) is table
    assert over_universe(replace(table, schema=None)).schema is None


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_universe, "MOST_COUNTS", 17)
    table = el.read_table(PEOPLE, el.Schema(["a", "b"], "y", universe=UNIVERSE))
    with pytest.raises(ParameterError, match="universe has 18 counts, and at most 17 are simulated"):
        over_universe(table)
