"""Lists of labels with their counts: numbers that say both, codes of labels, and bounds of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from epsilens.errors import DataError
from epsilens.table import count_vectors
from epsilens.table.reading import few as few_module
from epsilens.table.reading import store as store_module
from epsilens.table.reading import vectors as vectors_module
from epsilens.table.reading.listed_store import ListedStore
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema


@pytest.fixture(autouse=True)
def _in_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few groups stay there as many do."""
    monkeypatch.setattr(few_module, "MOST_GROUPS", -1)


def people(labels: int, rows: int = 4_000) -> pa.Table:
    rng = np.random.default_rng(labels)
    return pa.table(
        {
            "q": [f"q{i}" for i in rng.integers(0, 60, rows)],
            "r": [f"r{i}" for i in rng.integers(0, 5, rows)],
            "s": [f"s{i}" for i in rng.integers(0, labels, rows)],
        }
    )


def test_many_labels_are_read_as_lists_and_few_as_columns() -> None:
    assert isinstance(read_table(people(21), Schema(["q"], "s")).store, ListedStore)
    assert not isinstance(read_table(people(20), Schema(["q"], "s")).store, ListedStore)


@pytest.mark.parametrize("spelt_out", [0, 4_000])
def test_thousands_of_labels_in_every_question_of_a_store(spelt_out: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MOST_SPELT_OUT", spelt_out)
    frame = people(3_000)
    table = read_table(frame, Schema(["q", "r"], "s"))
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for row in frame.to_pylist():
        own = counts.setdefault((row["q"], row["r"]), {})
        own[row["s"]] = own.get(row["s"], 0) + 1
    vectors, cells = table.sparse_signatures(ordered=True)
    assert (table.n_cells, table.n_records, int(cells.sum())) == (len(counts), frame.num_rows, len(counts))
    assert sorted(vectors.sizes.tolist()) == sorted(sum(own.values()) for own in counts.values())
    found, theirs = table.sparse_cells_with(vectors.take(np.arange(3)), 10)
    for i, key in enumerate(zip(*found.values(), strict=True)):
        row = slice(theirs.starts[i], theirs.starts[i + 1])
        assert {table.labels[k]: n for k, n in zip(theirs.labels[row], theirs.counts[row], strict=True)} == counts[key]
    totals = table.marginal([]).sparse_signatures(ordered=True)[0]
    assert totals.dense()[0].tolist() == table.label_totals.tolist()


def test_levels_come_in_the_same_order_as_beside_few_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, found = pa.table({"q": ["a", "a", "b"], "r": ["y", "z", "x"], "s": ["u", "v", "u"]}), []
    for few in (20, 1):
        monkeypatch.setattr(vectors_module, "FEW_LABELS", few)
        domain, codes, counts = read_table(frame, Schema(["q", "r"], "s")).store.coded_cells()
        found.append((domain, codes.tolist(), counts.dense().tolist()))
    assert found[0] == found[1]


def test_counts_that_do_not_fit_beside_a_code_have_a_column_per_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "FEW_LABELS", 1)
    frame = pa.table({"q": ["a", "b"], "s": ["x", "y"], "n": [2**50 - 2, 3]})
    assert read_table(frame, Schema(["q"], "s"), count="n").n_records == 2**50 + 1
    for largest in (2**50 - 1, 2**53):
        found = read_table(frame.set_column(2, "n", [[largest, 3]]), Schema(["q"], "s"), count="n")
        assert found.vectors.tolist() == [[largest, 0], [0, 3]]


def test_full_matrices_of_many_labels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_table(people(500), Schema(["q", "r"], "s"))
    monkeypatch.setattr(count_vectors, "LARGEST_MATRIX", 10_000)
    with pytest.raises(DataError, match="labels are too many for a full matrix"):
        table.signatures()
    assert table.sparse_signatures()[0].n_labels == 500
