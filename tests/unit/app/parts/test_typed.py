"""Numbers as somebody types them."""

from __future__ import annotations

import pytest

from epsilens.app.parts.typed import as_typed, typed_number, typed_numbers
from epsilens.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "value"), [("0.1", 0.1), (" 2 ", 2.0), ("0,5", 0.5), ("1e-6", 1e-6), ("", None), (None, None), (" ", None)]
)
def test_numbers_are_kept_as_typed(text: str | None, value: float | None) -> None:
    assert typed_number("epsilon", text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("half", "epsilon must be a number such as 0.5, got 'half'"),
        ("nan", "epsilon must be a finite number, got 'nan'"),
        ("0.1000000000000000055", "more digits than are kept exactly"),
        ("1e999", "more digits"),
    ],
)
def test_what_would_be_another_number_is_refused(text: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        typed_number("epsilon", text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.7, 0.3", [0.7, 0.3]),
        ("0.7 0.3", [0.7, 0.3]),
        ("0.7;0.3", [0.7, 0.3]),
        ("1,2,3", [1.0, 2.0, 3.0]),
        ("", None),
    ],
)
def test_several_numbers(text: str, values: list[float] | None) -> None:
    assert typed_numbers("shares", text) == values


def test_a_number_is_shown_as_somebody_would_type_it() -> None:
    assert [as_typed(value) for value in (None, 0.1, 2.0, 1e-6, 2)] == ["", "0.1", "2", "0.000001", "2"]
    assert typed_number("delta", as_typed(1e-9)) == 1e-9
