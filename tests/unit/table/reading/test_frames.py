"""Data frames of every make give the same table, or one line that says why not."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from epsilens.errors import DataError
from epsilens.table.reading import frames
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import ROWS, SCHEMA, TOKEN, arrow_rows, assert_expected, refusal


def test_arrow_frames() -> None:
    table = arrow_rows()
    assert_expected(read_table(table, SCHEMA))
    assert_expected(read_table(table.to_batches()[0], SCHEMA))
    assert_expected(read_table(table.to_reader(), SCHEMA))
    dictionary = table.set_column(0, "code", table.column(0).dictionary_encode())
    assert_expected(read_table(dictionary, SCHEMA))


def test_polars_frames() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(arrow_rows())
    assert_expected(read_table(frame, SCHEMA))
    assert_expected(read_table(frame.lazy(), SCHEMA))
    assert_expected(read_table(frame.with_columns(polars.col("place").cast(polars.Categorical)), SCHEMA))


def test_pandas_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["code ", "place", "ill"], index=[5, 5, 6, 7])
    assert_expected(read_table(frame, SCHEMA))
    assert_expected(read_table(frame.astype({"place": "category"}), SCHEMA))
    assert_expected(read_table(frame.astype(object), SCHEMA))


def test_pandas_values_that_arrow_does_not_have() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"age": [1, 5, 12], "mixed": [1, "1", None], "ill": [True, False, True], "n": [1.0, None, 2.5]}
    )
    frame["band"] = pandas.cut(frame["age"], [0, 10, 20])
    frame[0] = "number as a name"
    table = read_table(frame, Schema(["band", "mixed", "n", "0"], "ill"))
    assert table.labels == ("false", "true")
    assert table.cells()["band"] == ["(0, 10]", "(0, 10]", "(10, 20]"]
    assert table.cells()["mixed"] == ["1", "1", "(missing)"]
    assert table.cells()["n"] == ["(missing)", "1", "2.5"]


def test_mixed_objects_are_written_like_other_values() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1, "1", 1.0, 2.5, True, None], "s": ["a", "b"] * 3})
    assert read_table(frame, Schema(["x"], "s")).cells()["x"] == ["(missing)", "1", "2.5", "true"]


def test_arrow_types_that_duckdb_does_not_have() -> None:
    import decimal

    import pyarrow as pa

    long = [decimal.Decimal(f"{digit}.50") for digit in (1, 2)]
    longer = [decimal.Decimal(10) ** 50, decimal.Decimal("1.50")]
    columns = {
        "half": pa.array(np.array([1, 2.5], dtype=np.float16)),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2]), pa.array(["a", "b"])),
        "long": pa.array(long, pa.decimal256(60, 2)),
        "longer": pa.array(longer, pa.decimal256(60, 2)),
        "s": ["x", "y"],
    }
    table = read_table(pa.table(columns), Schema(["half", "runs", "long", "longer"], "s"))
    assert table.cells() == {"half": ["1", "2.5"], "runs": ["a", "b"], "long": ["1.5", "2.5"]} | {
        "longer": [f"1{'0' * 50}", "1.5"]
    }


def test_frames_with_repeated_names_follow_the_same_rule() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "x", 2], ["a", "y", 3]], columns=["q", "s", "s"])
    assert read_table(frame, Schema(["q"], "s"), count="s").counts.tolist() == [[2, 3]]


def test_columns_that_cannot_be_counted() -> None:
    import pyarrow as pa

    nested = pa.table({"a": [[1], [2]], "b": ["x", "y"]})
    with pytest.raises(DataError, match="column 'a' has the type array"):
        read_table(nested, Schema(["a"], "b"))
    for kind in (pa.binary(), pa.binary_view(), pa.binary(1), pa.large_binary()):
        with pytest.raises(DataError, match=r"column 'a' has the type .*, which cannot be counted by value"):
            read_table(pa.table({"a": pa.array([b"1", b"2"], kind), "b": ["x", "y"]}), Schema(["a"], "b"))


def test_a_lazy_frame_of_a_file_that_is_not_there() -> None:
    polars = pytest.importorskip("polars")
    assert "could not be read" in refusal(polars.scan_csv(f"/nowhere/{TOKEN}.csv"))


def test_an_object_that_only_pretends_to_be_arrow() -> None:
    class Pretender:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise TypeError(TOKEN)

    assert frames.is_frame(Pretender())
    assert "could not be turned into an Arrow table" in refusal(Pretender())


@pytest.mark.parametrize("one", ["x", 3, 2.5, True, None, 10**30, [1], datetime.date(2020, 1, 2)])
def test_objects_of_pandas_are_read_one_by_one_whatever_stands_beside_them(one: object) -> None:
    values = [1.5, 2.0, 1e100, True, np.bool_(True), datetime.datetime(2020, 1, 2, 3, 4, 5, 600), Decimal("1.50")]
    values += [datetime.timedelta(1), "", " x ", "\xa0x"]
    for value in values:
        pair = [str(text) for text in frames._pandas_column(pd.Series([value, one], dtype=object))]
        assert pair[0] == str(frames._pandas_column(pd.Series([value], dtype=object))[0])
    with pytest.raises(DataError, match="holds binary values"):
        frames._pandas_column(pd.Series([b"x", one], dtype=object))


def test_wide_decimals_and_categories_are_read_one_by_one_too() -> None:
    wide = pa.decimal256(60, 2)
    numbers, long = [Decimal("1.50"), Decimal(10) ** 34], Decimal(10) ** 50
    alone, beside = (frames._plain(pa.array(found, wide)) for found in (numbers, [*numbers, long]))
    assert alone.type == beside.type
    assert alone.to_pylist() == beside.to_pylist()[:2] == ["1.5", "1" + "0" * 34]
    when = datetime.datetime(2020, 1, 2, 3, 4, 5, 600)
    for one in ("x", 3, when):
        kinds = pd.Series(pd.Categorical([when, one, None], categories=pd.Index([when, "y", 3, "x"], dtype=object)))
        assert frames._pandas_column(kinds).to_pylist()[0] == str(when)
    texts = frames._pandas_column(pd.Series(["u", "v", None], dtype="category"))
    assert texts.to_pylist() == ["u", "v", None]
