"""What one noise does to the counts and the marginals of one table: results of ``utility``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.budget import Budget, OfBudget
from epsilens.noise import Noise
from epsilens.notebook import brief
from epsilens.utility.margins import Marginal


@dataclass(frozen=True)
class MarginalUtility:
    """One marginal under one noise: its total variation distance from the truth."""

    marginal: Marginal
    cells: int
    expected: float
    """Exact, for counts that are not clipped, over the true number of people."""
    mean: float | None = None
    """Simulated, for counts as they are published, over their own total; None where it was not simulated."""
    standard_error: float | None = None
    """Of the mean."""
    sd: float | None = None
    """Of a release."""
    low: float | None = None
    """One release in twenty is nearer than this."""
    high: float | None = None
    """One release in twenty is farther than this."""

    @property
    def ways(self) -> int:
        """How many columns it crosses."""
        return len(self.marginal)

    @property
    def distance(self) -> float:
        """The simulated distance, or the exact one where there is no other."""
        return self.expected if self.mean is None else self.mean

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "marginal": list(self.marginal), "ways": self.ways}


@dataclass(frozen=True)
class WaysSummary:
    """All marginals of so many columns: the five numbers of a box plot."""

    ways: int
    marginals: int
    lowest: float
    first_quartile: float
    median: float
    third_quartile: float
    highest: float
    largest_standard_error: float | None
    expected_median: float
    """Of the exact distances of counts that are not clipped."""
    release_low: float | None
    """In one release of twenty the median over these marginals is below this; None where it was not simulated."""
    release_high: float | None
    """In one release of twenty it is above this."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class BudgetUtility(OfBudget):
    """One table under one noise."""

    table: str
    mechanism: str
    budget: Budget
    noise: Noise
    error: float
    """Expected absolute error of a count, rounded, before it is clipped."""
    cell_error: float | None
    """The same once counts below 0 are raised to 0, averaged over all counts; None where marginals get the noise, and
    so for the next two."""
    off_by_half: float | None
    """Expected share of the counts above 0 that are off by more than 50 %."""
    empty_shown: float | None
    """Expected number of cells without anybody that show somebody; None also where no such cells are known."""
    marginals: tuple[MarginalUtility, ...]
    release_medians: dict[int, tuple[float, float]]
    """By the number of columns: where the median over marginals lies in nine of ten simulated releases."""

    __repr__ = brief

    @property
    def by_ways(self) -> tuple[WaysSummary, ...]:
        """The marginals summed up by how many columns they cross."""
        return tuple(
            _summed_up(ways, self.marginals, self.release_medians.get(ways))
            for ways in sorted({m.ways for m in self.marginals})
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "table": self.table,
            "mechanism": self.mechanism,
            **vars(self.budget),
            "noise": {"law": type(self.noise).__name__, **asdict(self.noise)},  # type: ignore[call-overload]
            "error": self.error,
            "cell_error": self.cell_error,
            "off_by_half": self.off_by_half,
            "empty_cells_shown": self.empty_shown,
            "by_ways": [summary.to_dict() for summary in self.by_ways],
            "marginals": [marginal.to_dict() for marginal in self.marginals],
        }


def _summed_up(
    ways: int, marginals: Sequence[MarginalUtility], of_a_release: tuple[float, float] | None
) -> WaysSummary:
    mine = [marginal for marginal in marginals if marginal.ways == ways]
    at = np.quantile([marginal.distance for marginal in mine], [0.0, 0.25, 0.5, 0.75, 1.0])
    lowest, first, median, third, highest = (float(value) for value in at)
    errors = [marginal.standard_error for marginal in mine if marginal.standard_error is not None]
    return WaysSummary(
        ways,
        len(mine),
        lowest,
        first,
        median,
        third,
        highest,
        max(errors) if errors else None,
        float(np.median([marginal.expected for marginal in mine])),
        *(of_a_release or (None, None)),
    )
