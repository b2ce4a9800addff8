"""Columns x levels: sizes, orders, codes, structural zeros, and the one way in which a level is written."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.errors import DataError, ParameterError
from epsilens.table.domain import MAX_CELLS, Domain, encoded, level_text, natural_order, sorted_codes

PEOPLE = Domain(("age", "sex", "ill"), (("9", "10", "11"), ("f", "m"), ("no", "yes")))


def test_sizes_positions_and_projections() -> None:
    assert (PEOPLE.shape, PEOPLE.size, str(PEOPLE)) == ((3, 2, 2), 12, "age(3) x sex(2) x ill(2)")
    assert (PEOPLE.axis("ill"), PEOPLE.axes(["ill", "age"])) == (2, (2, 0))
    assert PEOPLE.levels_of("age") == ("9", "10", "11")
    assert (PEOPLE.position("age", "10"), PEOPLE.position("age", "12")) == (1, -1)
    assert PEOPLE.coded("sex", ["m", "x", "f"]).tolist() == [1, -1, 0]
    assert PEOPLE.project(["ill", "sex"]) == Domain(("ill", "sex"), (("no", "yes"), ("f", "m")))
    everybody = PEOPLE.project([])
    assert (everybody.size, everybody.cells().shape) == (1, (1, 0))


def test_a_product_of_domains_has_shared_columns_once() -> None:
    left, right = PEOPLE.project(["age", "sex"]), PEOPLE.project(["sex", "ill"])
    assert left.merge(right) == PEOPLE
    with pytest.raises(ParameterError, match="'sex' has other levels"):
        left.merge(Domain(("sex",), (("m", "f"),)))


def test_cells_come_in_the_order_of_an_array() -> None:
    cells = PEOPLE.cells()
    assert PEOPLE.keys(cells).tolist() == list(range(12))
    assert cells[5].tolist() == list(np.unravel_index(5, PEOPLE.shape))
    distinct, group = PEOPLE.distinct(cells[[3, 0, 3]])
    assert (PEOPLE.keys(distinct).tolist(), group.tolist()) == ([0, 3], [1, 0, 1])


def test_structural_zeros_are_rules_about_levels() -> None:
    cells = PEOPLE.cells()
    ruled_out = PEOPLE.matches({"sex": ("m",), "ill": ("yes", "unheard of")}, cells)
    assert [tuple(row) for row in cells[ruled_out]] == [(age, 1, 1) for age in range(3)]
    assert not PEOPLE.matches({"sex": ("x",)}, cells).any()


def test_texts_have_an_order_of_their_own_and_unused_levels_go() -> None:
    codes = np.array([[2, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=np.int32)
    order = PEOPLE.text_order(codes)
    assert [PEOPLE.levels[0][codes[i, 0]] for i in order] == ["10", "11", "9"]
    used, again = PEOPLE.used(codes)
    assert used.levels == (("10", "11", "9"), ("f", "m"), ("no",))
    texts = [[used.levels[j][c] for j, c in enumerate(row)] for row in again]
    assert texts == [[PEOPLE.levels[j][c] for j, c in enumerate(row)] for row in codes]


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Domain(("a",), ()), "1 columns cannot have 0 lists"),
        (lambda: Domain(("a", "a"), (("x",), ("x",))), "named once"),
        (lambda: Domain(("a",), (("x", "x"),)), "universe of 'a' lists a value twice"),
        (lambda: PEOPLE.axis("agee"), "there is no column 'agee' here; did you mean 'age'"),
    ],
)
def test_what_is_not_a_domain(build, says: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((DataError, ParameterError), match=says):
        build()


def test_one_message_for_a_universe_that_is_too_large() -> None:
    many = tuple(str(i) for i in range(5_000))
    big = Domain(("a", "b"), (many, many))
    said = []
    codes = np.zeros(1, dtype=np.int32)
    for call in (
        big.cells,
        av.Records({"a": av.Column(codes, many), "b": av.Column(codes, many)}, ("a",)).histogram,
        lambda: av.Histogram.of(
            el.FrequencyTable.from_counts([[1, 0]], ["0", "1"], {"a": ["0"]}), {"a": many, "label": many}
        ),
    ):
        with pytest.raises(ParameterError) as caught:
            call()
        said.append(str(caught.value))
    assert len(set(said)) == 1
    assert f"25,000,000 cells, more than {MAX_CELLS:,}" in said[0]
    huge = Domain(tuple(f"c{i}" for i in range(64)), (("0", "1"),) * 64)
    with pytest.raises(DataError, match="too many combinations"):
        huge.keys(np.zeros((1, 64), dtype=np.int32))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (np.bool_(False), "false"),
        (39.0, "39"),
        (np.float64(39.0), "39"),
        (np.float32(0.5), "0.5"),
        (np.int8(7), "7"),
        (0.1, "0.1"),
        (1e16, "1e+16"),
        (Decimal("2.500"), "2.5"),
        (" x ", "x"),
        (np.str_("y"), "y"),
        (None, "(missing)"),
        (float("nan"), "(missing)"),
        (np.float64("nan"), "(missing)"),
        (pd.NA, "(missing)"),
        (pd.NaT, "(missing)"),
        (float("inf"), "inf"),
    ],
)
def test_a_level_is_written_in_one_way(value: object, text: str) -> None:
    assert level_text(value) == text


def test_levels_from_values() -> None:
    assert Domain.of({"a": [1, 2.0, True]}) == Domain(("a",), (("1", "2", "true"),))
    assert encoded(["b", "a", "b"])[0] == ("b", "a")
    assert encoded(["b", "a", "b"])[1].tolist() == [0, 1, 0]
    assert natural_order(["[20, 25)", "< 5", "[5, 10)", "< 5"]) == ["< 5", "[5, 10)", "[20, 25)"]


def test_cells_of_a_domain_too_large_to_be_numbered_still_have_an_order() -> None:
    huge = Domain(tuple(f"c{i}" for i in range(64)), (("b", "a"),) * 64)
    codes = np.zeros((3, 64), dtype=np.int32)
    codes[0, 0], codes[1, 63] = 1, 1
    assert huge.order(codes).tolist() == [2, 1, 0]
    assert huge.text_order(codes).tolist() == [0, 1, 2]


def test_cells_of_too_many_combinations_to_be_numbered_are_told_apart_all_the_same() -> None:
    levels = tuple(str(i) for i in range(2_000))
    wide = Domain(tuple("abcdef"), (levels,) * 6)  # 2,000^6 > 2^62
    codes = np.array([[5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]], dtype=np.int32)
    distinct, group = wide.distinct(codes)
    assert distinct.tolist() == [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]]
    assert group.tolist() == [1, 0, 1]


def test_codes_by_code_point() -> None:
    levels, codes = sorted_codes(["m", "f", "m", "x"])
    assert (levels, codes.tolist()) == (("f", "m", "x"), [1, 0, 1, 2])
    assert sorted_codes([])[0] == ()
