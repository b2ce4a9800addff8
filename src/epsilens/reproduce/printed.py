"""Numbers as they are printed: what they say, and how exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_NUMBER = re.compile(
    r"(?P<sign>[-+−]?)(?P<whole>\d{0,3}(?:,\d{3})+|\d*)(?:\.(?P<part>\d*))?(?:[eE](?P<power>[-+]?\d+))?"
)
_EQUAL = 1e-9
"""Whole numbers are equal but for rounding error."""


@dataclass(frozen=True)
class Printed:
    """A number as it is printed: ``.985``, ``4,719``, ``57.0 %``, ``3E-4``.

    A number with decimals says no more than its digits. A whole number is meant as it is, unless ``unit`` says to what
    it was rounded: ``Printed("17", unit=1)``.
    """

    text: str
    unit: float | None = None

    def __post_init__(self) -> None:
        if self._parts is None:
            raise ValueError(f"{self.text!r} is not a printed number")

    @cached_property
    def _parts(self) -> re.Match[str] | None:
        found = _NUMBER.fullmatch(self._plain)
        return found if found and (found["whole"] or found["part"]) else None

    @property
    def _plain(self) -> str:
        return self.text.strip().removesuffix("%").strip()

    @property
    def _scale(self) -> float:
        return 0.01 if self.text.strip().endswith("%") else 1.0

    @cached_property
    def value(self) -> float:
        """The number; of a percentage the share."""
        return float(self._plain.replace(",", "").replace("−", "-")) * self._scale

    @cached_property
    def step(self) -> float:
        """One unit of the last digit; 0 for a whole number that is meant as it is."""
        if self.unit is not None:
            return self.unit * self._scale
        assert self._parts is not None
        decimals, power = self._parts["part"], int(self._parts["power"] or 0)
        if decimals is None and not power and self._scale == 1.0:
            return 0.0
        return 10.0 ** (power - len(decimals or "")) * self._scale

    def agrees(self, value: float) -> bool:
        """Whether ``value`` is printed so: rounded to these digits, or cut off after them, as print does both."""
        beyond = value - self.value if self.value >= 0 else self.value - value
        return self.rounds(value) or -self._slack <= beyond < self.step - self._slack

    def rounds(self, value: float) -> bool:
        """Whether ``value``, rounded to these digits, is printed so."""
        return abs(value - self.value) <= 0.5 * self.step + self._slack

    @property
    def _slack(self) -> float:
        return _EQUAL * (self.step or abs(self.value)) + 1e-14 * abs(self.value)

    def within(self, value: float, error: float) -> bool:
        """Whether ``value`` is within ``error`` of what may have been before it was rounded."""
        return abs(value - self.value) <= error + 0.5 * self.step
