"""Checks of single values."""

from __future__ import annotations

import pytest

from epsilens.budget import PureDP
from epsilens.checks import finite, whole, written
from epsilens.errors import ParameterError
from epsilens.noise import calibrate
from epsilens.sensitivity import count


def test_whole() -> None:
    assert whole("n", 3.0) == 3
    for bad in (2.5, "x", float("inf"), None):
        with pytest.raises(ParameterError, match="whole number"):
            whole("n", bad)
    with pytest.raises(ParameterError, match=">= 1"):
        whole("n", 0, 1)


def test_a_count_that_no_float_holds_is_refused_where_it_is_checked() -> None:
    for huge in (10**400, -(10**400)):
        with pytest.raises(ParameterError, match=r"n must lie between -1\.8e308 and 1\.8e308"):
            whole("n", huge)
    assert whole("n", 10**300) == 10**300


def test_a_whole_number_that_no_float_holds_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"epsilon must lie between -1.8e308 and 1.8e308"):
        finite("epsilon", 10**400)


def test_an_old_keyword_still_works() -> None:
    old = calibrate("laplace", PureDP(1.0), rows_per_unit=3)  # type: ignore[call-arg]
    assert old == calibrate("laplace", PureDP(1.0), max_rows_per_unit=3)
    assert count(neighbours="add-remove", rows_per_unit=2) == 2.0  # type: ignore[call-arg]


def test_half_a_character_cannot_be_written() -> None:
    assert written("account", "é") == "é"
    with pytest.raises(ParameterError, match="account must be text that UTF-8 can write"):
        written("account", "a\ud800")
