"""From noisy counts to the released ones, by choice: rounding, non-negativity, consistency, a threshold.

None of it costs privacy. Each choice moves counts in a known way, and :class:`Step` says which, in public terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability, whole
from epsilens.errors import ParameterError
from epsilens.notebook import brief
from epsilens.release.fitting.errors import (
    fitted_errors,
    fitted_half_widths,
    law_is_computed,
    relative_variances,
    rounding,
)
from epsilens.release.fitting.tree import least_squares, non_negative
from epsilens.release.samplers import NumberArray
from epsilens.release.tables.plan import TablePlan
from epsilens.release.universe import Universe
from epsilens.utility.accuracy import (
    clipping_bias,
    half_width,
    shown_interval,
    shown_probability,
    standard_error,
)

EXAMPLES = (0, 1, 2, 5, 10, 20)
LARGEST_TOTAL = 2**53
LEAST_ERROR = 1e-3
"""A smaller standard error counts as this one where non-negative counts are fitted: nobody sees a difference."""


@dataclass(frozen=True)
class Choices:
    """What to do with noisy counts."""

    rounded: bool = False
    non_negative: bool = False
    consistent: bool = False
    confidence: float = 0.95
    public_total: int | None = None
    """How many people there are, where that is public: counts add up to it."""

    def __post_init__(self) -> None:
        if self.public_total is not None:
            total = whole("public_total", self.public_total, 0, "it is a number of people")
            if total > LARGEST_TOTAL:
                raise ParameterError(f"must be <= {LARGEST_TOTAL}", parameter="public_total", got=total)
            object.__setattr__(self, "public_total", total)

    def check(self, tables: int, integer_valued: bool) -> None:
        """Refuse choices that contradict each other, before any data is read."""
        if self.public_total is not None and not self.consistent:
            raise ParameterError(
                "is what counts are made to add up to", parameter="public_total", remedy="say `consistent` as well"
            )
        if self.consistent and tables < 2 and self.public_total is None:
            raise ParameterError(
                "consistency needs several tables (`consistent`)", remedy="name `marginals`, or `levels` that nest"
            )
        if self.consistent and self.rounded:
            raise ParameterError("rounded counts do not add up", remedy="choose `consistent` or `rounded`")
        if self.rounded and integer_valued:
            raise ParameterError("rounding is moot: this noise is whole-numbered already", remedy="leave `rounded` out")
        probability("confidence", self.confidence)


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """One table as it is published."""

    name: str
    universe: Universe
    counts: NumberArray
    standard_errors: FloatArray
    lower: NumberArray
    upper: NumberArray

    __repr__ = brief


@dataclass(frozen=True)
class Step:
    """One choice, what it does and what bias it has, in words and numbers that depend on the noise alone."""

    step: str
    effect: str
    bias: str
    numbers: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a card."""
        return {"step": self.step, "effect": self.effect, "bias": self.bias, "numbers": self.numbers}


def processed(
    plans: Sequence[TablePlan],
    universes: Sequence[Universe],
    noisy: Sequence[NumberArray],
    choices: Choices,
    joint: Universe | None = None,
) -> tuple[list[ReleasedTable], list[Step]]:
    """The released tables, and what was done to them; consistency needs the ``joint`` universe of all columns."""
    if choices.consistent:
        assert joint is not None  # a thresholded release is a single table, which Choices.check refuses
        return _adding_up(plans, universes, noisy, choices, joint)
    steps = _threshold_steps(plans) + _rounding_steps(choices) + _clipping_steps(plans, universes, choices)
    tables = []
    for plan, universe, drawn in zip(plans, universes, noisy, strict=True):
        values = np.floor(drawn + 0.5).astype(np.int64) if choices.rounded else drawn
        width = half_width(plan.noise.law, choices.confidence, choices.rounded)
        # In the type of the counts: whole numbers stay whole.
        reach = np.array(width).astype(values.dtype)
        lower, upper = np.asarray(values - reach), np.asarray(values + reach)
        if plan.threshold is not None:
            lower, upper = shown_interval(plan.noise.law, values, plan.threshold, choices.confidence)
        if choices.non_negative:  # the interval is cut, not moved: no count is below 0, so it covers as before
            values, lower, upper = (np.maximum(part, 0) for part in (values, lower, upper))
        errors = np.full(universe.n_cells, standard_error(plan.noise.law, choices.rounded))
        tables.append(ReleasedTable(plan.name, universe, values, errors, lower, upper))
    return tables, steps


def _adding_up(
    plans: Sequence[TablePlan],
    universes: Sequence[Universe],
    noisy: Sequence[NumberArray],
    choices: Choices,
    joint: Universe,
) -> tuple[list[ReleasedTable], list[Step]]:
    laws = [plan.noise.law for plan in plans]
    ratios, log_unit = relative_variances(laws)
    total = choices.public_total
    fit = least_squares(joint, universes, ratios, total)
    counts, errors = fit.fitted([as_floats(drawn) for drawn in noisy]), fitted_errors(fit, log_unit)
    widths = fitted_half_widths(fit, laws, log_unit, choices.confidence)
    steps = [_consistency_step(plans, errors, widths, law_is_computed(fit), total)]
    widths = [width + rounding(count) for width, count in zip(widths, counts, strict=True)]
    lower = [c - w for c, w in zip(counts, widths, strict=True)]
    upper = [c + w for c, w in zip(counts, widths, strict=True)]
    if choices.non_negative:
        before, floored = counts, [max(law.variance, LEAST_ERROR**2) for law in laws]
        counts, off = non_negative(joint, universes, counts, floored, total)
        # No true count is below 0, and a wider interval covers no less: each holds its own count.
        lower = [np.minimum(np.maximum(low, 0.0), count) for low, count in zip(lower, counts, strict=True)]
        upper = [np.maximum(high, count) for high, count in zip(upper, counts, strict=True)]
        steps.append(_non_negative_step(before, counts, floored, off))
    tables = [
        ReleasedTable(plan.name, universe, count, error, low, high)
        for plan, universe, count, error, low, high in zip(plans, universes, counts, errors, lower, upper, strict=True)
    ]
    return tables, steps


def _consistency_step(
    plans: Sequence[TablePlan],
    errors: Sequence[FloatArray],
    widths: Sequence[FloatArray],
    computed: bool,
    total: int | None = None,
) -> Step:
    how = (
        "intervals are those of the law of each fitted count, which is a sum of the tables' noise with known weights"
        if computed
        else "intervals are the standard error divided by the square root of one minus the confidence (Chebyshev), "
        "which holds for every law and is wider than it need be: there are too many kinds of counts for their own laws"
    )
    before = [standard_error(plan.noise.law) for plan in plans]
    grown = any((after > 1.000001 * own + 1e-50).any() for own, after in zip(before, errors, strict=True))
    return Step(
        "consistency",
        "least squares: every table is the marginal of every finer one; counts are no longer whole numbers, and "
        + how
        + ("" if total is None else f"; every table adds up to the public total of {total:,} people"),
        "none: the adjustment is linear and unbiased"
        + (
            "; beside a table of far more noise the smallest standard errors grow"
            if grown
            else ", and no variance grows"
        ),
        {
            plan.name: {
                "standard_error_before": own,
                "largest_after": float(after.max()),
                "largest_half_width_after": float(width.max()),
            }
            for plan, own, after, width in zip(plans, before, errors, widths, strict=True)
        },
    )


def _non_negative_step(
    before: Sequence[FloatArray], after: Sequence[FloatArray], variances: Sequence[float], off: float | None
) -> Step:
    """What non-negativity did to tables that agree. Noisy counts alone are looked at, so it may be told."""
    if off is None:
        return Step(
            "non-negativity",
            "from the coarsest table down, each family of counts is projected to the nearest non-negative counts "
            "that add up to their parent; intervals and standard errors are those before the projection, intervals cut "
            "at 0 and widened where the projected count lies outside",
            "counts near 0 are raised and large counts of the same family lowered by as much; only the coarsest "
            "table's clipping at 0 changes a total",
            {},
        )
    size = sum(len(table) for table in before)
    moved = sum(float(((a - b) ** 2).sum()) / v for a, b, v in zip(after, before, variances, strict=True))
    return Step(
        "non-negativity",
        "the nearest tables that are the marginals of non-negative cells, by least squares weighted with the noise "
        f"(standard errors below {LEAST_ERROR:g} count as {LEAST_ERROR:g}); intervals and standard errors are those "
        "before it, intervals cut at 0 and widened where the new count lies outside",
        "counts near 0 are raised, and counts that share their rows and columns lowered; totals move too, upwards "
        "where many cells are empty. The weighted sum of squared errors over all tables never grows",
        {
            "moved_by_standard_errors_per_count": float(np.sqrt(moved / size)),
            "off_the_nearest_by_standard_errors_at_most": off,
        },
    )


def _rounding_steps(choices: Choices) -> list[Step]:
    if not choices.rounded:
        return []
    return [
        Step(
            "rounding",
            "half up to whole numbers; standard errors and intervals are those of the rounded noise",
            "none: the noise is symmetric, so what is rounded up is rounded down as often",
            {"largest_change": 0.5},
        )
    ]


def _clipping_steps(plans: Sequence[TablePlan], universes: Sequence[Universe], choices: Choices) -> list[Step]:
    if not choices.non_negative:
        return []
    numbers = {}
    for plan, universe in zip(plans, universes, strict=True):
        bias = clipping_bias(plan.noise.law, EXAMPLES, choices.rounded)
        numbers[plan.name] = {
            "bias_by_true_count": {str(x): float(b) for x, b in zip(EXAMPLES, bias, strict=True)},
            # The number of shown cells of a thresholded release is part of its output, so it may be used here.
            "largest_total_bias": float(bias[0]) * universe.n_cells,
        }
    return [
        Step(
            "non-negativity",
            "negative counts are published as 0; standard errors are those before clipping, which bound the error "
            "after it",
            "upwards: E max(0, x + Z) - x for a cell with x people, largest for empty cells; sums of many small cells "
            "come out too large by up to the total given",
            numbers,
        )
    ]


def _threshold_steps(plans: Sequence[TablePlan]) -> list[Step]:
    steps = []
    for plan in plans:
        if plan.threshold is None:
            continue
        tau = plan.threshold
        counts = sorted({1, tau // 2, tau, 2 * tau} - {0})
        shown = shown_probability(plan.noise.law, counts, tau)
        steps.append(
            Step(
                "threshold",
                f"only occupied cells whose noisy count is at least {tau} are shown, all others are missing, empty or "
                "not; intervals allow for this selection: each holds for a cell that is shown, given that it is shown, "
                "so near the threshold they reach down to one person",
                "cells shown near the threshold are too large on average, and missing cells are not empty; sums over "
                "shown cells come out too small",
                {
                    "threshold": tau,
                    "delta": plan.threshold_delta,
                    "shown_by_true_count": {str(x): float(p) for x, p in zip(counts, shown, strict=True)},
                },
            )
        )
    return steps
