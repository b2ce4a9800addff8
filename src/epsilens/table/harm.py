"""Which values of a sensitive attribute harm whoever is shown to have them, and how much.

A table that shows everybody in a cell as healthy discloses something, but harms nobody. So every label has a weight: 0
where being shown to have it is harmless, 1 or more where it is not; a risk counts label k w_k times. Unless values are
declared, all of them harm alike, except missing ones: that a value is not known tells nothing about anybody.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.checks import did_you_mean, finite
from epsilens.errors import ParameterError
from epsilens.notebook import brief
from epsilens.table.domain import MISSING, level_text

Declared: TypeAlias = str | Iterable[str] | Mapping[str, Mapping[object, float] | Iterable[object]]
"""``"stroke=1"``, ``"stroke=1*3"`` for a weight of 3, several of them; or weights (or just values) by column."""

SIGN_OF_WEIGHT = "*"


@dataclass(frozen=True)
class Harm:
    """Weights of harmful values, by sensitive attribute; an attribute that is not named has the default."""

    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        for column, values in self.weights.items():
            if not values:
                raise ParameterError(f"names no value of column {column!r}", parameter="harmful")
            for weight in values.values():
                if finite("the weight behind a value", weight) < 1:
                    raise ParameterError(
                        "a weight must be at least 1: leave out values that harm nobody",
                        parameter="harmful",
                        got=weight,
                    )

    @staticmethod
    def of(declared: Declared, values: Mapping[str, Sequence[str]]) -> Harm:
        """What was declared, for attributes that have these values; a value that nobody can have is refused."""
        found: dict[str, dict[str, float]] = {}
        for column, text, weight in _entries(declared):
            _refuse_other_columns(column, values)
            value, counts = _value_and_weight(text, weight, values[column])
            if value not in values[column]:
                raise ParameterError(
                    f"names {value!r}, which does not occur in column {column!r}{_nearest(value, values[column])}",
                    parameter="harmful",
                )
            if found.setdefault(column, {}).setdefault(value, counts) != counts:
                raise ParameterError(f"gives a value of column {column!r} two weights", parameter="harmful")
        return Harm(found)

    def weight(self, column: str, value: str) -> float:
        """How much it harms a person to be shown with this value."""
        if column in self.weights:
            return self.weights[column].get(value, 0.0)
        return 0.0 if value == MISSING else 1.0

    def of_labels(self, columns: Sequence[str], label_values: Iterable[Sequence[str]]) -> FloatArray:
        """One weight per label; a combination of several values harms as much as the worst of them."""
        return np.array(
            [max(map(self.weight, columns, parts)) for parts in label_values],
            dtype=np.float64,
        )


def check_harmful_columns(declared: Declared, sensitive: Sequence[str]) -> None:
    """Refuse, before any data are read, what cannot be a declaration about these attributes."""
    for column, _, weight in _entries(declared):
        _refuse_other_columns(column, sensitive)
        if weight is not None:
            Harm({column: {"": weight}})


def largest_weight(declared: Declared) -> float:
    """No value weighs more than this, whatever the data: what looks like a weight may yet be the end of a value."""
    found = [1.0]
    for _, text, weight in _entries(declared):
        behind = text.rpartition(SIGN_OF_WEIGHT)[2].strip() if SIGN_OF_WEIGHT in text else ""
        try:
            found.append(float(behind) if weight is None else weight)
        except ValueError:  # a value with an asterisk, or without one
            continue
    return max(weight for weight in found if math.isfinite(weight))


def in_canonical_order(vectors: IntArray, weights: FloatArray) -> IntArray:
    """Count vectors (..., labels) with labels of equal weight side by side, the heaviest first, and sorted there.

    Labels that harm alike may be exchanged: cells that differ in nothing else have the same risk.
    """
    order = np.argsort(-weights, kind="stable")
    arranged = vectors[..., order]
    ends = np.flatnonzero(np.diff(weights[order])) + 1
    return np.concatenate([-np.sort(-part, axis=-1) for part in np.split(arranged, ends, axis=-1)], axis=-1)


def canonical_weights(weights: FloatArray) -> FloatArray:
    """The weights of the labels as :func:`in_canonical_order` arranges them."""
    return -np.sort(-weights)


def harm_differs(weights: FloatArray | None) -> TypeGuard[FloatArray]:
    """Whether some label does not count exactly once; otherwise risks may be computed without looking at labels."""
    return weights is not None and bool((weights != 1.0).any())


def _entries(declared: Declared) -> Iterable[tuple[str, str, float | None]]:
    """(column, value, weight or None) of every declaration."""
    if isinstance(declared, Mapping):
        for column, values in declared.items():
            if isinstance(values, Mapping):
                yield from ((column, level_text(value), float(weight)) for value, weight in values.items())
            else:
                several = (values,) if isinstance(values, str) or not isinstance(values, Iterable) else values
                yield from ((column, level_text(value), 1.0) for value in several)
        return
    for text in (declared,) if isinstance(declared, str) else declared:
        column, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not column:
            raise ParameterError("must read like COL=VALUE, or COL=VALUE*3 for a weight", parameter="harmful")
        yield column, value or MISSING, None


def _value_and_weight(text: str, weight: float | None, values: Sequence[str]) -> tuple[str, float]:
    """A text that is a value is that value; otherwise what stands behind the last asterisk is its weight."""
    if weight is not None or text in values or SIGN_OF_WEIGHT not in text:
        return text, 1.0 if weight is None else weight
    value, _, behind = (part.strip() for part in text.rpartition(SIGN_OF_WEIGHT))
    return value or MISSING, finite("the weight behind a value", behind)


def _nearest(value: str, values: Sequence[str]) -> str:
    """What may have been meant; a value that is declared missing, or lies in a bin, is not found by its letters."""
    if {"", *values}.issuperset(part.strip() for part in value.split(",")):
        return "; every value needs a COL=VALUE of its own"
    if near := did_you_mean(value, values):
        return near
    if values and all(other == MISSING or other.startswith(("[", "(")) for other in values):
        return ": name a bin of it as results do, such as '[0, 25)'"
    return "; missing values are named by nothing behind the sign: COL=" if MISSING in values else ""


def _refuse_other_columns(column: str, sensitive: Iterable[str]) -> None:
    known = tuple(sensitive)
    if column not in known:
        raise ParameterError(
            f"names column {column!r}, which is not sensitive here{did_you_mean(column, known)}", parameter="harmful"
        )
