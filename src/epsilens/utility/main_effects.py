"""Sums over a grid of combinations with one effect per level of each attribute: X b, X' v and X' diag(w) X.

The rows of X are all combinations of the levels of some attributes; its columns are an intercept and an indicator per
level of each attribute but the first. So X b is an outer sum of effects and X' v are one-way marginals of v, and
neither needs X: a grid of n combinations costs a pass or two over n numbers, however many levels there are. All arrays
end with an axis of several *problems*, such as releases of one table, which are worked on together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class MainEffects:
    """The design of a grid with ``sizes`` levels per attribute."""

    sizes: tuple[int, ...]

    @cached_property
    def columns(self) -> int:
        """Columns of X."""
        return 1 + sum(size - 1 for size in self.sizes)

    @cached_property
    def penalised(self) -> FloatArray:
        """1 for every column of X but the intercept."""
        found = np.ones(self.columns)
        found[0] = 0.0
        return found

    def _effects(self, coefficients: FloatArray) -> list[FloatArray]:
        """By attribute (several, levels, problems): 0 for the first level."""
        found, start = [], 1
        for size in self.sizes:
            mine = np.zeros((len(coefficients), size, coefficients.shape[2]))
            mine[:, 1:] = coefficients[:, start : start + size - 1]
            found.append(mine)
            start += size - 1
        return found

    def predictors(self, coefficients: FloatArray) -> FloatArray:
        """X b for ``coefficients`` (several, columns, problems), as (several, combinations, problems)."""
        total = coefficients[:, :1]
        for effects in self._effects(coefficients):
            grown = total[:, :, None, :] + effects[:, None, :, :]
            total = grown.reshape(len(grown), -1, grown.shape[-1])
        return total

    def predictors_at(self, coefficients: FloatArray, codes: IntArray) -> FloatArray:
        """The same for some combinations only, which ``codes`` (attributes, combinations) name."""
        total = np.repeat(coefficients[:, :1], codes.shape[1], axis=1)
        for effects, code in zip(self._effects(coefficients), codes, strict=True):
            total += effects[:, code]
        return total

    def summed(self, values: FloatArray) -> FloatArray:
        """X' v for ``values`` (several, combinations, problems), as (several, columns, problems)."""
        return _summed(values, self.sizes)

    def crossed(self, weights: FloatArray) -> FloatArray:
        """X' diag(w) X for ``weights`` (several, combinations, problems), as (several, columns, columns, problems)."""
        several, _, problems = weights.shape
        found = np.zeros((several, self.columns, self.columns, problems))
        start, rest = 1, weights
        for i, size in enumerate(self.sizes):
            rest = rest.reshape(several, size, -1, problems)
            after = self.sizes[i + 1 :]
            mine = slice(start, start + size - 1)
            # for every level of this attribute: its own total, and the marginals of all attributes that follow
            sums = _summed(rest.reshape(several * size, -1, problems), after).reshape(several, size, -1, problems)
            own = sums[:, 1:, 0]
            found[:, 0, mine] = found[:, mine, 0] = own
            places = np.arange(start, start + size - 1)
            found[:, places, places] = own
            if after:
                later = slice(start + size - 1, self.columns)
                found[:, mine, later] = sums[:, 1:, 1:]
                found[:, later, mine] = sums[:, 1:, 1:].swapaxes(1, 2)
            rest, start = rest.sum(axis=1), start + size - 1
        found[:, 0, 0] = rest.reshape(several, -1, problems).sum(axis=1)
        return found


def _summed(values: FloatArray, sizes: tuple[int, ...]) -> FloatArray:
    """The total, and the marginals of every attribute without its first level."""
    several, _, problems = values.shape
    parts, rest = [], values
    for size in sizes:
        rest = rest.reshape(several, size, -1, problems)
        parts.append(rest.sum(axis=2)[:, 1:])
        rest = rest.sum(axis=1)
    return np.concatenate([rest.reshape(several, -1, problems).sum(axis=1, keepdims=True), *parts], axis=1)
