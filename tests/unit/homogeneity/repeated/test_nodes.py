"""The nodes of a lineage, and kinds of rows."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.repeated.nodes import Form, Nodes, kinds_of


@pytest.mark.parametrize("wide", [1, 1 << 40])
def test_kinds_are_the_distinct_rows(wide: int) -> None:
    rows = np.random.default_rng(3).integers(-1, 3, (200, 4)) * wide
    first, kind = kinds_of(list(rows.T))
    distinct, back = np.unique(rows, axis=0, return_inverse=True)
    assert np.array_equal(rows[first], distinct)
    assert np.array_equal(kind, back.reshape(-1))


def test_nodes_are_numbered_once_and_weighed_once() -> None:
    nodes = Nodes(far=2)
    one, other = Form(False, ((1, 2),)), Form(True, ((1, 2),))
    rows = np.array([[2, 1, 1, 5], [2, 1, 3, 5]])
    first = nodes.numbers(one, rows)
    assert np.array_equal(nodes.numbers(one, rows[::-1]), first[::-1])
    second = nodes.numbers(other, rows)
    assert len({*first.tolist(), *second.tolist()}) == 4
    missing = {
        form: (numbers, found) for form, numbers, found in nodes.without_weights(np.r_[first, second[:1], first])
    }
    assert np.array_equal(missing[one][1], rows[np.argsort(first)])
    assert np.array_equal(missing[other][0], second[:1])
    nodes.weigh(first, np.array([[1.0] * 5, [0.5] * 5]))
    assert [form for form, _, _ in nodes.without_weights(np.r_[first, second])] == [other]
    more = nodes.numbers(one, rows + 1)
    assert len(list(nodes.without_weights(more))) == 1  # there is room for new ones, and what is known is kept
    assert nodes.weights[first[1], 0] == 0.5


def test_a_form_tells_where_its_numbers_stand() -> None:
    assert list(Form(True, ((1, 3), (4, 1))).parts()) == [(1, 0, slice(1, 4)), (4, 4, slice(5, 6))]
