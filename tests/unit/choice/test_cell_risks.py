from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.cell_risks import cell_rows, likeliest_shown, riskiest_cells
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from tests.unit.homogeneity.enumeration import local_risk

CELLS = [[3, 0, 0], [1, 2, 0], [0, 0, 0], [0, 5, 0], [0, 0, 3], [1, 1, 1], [5, 0, 0], [9, 1, 0]]
NAMES = {"town": list("abcdefgh"), "sex": list("fmfmfmfm")}
TABLE = el.FrequencyTable.from_counts(CELLS, ["x", "y", "z"], NAMES)
NOISES = [el.LaplaceNoise(2.0), el.LaplaceNoise(0.7)]
NAMED = [({"mechanism": "laplace", "epsilon": 1 / noise.scale}, noise) for noise in NOISES]


def ranked(noise: el.LaplaceNoise) -> list[int]:
    """Cells from the riskiest on, by enumeration; of equal risks the larger, then the first count vector."""
    occupied = [i for i, cell in enumerate(CELLS) if sum(cell)]
    return sorted(occupied, key=lambda i: (-round(local_risk(CELLS[i], noise, "any"), 12), -sum(CELLS[i]), CELLS[i]))


@pytest.mark.parametrize("most", [1, 2, 4, 7, 50])
def test_the_riskiest_cells_are_those_of_an_enumeration(most: int) -> None:
    found = riskiest_cells(TABLE, "y", {"local": prepare("local", TABLE)}, NAMED, 1, most)
    order = ranked(NOISES[1])[:most]
    assert [cell.key for cell in found.cells] == [(NAMES["town"][i], NAMES["sex"][i]) for i in order]
    for cell, i in zip(found.cells, order, strict=True):
        assert cell.size == sum(CELLS[i])
        assert dict(cell.counts) == {label: n for label, n in zip("xyz", CELLS[i], strict=True) if n}
        assert [risks["local"] for risks in cell.risks] == pytest.approx(
            [local_risk(CELLS[i], noise, "any") for noise in NOISES], abs=1e-12
        )


def test_json_names_the_cell_and_every_budget() -> None:
    found = riskiest_cells(TABLE, "y", {"local": prepare("local", TABLE)}, NAMED, 0, 1)
    (cell,) = found.to_dict()
    assert cell["cell"] == {"town": "d", "sex": "m"}
    assert cell["counts"] == {"y": 5}
    assert cell["shown"] == "y"
    assert [(row["mechanism"], row["epsilon"]) for row in cell["budgets"]] == [("laplace", 0.5), ("laplace", 1 / 0.7)]


def test_every_cell_has_every_risk_of_every_measure_that_is_per_cell() -> None:
    prepared = {name: prepare(name, TABLE) for name, facts in MEASURES.items() if not facts.one_risk}
    rows = cell_rows(TABLE, "y", prepared, {"laplace, epsilon=0.5": NOISES[0]})
    assert rows.keys == {"town": list("abdefgh"), "sex": list("fmmfmfm")}
    assert rows.sizes.tolist() == [3, 3, 5, 3, 3, 5, 10]
    assert [rows.kinds[kind] for kind in rows.kind_of][:2] == ["x=3", "x=1; y=2"]
    occupied = np.array([cell for cell in CELLS if sum(cell)])
    for name, ready in prepared.items():
        assert rows.risks[f"{name} laplace, epsilon=0.5"] == pytest.approx(ready.risks_of(occupied, NOISES[0]))
        average = float(rows.sizes @ rows.risks[f"{name} laplace, epsilon=0.5"] / rows.sizes.sum())
        assert average == pytest.approx(ready.average(NOISES[0]), abs=1e-12)


def test_cells_without_names_are_numbered() -> None:
    table = el.FrequencyTable.from_counts(CELLS)
    found = riskiest_cells(table, "y", {"local": prepare("local", table)}, NAMED, 1, 1)
    assert (found.quasi_identifiers, found.cells[0].key) == (("cell",), (str(ranked(NOISES[1])[0]),))
    assert cell_rows(table, "y", {}, {}).keys == {"cell": ["0", "1", "3", "4", "5", "6", "7"]}


def test_the_value_that_would_be_shown_is_the_likeliest_of_an_enumeration() -> None:
    """Of harmful values that somebody has, that with the largest P(only it is shown), whatever the noise."""
    harmed = TABLE.with_harm("label=x", "label=y*2")
    said = likeliest_shown(harmed, np.array(CELLS))
    for noise in NOISES:
        alone = shown_alone(*shown_and_hidden(np.array(CELLS), noise))
        for cell, chances, value in zip(CELLS, alone, said, strict=True):
            held = [k for k in (1, 0) if cell[k] > 0]  # y weighs more
            assert value == ("xyz"[max(held, key=lambda k: round(chances[k], 12))] if held else None)
    rows = cell_rows(harmed, "y", {"local": prepare("local", harmed)}, {"laplace": NOISES[0]})
    assert [rows.shown[kind] for kind in rows.kind_of] == [
        value for value, cell in zip(said, CELLS, strict=True) if sum(cell)
    ]
