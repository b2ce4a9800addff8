"""What swapping systems share: pairs that exchange, and the laws of small tables."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.exchanged import (
    Exchange,
    checked_exchange,
    exchange_enumeration,
    exchange_law,
    pair_distance,
    remarks_on_swapped,
    rows_to_swap,
    swapped_pairs,
)
from epsilens.errors import ParameterError
from tests.support.avoidance import random_histogram

# Figure 1(b) of the paper: block x gender x voting age
PRINTED = av.Histogram(
    np.array([[[1, 0], [2, 0]], [[1, 2], [1, 0]]]),
    ("block", "gender", "votes"),
    (("1", "2"), ("M", "F"), ("yes", "no")),
    ("gender",),
)


def test_the_printed_example_exchanges_two_cells() -> None:
    """Figure 1(d): the two men and the no women of block 2 who do not vote change places."""
    men, women = np.array([5]), np.array([7])
    after = Exchange.of(PRINTED, ("gender",), "cells", men, women).counts_after(PRINTED)
    assert after.tolist() == [[[1, 0], [2, 0]], [[1, 0], [1, 2]]]


def test_people_and_cells_move_and_impossible_places_are_seen() -> None:
    one = Exchange.of(PRINTED, ("gender",), "rows", np.array([5]), np.array([6])).counts_after(PRINTED)
    assert one.tolist() == [[[1, 0], [2, 0]], [[2, 1], [0, 1]]]
    possible = np.ones((2, 2, 2), dtype=bool)
    possible[1, 1, 1] = False  # women of block 2 cannot but vote
    bounded = av.Histogram(PRINTED.counts, PRINTED.attributes, PRINTED.levels, ("gender",), (), possible)
    pairs = Exchange.of(bounded, ("gender",), "rows", np.array([5, 0]), np.array([6, 2]))
    assert pairs.admitted(bounded).tolist() == [False, True]
    assert rows_to_swap("cells", bounded) == 7
    assert rows_to_swap("rows", bounded) == 7
    assert rows_to_swap("cells", PRINTED) == 8


def test_a_law_is_the_list_of_all_pairs() -> None:
    def first_two(left: tuple[int, ...], width: int) -> dict[tuple[int, int | None], float]:
        return {(0, width + 1): 0.25, (0, None): 0.75} if left[0] and left[width + 1] else {}

    assert exchange_law(((1, 0), (0, 1)), 1.0, "rows", first_two) == {((0, 1), (1, 0)): 0.25, ((1, 0), (0, 1)): 0.75}
    assert exchange_law(((1, 0), (0, 1)), 0.5, "rows", first_two) == {((1, 0), (0, 1)): 1.0}  # not one pair
    assert exchange_law(((3, 0), (0, 5)), 0.5, "cells", first_two) == {((0, 3), (5, 0)): 0.25, ((3, 0), (0, 5)): 0.75}
    assert [pair_distance(0, other, 3) for other in (0, 1, 3, 4)] == [0, 1, 1, 2]


@pytest.mark.parametrize(("share", "unit", "people", "width"), [(0.1, "rows", 20, 2), (1.0, "rows", 2, 2)])
def test_the_tables_of_an_audit_have_just_enough_rows(share: float, unit: str, people: int, width: int) -> None:
    small = exchange_enumeration(lambda table: {table: 1.0}, share, unit)  # type: ignore[arg-type]
    assert {sum(map(sum, table)) for table in small.tables} == {people, people - 1}
    assert all(len(table[0]) == width for table in small.tables)
    assert swapped_pairs(share, people) == 1
    cells = exchange_enumeration(lambda table: {table: 1.0}, 0.1, "cells")
    assert swapped_pairs(0.1, 2 * len(cells.tables[0][0])) == 1
    assert len(exchange_enumeration(lambda table: {table: 1.0}, 1e-9, "cells").tables[0][0]) == 20
    assert len(exchange_enumeration(lambda table: {table: 1.0}, 5e-324, "rows").tables) == 5


def test_remarks_and_refusals() -> None:
    assert remarks_on_swapped(0.1, "cells", None, PRINTED)[0].startswith("does nothing here: 10 % of 8 cells")
    assert remarks_on_swapped(0.5, "rows", ("race",), random_histogram(1)) == ()
    assert "only exchanges the sensitive values" in remarks_on_swapped(0.5, "rows", None, random_histogram(1))[0]
    assert checked_exchange(0.5, "rows", ["a"], None) == (("a",), None)
    with pytest.raises(ParameterError, match="share of rows to swap must be > 0 and at most 1, got 0"):
        checked_exchange(0.0, "rows", None, None)
    with pytest.raises(ParameterError, match="match_on must name at least one column"):
        checked_exchange(0.5, "rows", None, ())


@pytest.mark.parametrize("hundredths", range(101))
def test_a_share_is_what_is_written_and_not_the_nearest_float_below(hundredths: int) -> None:
    assert swapped_pairs(hundredths / 100, 200) == hundredths
