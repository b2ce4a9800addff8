"""DuckDB as Ibis drives it, with results that come as Arrow tables and leave pandas alone.

Ibis converts results to pandas and to Arrow in one file, so that whoever asks it for an Arrow table imports pandas,
which takes a third of a second: as long as reading a small table, and nobody here wants a data frame of it.
"""

from __future__ import annotations

from typing import Any

from ibis.backends.duckdb import Backend


class ArrowEngine(Backend):  # type: ignore[misc]  # Ibis has no types
    """The backend of Ibis; where a result has a column without a type, Ibis converts it as ever."""

    @property
    def version(self) -> str:
        """DuckDB's, which Ibis looks up among all installed packages for every connection."""
        import duckdb

        return str(duckdb.__version__)

    def to_pyarrow(self, expr: Any, /, *, params: Any = None, limit: Any = None, **kwargs: Any) -> Any:
        """The result of an expression: an Arrow table, column or value."""
        if any(kind.is_null() for kind in expr.as_table().schema().types):
            return super().to_pyarrow(expr, params=params, limit=limit, **kwargs)
        found = self._to_duckdb_relation(expr, params=params, limit=limit, **kwargs).to_arrow_table()
        return expr.__pyarrow_result__(found)
