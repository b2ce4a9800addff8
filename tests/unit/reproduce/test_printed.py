from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilens.reproduce.printed import Printed


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [
        (".985", 0.985, 0.001),
        ("57.0 %", 0.57, 0.001),
        ("57%", 0.57, 0.01),
        ("4,719", 4719.0, 0.0),
        ("22,855.64", 22855.64, 0.01),
        ("3E-4", 3e-4, 1e-4),
        ("0", 0.0, 0.0),
        ("-1", -1.0, 0.0),
        ("−.5", -0.5, 0.1),
        ("2.", 2.0, 1.0),
    ],
)
def test_what_is_printed(text: str, value: float, step: float) -> None:
    assert Printed(text).value == pytest.approx(value, abs=1e-15)
    assert Printed(text).step == pytest.approx(step, abs=1e-15)


@pytest.mark.parametrize("text", ["", "-", ".", "one", "1.2.3", "1/2", "4,71", "%"])
def test_what_is_not_a_number(text: str) -> None:
    with pytest.raises(ValueError, match="is not a printed number"):
        Printed(text)


def test_rounded_and_cut_off_agree_and_nothing_else() -> None:
    printed = Printed(".944")
    assert [printed.agrees(x) for x in (0.9435, 0.944, 0.9444999, 0.94499, 0.94501, 0.9434)] == [
        *(True, True, True, True),
        *(False, False),
    ]
    below = Printed("-1.5")
    assert [below.agrees(x) for x in (-1.45, -1.5, -1.599, -1.6, -1.44)] == [True, True, True, False, False]


def test_whole_numbers_are_meant_as_they_are_unless_a_unit_says_otherwise() -> None:
    assert Printed("142").agrees(142.0)
    assert not Printed("142").agrees(142.4)
    assert Printed("142", unit=1).agrees(142.4)
    assert Printed("0").agrees(0.0)
    assert not Printed("0").agrees(1e-12)


def test_within_an_error_of_what_may_have_been_rounded() -> None:
    assert Printed("1.5").within(1.64, 0.1)
    assert not Printed("1.5").within(1.66, 0.1)


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_every_number_agrees_with_how_it_is_rounded(value: float, digits: int) -> None:
    rounded = Printed(f"{value:.{digits}f}", unit=10.0**-digits)
    assert rounded.agrees(value)
    assert not rounded.agrees(value + 2.1 / 10.0**digits)


@given(st.sampled_from((-1, 1)), st.integers(1, 10**6), st.floats(0.011, 0.989), st.integers(0, 6))
def test_every_number_agrees_with_how_it_is_cut_off(sign: int, whole: int, rest: float, digits: int) -> None:
    scale = 10.0**digits
    value = sign * (whole + rest) / scale
    cut = Printed(f"{sign * whole / scale:.{digits}f}", unit=1 / scale)
    assert cut.agrees(value)


def test_what_is_cut_off_is_not_rounded() -> None:
    assert [Printed("17.91").rounds(x) for x in (17.9049, 17.905, 17.9149, 17.9153)] == [False, True, True, False]
    assert Printed("17.91").agrees(17.9153)
