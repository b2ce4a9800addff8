"""Data frames (pandas, Polars, Arrow, anything with an Arrow stream) as Arrow tables the engine can scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.errors import DataError, SourceError
from epsilens.table.domain import level_text


def is_frame(source: Any) -> bool:
    """Whether ``source`` is a data frame that can be handed over through Arrow."""
    return _is_pandas(source) or hasattr(source, "__arrow_c_stream__") or _is_lazy_polars(source) or _is_batch(source)


def prepared(frame: Any) -> Any:
    """The frame in a form that can be looked at twice: a stream is read, pandas and lazy Polars frames stay."""
    return frame if _is_pandas(frame) or _is_lazy_polars(frame) else _arrow(frame)


def column_names(frame: Any) -> list[str]:
    """The column names of a prepared frame as texts."""
    if _is_lazy_polars(frame):
        return list(frame.collect_schema().names())
    if _is_pandas(frame):
        return [str(name) for name in frame.columns]
    return [str(name) for name in frame.column_names]


def arrow_columns(frame: Any, positions: Sequence[int], names: Sequence[str]) -> Any:
    """The columns at ``positions`` of a prepared frame as an Arrow table with columns ``c<position>``.

    ``names`` are those by which messages call the frame's columns.
    """
    import pyarrow as pa

    if _is_pandas(frame):
        columns = [_pandas_column(frame.iloc[:, i]) for i in positions]
    else:
        if _is_lazy_polars(frame):
            names = frame.collect_schema().names()
            chosen = _arrow(frame.select([names[i] for i in positions]).collect())
        else:
            chosen = frame.select(list(positions))
        columns = [_plain(column) for column in chosen.columns]
    for i, column in zip(positions, columns, strict=True):
        if _is_uncountable(column.type):
            raise DataError(f"column {names[i]!r} has the type {column.type}, which cannot be counted by value")
    return pa.table(columns, names=[f"c{i}" for i in positions])


def _pandas_column(series: Any) -> Any:
    """A pandas column as Arrow; objects, intervals and periods, which Arrow does not have, as their texts.

    Objects are read one by one, whatever stands beside them: a type that Arrow infers from all of them would make
    something else of everybody's values as soon as one person's is of another kind.
    """
    import pyarrow as pa

    if _holds_objects(series):
        return _texts(series)
    try:
        column = _plain(pa.array(series, from_pandas=True))
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):  # by its type alone: sparse, complex, long floats
        return _texts(series)
    if pa.types.is_nested(column.type) or isinstance(column.type, pa.BaseExtensionType):
        return _texts(series)
    return column


def _holds_objects(series: Any) -> bool:
    """Whether a column's values, or its categories, may be of any kind."""
    import pandas as pd

    categories = getattr(series.dtype, "categories", None)
    if categories is None:
        return bool(series.dtype == object)
    return bool(categories.dtype == object) and pd.api.types.infer_dtype(categories) != "string"


def _texts(series: Any) -> Any:
    """The values of a pandas column as texts."""
    import pandas as pd
    import pyarrow as pa

    if pd.api.types.infer_dtype(series, skipna=True) in {"string", "empty"}:
        return pa.array(series, pa.string(), from_pandas=True)
    missing = series.isna().to_numpy()
    if any(isinstance(value, bytes) for value in series):
        raise DataError(f"column {series.name!r} holds binary values, which cannot be counted by value")
    texts = [
        value if isinstance(value, str) else None if absent else level_text(value)
        for value, absent in zip(series, missing, strict=True)
    ]
    return pa.array(texts, pa.string())


def _plain(column: Any) -> Any:
    """Columns in encodings that the engine's schema does not know (dictionaries, string views) as plain values."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        if pa.types.is_string_view(column.type.value_type):  # Polars' categories; Arrow cannot decode them directly
            column = column.cast(pa.dictionary(column.type.index_type, pa.large_string()))
        column = column.cast(column.type.value_type)
    if pa.types.is_run_end_encoded(column.type):
        column = _decoded(column)
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_float16(column.type):
        return column.cast(pa.float32())
    return _wide_texts(column) if pa.types.is_decimal256(column.type) else column


def _decoded(column: Any) -> Any:
    """Runs of equal values as single ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.chunked_array([pc.run_end_decode(chunk) for chunk in chunks], column.type.value_type)


def _wide_texts(column: Any) -> Any:
    """Decimals that may have more than 38 digits, which DuckDB does not have, as texts, however many they have."""
    import pyarrow as pa

    return pa.array([None if value is None else level_text(value) for value in column.to_pylist()], pa.string())


def _is_uncountable(kind: Any) -> bool:
    """Whether Ibis has no name for an Arrow type; the others it can refuse itself."""
    import pyarrow as pa

    types = pa.types
    unnamed = (types.is_fixed_size_binary, types.is_binary_view, types.is_interval, types.is_run_end_encoded)
    return isinstance(kind, pa.BaseExtensionType) or any(is_so(kind) for is_so in unnamed)


def _arrow(frame: Any) -> Any:
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    try:
        return pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError):
        raise SourceError(f"a {type(frame).__name__} could not be turned into an Arrow table") from None


def _is_pandas(source: Any) -> bool:
    return type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "iloc") and hasattr(source, "columns")


def _is_lazy_polars(source: Any) -> bool:
    return type(source).__module__.split(".")[0] == "polars" and type(source).__name__ == "LazyFrame"


def _is_batch(source: Any) -> bool:
    return type(source).__module__.split(".")[0] == "pyarrow" and hasattr(source, "column_names")
