from __future__ import annotations

from decimal import Decimal

import pytest

from epsilens.accounting.amounts import decimal, digits, exact_half, exact_rest, exact_sum, exact_times, pure_rho


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (2.0, "2"), (1e-7, "1E-7"), (123456789.0, "123456789"), (1e-300, "1E-300")]
)
def test_digits(value: float, text: str) -> None:
    assert digits(decimal(value)) == text
    assert float(text) == value


def test_sums_keep_every_digit() -> None:
    tenth, tiny = decimal(0.1), decimal(1e-300)
    assert exact_sum([tenth] * 10) == 1
    assert exact_rest(exact_sum([Decimal(10) ** 300, tiny]), Decimal(10) ** 300) == tiny
    assert exact_times(tenth, 3) == Decimal("0.3")
    assert exact_sum([]) == 0
    assert exact_half(decimal(1e-7)) == Decimal("5E-8")
    assert exact_times(exact_half(exact_sum([Decimal(1), tiny])), 2) == exact_sum([Decimal(1), tiny])


def test_the_price_of_pure_privacy_in_rho() -> None:
    assert pure_rho(decimal(0.1)) == Decimal("0.005")
