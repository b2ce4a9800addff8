"""Amounts of privacy as people write them: decimals, added up to the last digit.

Ten releases at 0.1 spend exactly 1, and what is left is known to the digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact

# Sums of doubles written as decimals need some six hundred digits at most; losing one would be an error.
_EXACT = Context(prec=2000, traps=[Inexact])


def decimal(value: float | str | Decimal) -> Decimal:
    """The number as people write it: 0.1 is one tenth, not its binary neighbour."""
    return Decimal(repr(value) if isinstance(value, float) else str(value))


def digits(value: Decimal) -> str:
    """A decimal in plain notation, to the last digit; exponents only where there would be many zeros."""
    plain = value.normalize(_EXACT)
    return "0" if not plain else format(plain, "f") if plain.adjusted() >= -6 else str(plain)


def exact_sum(amounts: Iterable[Decimal]) -> Decimal:
    """All amounts together, to the last digit."""
    total = Decimal(0)
    for amount in amounts:
        total = _EXACT.add(total, amount)
    return total


def exact_rest(whole: Decimal, taken: Decimal) -> Decimal:
    """What is left of ``whole``, to the last digit."""
    return _EXACT.subtract(whole, taken)


def exact_times(amount: Decimal, times: int) -> Decimal:
    """``times`` the amount, to the last digit."""
    return _EXACT.multiply(amount, Decimal(times))


def pure_rho(epsilon: Decimal) -> Decimal:
    """epsilon^2 / 2, the zCDP price of pure DP (Bun and Steinke 2016), exactly."""
    return _EXACT.divide(_EXACT.multiply(epsilon, epsilon), Decimal(2))


def exact_half(amount: Decimal) -> Decimal:
    """Half of the amount, to the last digit."""
    return _EXACT.divide(amount, Decimal(2))
