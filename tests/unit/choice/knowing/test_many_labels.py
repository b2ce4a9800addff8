"""Attackers who know some attributes of a table with many labels: pairs answer all that full matrices answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.knowing.answer import Knowledge
from epsilens.errors import DataError
from epsilens.table import count_vectors
from epsilens.table.count_vectors import CountVectors
from epsilens.table.marginal_cells import TableCells
from epsilens.table.marginal_counts import FullCounts, MarginalCounts, PairCounts
from epsilens.table.reading import few as few_module

LABELS = [f"v{k:03}" for k in range(40)]
UNIVERSE = {"a": [f"{i}" for i in range(7)], "b": [f"{i}" for i in range(6)], "c": ["f", "m"], "ill": LABELS}


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    illness = np.where(rng.random(160) < 0.7, np.minimum(rng.geometric(0.6, 160) - 1, 38), rng.integers(0, 39, 160))
    return pd.DataFrame(
        {
            "a": rng.integers(0, 6, 160).astype(str),
            "b": rng.integers(0, 5, 160).astype(str),
            "c": rng.choice(["f", "m"], 160),
            "ill": np.array(LABELS)[illness],
        }
    )


def table(**roles: Any) -> el.FrequencyTable:
    return el.read_table(frame(), el.Schema(["a", "b", "c"], "ill", **roles))


def same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-300)
    else:
        assert one == other


ASKED: dict[str, Callable[[], Knowledge]] = {
    "every set": lambda: el.knowledge(table(), epsilon=[1.0, 8.0]),
    "a universe": lambda: el.knowledge(table(universe=UNIVERSE), epsilon=[1.0, 8.0]),
    "cells that cannot be": lambda: el.knowledge(
        table(universe=UNIVERSE, structural_zeros=[{"a": ["5", "6"], "b": "5"}, {"a": "6", "c": "f"}]), epsilon=8.0
    ),
    "gaussian noise": lambda: el.knowledge(table(), "gaussian-analytic", 12.0, delta=1e-3, share=0.01),
    "whole numbers": lambda: el.knowledge(table(universe=UNIVERSE), "discrete-laplace", 6.0),
    "some values harm": lambda: el.knowledge(table().with_harm("ill=v000", "ill=v009*3"), epsilon=[8.0]),
    "limited in size": lambda: el.knowledge(table(), epsilon=8.0, largest_set=1, knows=["b"]),
}


@pytest.mark.parametrize("in_the_engine", [False, True])
@pytest.mark.parametrize("asked", list(ASKED))
def test_pairs_answer_what_full_matrices_answer(
    asked: str, in_the_engine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if in_the_engine:
        monkeypatch.setattr(few_module, "MOST_GROUPS", -1)
    found = ASKED[asked]().to_dict()
    assert any(one["added_up"] > 1e-3 for one in found["everything"]["budgets"])

    def in_full(vectors: CountVectors, in_full: bool = False) -> MarginalCounts:
        return FullCounts.of_table(vectors.dense())

    monkeypatch.setattr(MarginalCounts, "of", staticmethod(in_full))
    same(found, ASKED[asked]().to_dict())


def test_no_full_matrix_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    read, expected = table(), ASKED["every set"]().to_dict()

    def refused(self: CountVectors) -> None:
        raise AssertionError("a full matrix was asked for")

    monkeypatch.setattr(CountVectors, "dense", refused)
    assert el.knowledge(read, epsilon=[1.0, 8.0]).to_dict() == expected


def test_cells_of_many_labels_come_here_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_module, "MOST_GROUPS", -1)
    cells = TableCells.of(table(), largest=1)
    assert isinstance(cells.counts, PairCounts)
    assert cells.codes is not None
    assert cells.sizes.sum() == 160


def test_structural_zeros_of_many_labels_take_a_full_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    rules: list[dict[str, Any]] = [{"c": "m", "ill": "v039"}]
    ruled = table(universe=UNIVERSE, structural_zeros=rules)
    found = el.knowledge(ruled, epsilon=8.0)
    without = el.knowledge(table(universe=UNIVERSE), epsilon=8.0)
    # that men cannot have a value that nobody has, so that it is never shown of them, is worth a little
    assert found.everything.risks[0].published > without.everything.risks[0].published
    monkeypatch.setattr(count_vectors, "LARGEST_MATRIX", 1_000)
    with pytest.raises(DataError, match="40 labels are too many for a full matrix"):
        el.knowledge(table(universe=UNIVERSE, structural_zeros=rules), epsilon=8.0)
