"""The search for the best node, against all nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance import lattice
from epsilens.avoidance.lattice import best_node, fixed_levels
from epsilens.errors import ParameterError


def small(seed: int) -> tuple[av.Histogram, tuple[av.Ladder, ...]]:
    rng = np.random.default_rng(seed)
    shape = (5, 3, 4, 2)
    counts = rng.negative_binomial(1, 0.3, shape) * (rng.random(shape) < 0.6)
    levels = tuple(tuple(map(str, range(size))) for size in shape)
    histogram = av.Histogram(counts, ("a", "b", "c", "y"), levels, ("a", "b", "c"), ("a", "c"))
    return histogram, av.FullDomainKAnonymity(2).ladders(histogram)


@pytest.mark.parametrize("seed", range(12))
def test_no_node_of_the_whole_lattice_loses_less(seed: int) -> None:
    histogram, ladders = small(seed)
    rng = np.random.default_rng(seed)
    k, limit = int(rng.integers(2, 9)), float(rng.choice([0.0, 0.05, 0.2, 1.0]))
    chosen = av.Recoded(histogram, ladders, best_node(histogram, ladders, k, limit), k)
    nodes = itertools.product(*(range(ladder.height + 1) for ladder in ladders))
    every = [av.Recoded(histogram, ladders, node, k) for node in nodes]
    allowed = [node for node in every if node.suppressed <= limit * histogram.n_records]
    assert chosen.suppressed <= limit * histogram.n_records
    assert chosen.loss == pytest.approx(min(node.loss for node in allowed))
    # going up, fewer are suppressed and the bound of the loss grows: what the search relies on
    for low, high in itertools.product(every, repeat=2):
        if all(a <= b for a, b in zip(low.levels, high.levels, strict=True)):
            assert high.suppressed <= low.suppressed


def test_ties_go_to_the_column_with_a_hierarchy_whatever_the_order() -> None:
    """Figure 1(e) of the paper: M and F become M-F, and blocks stay."""
    counts = np.array([[[1, 0], [2, 0]], [[1, 2], [1, 0]]])
    tree = av.GeneralisationHierarchy.from_parents({"M": "M-F", "F": "M-F"}, "gender")
    for known in (("gender", "block"), ("block", "gender")):
        histogram = av.Histogram(counts, ("block", "gender", "votes"), (("1", "2"), ("M", "F"), ("yes", "no")), known)
        found = av.FullDomainKAnonymity(2, hierarchies={"gender": tree}).anonymised(histogram)
        lines = {(row["gender"], row["block"], row["votes"], row["count"]) for row in found.rows()}
        assert lines == {("M-F", "1", "yes", 3), ("M-F", "2", "yes", 2), ("M-F", "2", "no", 2)}


def test_levels_may_be_fixed() -> None:
    _, ladders = small(1)
    assert fixed_levels(ladders, {"c": 2}) == (0, 0, 2)
    with pytest.raises(ParameterError, match="node names 'd', which is not a quasi-identifier"):
        fixed_levels(ladders, {"d": 1})
    with pytest.raises(ParameterError, match="node says level 3 of 'c', which has the levels 0 to 2"):
        fixed_levels(ladders, {"c": 3})


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    histogram, ladders = small(1)
    with pytest.raises(ParameterError, match="k must not exceed the number of people"):
        best_node(histogram, ladders, 10_000, 0.5)
    monkeypatch.setattr(lattice, "LARGEST_LATTICE", 10)
    with pytest.raises(ParameterError, match=r"there are 24 ways to generalise these columns, more than 10"):
        best_node(histogram, ladders, 2, 0.0)
