from __future__ import annotations

import pytest

import epsilens as el
from epsilens.report.words import common as words


def test_nothing_is_called_certain_that_is_not() -> None:
    assert [words.percent(share) for share in (0.0, 1e-6, 0.9999, 1.0)] == ["0.0 %", "< 0.1 %", "> 99.9 %", "100.0 %"]


def test_no_rounding_moves_a_number_to_the_other_side_of_another() -> None:
    assert words.percent_beside(0.0615, 0.0615) == "6.15 %"  # met, and not by 6.2 %
    assert words.percent_beside(0.06149, 0.0615) == "6.1 %"
    assert words.percent_beside(0.0616, 0.0615) == "6.2 %"
    assert words.percent_beside(0.299999, 0.3) == "29.9999 %"
    assert words.percent_beside(0.3 - 1e-14, 0.3) == "30.0 %"  # equal but for rounding error
    assert words.percent_beside(0.0001, 0.3) == "< 0.1 %"
    assert words.percent_beside(0.0001, 0.0002) == "0.01 %"
    assert words.percent_beside(0.99951, 0.9996) == "99.95 %"
    assert words.percent_beside(0.2) == "20.0 %"
    assert words.number_beside(1.49999, 1.5) == "1.49999"
    assert words.number_beside(1.49999, 2.0, digits=3) == "1.5"
    assert words.number_beside(1.2345678) == "1.235"


def test_shares_of_one_sentence_are_told_apart() -> None:
    assert words.finer_percent(0.01, 0.2) == ["1.0 %", "20.0 %"]
    assert words.finer_percent(0.0001, 0.0002, 0.0003) == ["0.01 %", "0.02 %", "0.03 %"]
    assert words.finer_percent(0.12341, 0.12342) == ["12.341 %", "12.342 %"]
    assert words.finer_percent(0.5, 0.5) == ["50.0 %", "50.0 %"]
    assert words.finer_percent(0.1, 0.1 + 1e-15) == ["10 %", "10 %"]  # there is no use in so many digits


def test_numbers_budgets_and_places() -> None:
    assert words.number(1234567) == "1,234,567"
    assert words.budget_text(el.ApproxDP(1.0, 1e-6)) == "epsilon = 1, delta = 1e-06"
    assert words.chart_written("c.svg") == "Chart written to c.svg (internal)."


def test_shares_in_one_sentence_are_told_apart_but_for_those_that_are_next_to_nothing() -> None:
    assert words.finer_percent(0.5, 0.25) == ["50.0 %", "25.0 %"]
    assert words.finer_percent(1e-9, 3e-21, 1e-22) == ["< 0.1 %"] * 3
    assert words.finer_percent(2e-4, 1e-4, 3e-21) == ["0.02 %", "0.01 %", "< 0.0001 %"]
    assert words.finer_percent(0.0, 1e-9) == ["0.0 %", "< 0.1 %"]


def test_names_in_a_sentence() -> None:
    told = [words.joined(names) for names in ((), ("a",), ("a", "b"), ("a", "b", "c"))]
    assert told == ["nothing", "a", "a and b", "a, b and c"]
    assert words.joined("abcde", "or", most=3) == "a, b, c or 2 more"
    assert words.joined("abc", most=3) == "a, b and c"


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.27, "27 of 100"),
        (0.01, "1 of 100"),
        (0.004, "4 of 1,000"),
        (0.0067, "7 of 1,000"),
        (0.00002, "2 of 100,000"),
        (1e-7, "fewer than 1 of 100,000"),
        (0.0, "none of 100"),
        (0.993, "99 of 100"),
        (0.999, "more than 99 of 100"),
        (1.0, "100 of 100"),
    ],
)
def test_frequencies_never_say_0(share: float, said: str) -> None:
    assert words.frequency(share) == said


def test_one_denominator_may_be_asked_for() -> None:
    assert [words.out_of(share, 100) for share in (0.0, 0.004, 0.0067, 0.5, 0.9967)] == [
        "none",
        "fewer than 1",
        "1",
        "50",
        "more than 99",
    ]


def test_halves_are_neither_all_nor_none() -> None:
    assert words.out_of(0.995, 100) == "99"
    assert words.out_of(0.005, 100) == "1"


def test_one_of_several() -> None:
    several = ("people", "patients", "families", "children", "staff", "princess")
    singular = ["person", "patient", "family", "child", "staff", "princess"]
    assert [words.singular(whom) for whom in several] == singular
