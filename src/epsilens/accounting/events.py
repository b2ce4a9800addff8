"""What a release does to one person: the facts that a rule may rely on, kept apart from what they cost.

An event is a frozen object. A ledger keeps it as plain texts, which ``to_dict`` writes and :func:`event_from` reads.
What that does not know, it refuses: nothing is ever charged by guessing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from epsilens.accounting.amounts import decimal, digits
from epsilens.budget import count_sensitivity, counts_moved
from epsilens.checks import positive, whole
from epsilens.errors import ParameterError
from epsilens.noise.law import Noise
from epsilens.noise.mechanisms import law_named


@dataclass(frozen=True)
class NoiseEvent:
    """Counts with independent noise of a known law: one person moves ``cells`` of them by ``sensitivity`` each.

    Continuous Gaussian noise looks the same from every direction, so that there a shift of many cells is written as
    one cell moved by their l2 norm.
    """

    law: Noise
    cells: int = 1
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", whole("cells", self.cells, 1))
        object.__setattr__(self, "sensitivity", positive("sensitivity", self.sensitivity))

    def to_dict(self) -> dict[str, Any]:
        """Its texts in a ledger."""
        plain = {"law": self.law.name, "parameter": digits(decimal(self.law.size)), "cells": self.cells}
        return {**plain, "sensitivity": self.sensitivity} if self.law.rotates else plain


@dataclass(frozen=True)
class PureEvent:
    """``times`` mechanisms with epsilon-DP, of which nothing else is known."""

    epsilon: Decimal
    times: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", whole("cells", self.times, 1))
        _refuse_negative("epsilon", self.epsilon)

    def to_dict(self) -> dict[str, Any]:
        """Its texts in a ledger."""
        return {"law": "pure", "parameter": digits(self.epsilon), "cells": self.times}


@dataclass(frozen=True)
class ApproximateEvent:
    """A mechanism with (epsilon, delta)-DP, of which nothing else is known."""

    epsilon: Decimal
    delta: Decimal

    def __post_init__(self) -> None:
        _refuse_negative("epsilon", self.epsilon)
        _refuse_negative("delta", self.delta)

    def to_dict(self) -> dict[str, Any]:
        """Its texts in a ledger."""
        return {"law": "approximate", "epsilon": digits(self.epsilon), "delta": digits(self.delta)}


@dataclass(frozen=True)
class ConcentratedEvent:
    """A mechanism with rho-zCDP, of which nothing else is known."""

    rho: Decimal

    def __post_init__(self) -> None:
        _refuse_negative("rho", self.rho)

    def to_dict(self) -> dict[str, Any]:
        """Its texts in a ledger."""
        return {"law": "concentrated", "rho": digits(self.rho)}


@dataclass(frozen=True)
class DeltaEvent:
    """Something that fails with probability ``delta`` whatever the rest does, such as a threshold."""

    delta: Decimal

    def __post_init__(self) -> None:
        _refuse_negative("delta", self.delta)

    def to_dict(self) -> dict[str, Any]:
        """Its texts in a ledger."""
        return {"law": "delta", "delta": digits(self.delta)}


Event: TypeAlias = NoiseEvent | PureEvent | ApproximateEvent | ConcentratedEvent | DeltaEvent


def event_from(plain: Mapping[str, Any]) -> Event:
    """The event that a ledger's texts mean; a law without a kind of its own is one of noise, and must be known."""
    kind = plain["law"]
    if kind == "pure":
        return PureEvent(Decimal(plain["parameter"]), plain["cells"])
    if kind == "approximate":
        return ApproximateEvent(Decimal(plain["epsilon"]), Decimal(plain["delta"]))
    if kind == "concentrated":
        return ConcentratedEvent(Decimal(plain["rho"]))
    if kind == "delta":
        return DeltaEvent(Decimal(plain["delta"]))
    law = law_named(kind).of_size(float(plain["parameter"]))
    return NoiseEvent(law, plain["cells"], float(plain.get("sensitivity", 1.0)))


def noise_event(law: Noise, neighbours: str, max_rows_per_unit: int = 1) -> NoiseEvent | None:
    """What a table of counts with this noise does to one person; None where that is not known.

    A person moves one count by one, or two where a record is replaced. With several rows a person may move one count by
    many or many by one: of Gaussian noise the l2 norm alone matters, of other laws the worst case is not known.
    """
    if law.rotates:
        return NoiseEvent(law, 1, count_sensitivity(neighbours, 2, max_rows_per_unit))
    return NoiseEvent(law, counts_moved(neighbours)) if max_rows_per_unit == 1 else None


def _refuse_negative(name: str, amount: Decimal) -> None:
    if not amount.is_finite() or amount < 0:  # a release never gives budget back
        raise ParameterError(f"of an event must be a number >= 0, got {amount}", parameter=name)
