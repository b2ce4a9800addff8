from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from epsilens.choice.cell_risks import CellRows
from epsilens.errors import ParameterError, SourceError
from epsilens.report.cell_file import check_cells_path, write_cells

ROWS = CellRows(
    "ill",
    {"town": ['a "b", c', "d"], "size": ["small", "large"]},
    np.array([3, 4]),
    ("x=3", "x=1; y=3"),
    np.array([0, 1]),
    {"local laplace, epsilon=1": np.array([0.25, 0.5])},
)


@pytest.mark.parametrize("name", ["cells.csv", "cells.parquet", "CELLS.PQ"])
def test_every_row_says_that_it_is_internal(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_cells(path, [ROWS, ROWS])
    found = pd.read_csv(path) if name.endswith("csv") else pd.read_parquet(path)
    assert list(found.columns) == [
        *("cell_INTERNAL", "cell_sensitive", "town", "size", "cell_size", "cell_counts", "local laplace, epsilon=1"),
    ]
    assert set(found["cell_INTERNAL"]) == {"not for publication"}
    assert found["town"].tolist() == ['a "b", c', "d"] * 2
    assert found["cell_size"].tolist() == [3, 4] * 2
    assert found["cell_counts"].tolist() == ["x=3", "x=1; y=3"] * 2
    assert found["local laplace, epsilon=1"].tolist() == [0.25, 0.5] * 2
    assert path.stat().st_mode & 0o077 == 0  # for the eyes of its owner
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_it_says_which_harmful_value_a_cell_would_show(tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    write_cells(path, [replace(ROWS, keys={"town": ["a", "d"]}, shown=(None, "y"))])
    found = pd.read_csv(path, keep_default_na=False)
    assert list(found.columns)[-2:] == ["local laplace, epsilon=1", "shown"]
    assert found["shown"].tolist() == ["", "y"]


def test_a_file_is_replaced_on_request_only(tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("mine")
    with pytest.raises(SourceError, match=r"exists; replace it with force, or choose another name"):
        write_cells(path, [ROWS])
    assert path.read_text() == "mine"
    write_cells(path, [ROWS], force=True)
    assert path.read_text().startswith('"cell_INTERNAL"')


def test_places_that_cannot_be_written_are_refused_beforehand(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"ends in \.csv or \.parquet, got 'cells\.txt'"):
        check_cells_path(tmp_path / "cells.txt")
    with pytest.raises(SourceError, match="does not exist"):
        check_cells_path(tmp_path / "nowhere" / "cells.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(SourceError, match="is not a regular file"):
        check_cells_path(tmp_path / "folder.csv", force=True)
