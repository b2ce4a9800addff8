"""The risks of all cells as a CSV or Parquet file. It holds true data of people, and every row of it says so."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epsilens.choice.cell_risks import CellRows
from epsilens.errors import ParameterError, SourceError
from epsilens.report.whole_files import whole_file

SUFFIXES = (".csv", ".parquet", ".pq")
MARK = "INTERNAL"
"""The first column: a reader of the file sees it before anything else, and so does whoever gets a part of it."""
NOT_FOR_PUBLICATION = "not for publication"
OWN = (MARK, "sensitive", "size", "counts", "shown")


def check_cells_path(path: str | os.PathLike[str], force: bool = False) -> Path:
    """The path, refused before any work is done if a file could not be written there."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise ParameterError(
            "takes a number of cells to show, or a file for all of them that ends in .csv or .parquet",
            parameter="cells",
            got=target.name,
        )
    if not target.absolute().parent.is_dir():
        raise SourceError(f"folder {str(target.parent)!r} does not exist; create it or choose another place")
    if target.exists() and not target.is_file():
        raise SourceError(f"{str(target)!r} is not a regular file; choose another name")
    if os.path.lexists(target) and not force:
        raise SourceError(f"{str(target)!r} exists", remedy="replace it with `force`, or choose another name")
    return target


def write_cells(path: str | os.PathLike[str], parts: Sequence[CellRows], force: bool = False) -> None:
    """Write the cells of one or several sensitive attributes; the file appears whole or not at all."""
    target = check_cells_path(path, force)
    with whole_file(target) as partial:
        _write(partial, target.suffix.lower(), _arrow_table(parts))
        check_cells_path(path, force)  # somebody may have taken the name meanwhile


def _write(path: Path, suffix: str, table: Any) -> None:
    if suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
        return
    from pyarrow import parquet

    parquet.write_table(table, path)


def _arrow_table(parts: Sequence[CellRows]) -> Any:
    """One row per cell and attribute; names of ours that are also columns of the data get a prefix."""
    import pyarrow as pa

    mark, sensitive, size, counts, shown = _own_names(parts)
    tables = []
    for part in parts:
        n = len(part.sizes)
        columns = {mark: _repeated(NOT_FOR_PUBLICATION, n), sensitive: _repeated(part.sensitive, n)}
        columns |= {name: pa.array(values, pa.string()) for name, values in part.keys.items()}
        columns[size] = pa.array(part.sizes)
        columns[counts] = pa.array(part.kinds, pa.string()).take(pa.array(part.kind_of))
        columns |= {name: pa.array(values) for name, values in part.risks.items()}
        if part.shown:
            columns[shown] = pa.array(part.shown, pa.string()).take(pa.array(part.kind_of))
        tables.append(pa.table(columns))
    return pa.concat_tables(tables, promote_options="default")


def _repeated(text: str, times: int) -> Any:
    import pyarrow as pa

    return pa.array([text], pa.string()).take(pa.array([0]).take(pa.nulls(times, pa.int64()).fill_null(0)))


def _own_names(parts: Sequence[CellRows]) -> tuple[str, ...]:
    taken = {name for part in parts for name in (*part.keys, *part.risks)}
    prefix = "cell_" if taken & set(OWN) else ""
    while any(f"{prefix}{name}" in taken for name in OWN):
        prefix += "_"
    return tuple(f"{prefix}{name}" for name in OWN)
