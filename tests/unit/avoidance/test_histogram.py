"""The histogram of a table: its universe is read like that of a schema, and it carries a domain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.errors import DataError, ParameterError
from epsilens.table import Domain, Schema
from epsilens.table.domain import natural_order


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "smoker": [True, False, True, True],
            "age": [39.0, 40.0, 39.0, 41.0],
            "kind": pd.Series([1, 2, None, 2], dtype="Int64"),
            "ill": ["no", "yes", "no", "yes"],
        }
    )


@pytest.mark.parametrize("column", ["smoker", "age", "kind"])
def test_the_values_of_a_column_are_its_universe_for_a_schema_and_for_a_histogram(column: str) -> None:
    frame = people()
    values = frame[column].unique()
    table = el.read_table(frame, Schema([column], "ill", universe={column: values}))
    histogram = av.Histogram.of(table, {column: values})
    assert histogram.n_records == 4
    assert histogram.levels[0] == table.schema.universe_levels[column]  # type: ignore[union-attr]
    assert set(histogram.levels[0]) == set(table.cells()[column])
    compared = el.compare(table, systems=["suppression"], universe={column: values}, repetitions=2, k=2)
    assert len(compared.rows) > 0
    with pytest.raises(DataError, match="misses"):
        av.Histogram.of(table, {column: values[:1]})


def test_a_range_for_a_histogram_takes_the_bins_of_its_table() -> None:
    frame = people()
    binned = el.read_table(frame, Schema(["age"], "ill", bins={"age": 5}))
    assert av.Histogram.of(binned, {"age": {"from": 35, "to": 50}}).levels[0] == ("[35, 40)", "[40, 45)", "[45, 50)")
    plain = el.read_table(frame, Schema(["age"], "ill"))
    assert av.Histogram.of(plain, {"age": {"from": 38, "to": 42}}).levels[0] == ("38", "39", "40", "41", "42")


def test_a_histogram_knows_structural_zeros_where_nobody_is() -> None:
    frame = pd.DataFrame({"sex": ["f", "m"], "town": ["a", "b"], "pregnant": ["yes", "no"]})
    schema = Schema(["sex", "town"], "pregnant", structural_zeros=[{"sex": "m", "pregnant": "yes"}])
    histogram = av.Histogram.of(el.read_table(frame, schema))
    assert histogram.possible is not None
    assert (~histogram.possible).sum() == 2  # in both towns, although only one has a man
    assert not histogram.possible[1, :, 1].any()
    unruled = av.Histogram.of(el.read_table(frame, Schema(["sex", "town"], "pregnant")))
    assert unruled.possible is None


def test_a_domain_or_attributes_with_their_levels_are_the_same_grid() -> None:
    counts = np.array([[1, 2], [0, 3]])
    domain = Domain(("q", "y"), (("a", "b"), ("0", "1")))
    spelt = av.Histogram(counts, ("q", "y"), (("a", "b"), ("0", "1")), ("q",), ("q",))
    carried = av.Histogram(counts, quasi_identifiers=("q",), ordered=("q",), domain=domain)
    assert (spelt.domain, spelt.attributes, spelt.levels) == (domain, carried.attributes, carried.levels)
    changed = replace(spelt, counts=counts * 2)
    assert (changed.domain, changed.ordered, changed.n_records) == (domain, ("q",), 12)
    assert carried.codes.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    with pytest.raises(DataError, match="the levels of the attributes say"):
        av.Histogram(counts[:1], quasi_identifiers=("q",), domain=domain)


def test_the_universe_of_a_table() -> None:
    table = el.FrequencyTable.from_counts([[1, 2], [0, 4]], ["no", "yes"], {"age": ["10", "9"], "sex": ["f", "m"]})
    histogram = av.Histogram.of(table)
    assert histogram.attributes == ("age", "sex", "label")
    assert histogram.levels == (("9", "10"), ("f", "m"), ("no", "yes"))
    assert histogram.counts[1, 0].tolist() == [1, 2]
    wider = av.Histogram.of(table, {"sex": ["f", "m", "x"]})
    assert (wider.n_cells, wider.n_records, wider.largest, wider.others) == (12, 7, 4, ("label",))
    assert "sex(3)" in repr(wider)
    with pytest.raises(DataError, match="universe of 'sex' misses 1 value"):
        av.Histogram.of(table, {"sex": ["f"]})
    with pytest.raises(ParameterError, match="lists a value twice"):
        av.Histogram.of(table, {"sex": ["f", "m", "m"]})
    with pytest.raises(ParameterError, match="did you mean 'sex'"):
        av.Histogram.of(table, {"sexx": ["f"]})
    with pytest.raises(ParameterError, match="names no quasi-identifiers"):
        av.Histogram.of(el.FrequencyTable.from_counts([[1, 2]]))
    assert natural_order(["[20, 25)", "< 5", "[5, 10)"]) == ["< 5", "[5, 10)", "[20, 25)"]
    with pytest.raises(ParameterError, match="at least one quasi-identifier"):
        av.Histogram(np.ones((1, 1)), ("a", "b"), (("1",), ("1",)), ())
