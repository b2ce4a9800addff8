"""Tables that add up to a total which everybody knows: least squares with one more table that has no error.

Under substitution all neighbours have the same number of people, so that it is public and needs no noise. The other
tables are fitted together with it; what they say about the total is then of no use, and what they say about how it is
distributed is all that counts. Two halves with variance s^2 each have s^2 / 2 after it.

The total is given :data:`EXACT` of the least variance of the others, beside which no digit of a double is left: for
tables that nest and for marginals of a complete product both fits bear that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.release.fitting.fit import Alike, Fit

EXACT = 1e-60
"""The variance of a public total, relative to the least of the others."""


@dataclass(frozen=True, eq=False)
class KnownTotal:
    """The fit of some tables beside their public total, which is the last table of ``fit`` and is not released."""

    fit: Fit
    total: float

    def fitted(self, noisy: Sequence[FloatArray]) -> list[FloatArray]:
        """The tables that agree with each other and with the total and are nearest to ``noisy``, each (..., cells)."""
        lead = np.shape(noisy[0])[:-1]
        return self.fit.fitted([*noisy, np.full((*lead, 1), float(self.total))])[:-1]

    @property
    def variances(self) -> list[FloatArray]:
        """The variance of each fitted count."""
        return self.fit.variances[:-1]

    def kinds(self) -> int:
        """Those of the tables; the total is one of its own."""
        return self.fit.kinds() - 1

    def alike(self) -> Iterator[Alike]:
        """What the counts of each kind are made of: the noise of the tables alone, since the total has none."""
        last = len(self.fit.variances) - 1
        for kind in self.fit.alike():
            if kind.table != last:
                yield replace(kind, weights=kind.weights[:-1], times=kind.times[:-1])
