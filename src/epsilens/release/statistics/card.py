"""The card of released statistics, and the internal report that is never published with it.

The card holds what the curator declared, what follows from the law of the noise, and the released numbers. The internal
report holds what only the data tell: the true statistics, how many values were clamped, missing or left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.accounting.amounts import digits
from epsilens.accounting.cost import Cost
from epsilens.release.cards.frame import (
    Standing,
    budget_dict,
    ending,
    heading,
    internal_content,
    internal_heading,
    priced,
    written_output,
)
from epsilens.release.ledger.chain import Entry
from epsilens.release.samplers import opendp_version
from epsilens.release.statistics.noise import NoisePlan, truncated_interval_epsilon
from epsilens.release.statistics.postprocessing import NUMBERS, ReleasedStatistic, clamping_bias, half_width_in_steps
from epsilens.release.statistics.question import StatisticsQuestion
from epsilens.table.moments import Moments

STATISTICS_CARD_FORMAT = "epsilens-statistics-card/1"
COLUMNS = ("statistic", "entry", *NUMBERS)
RECORDS = {
    "add-remove": "a public lower bound of the number of records; the number itself is private and not on this card",
    "substitute": "the number of records, which is the same for all neighbours and therefore public",
}
CLAMPED = (
    "Numbers outside their declared bounds were moved to the nearer bound before anything was computed; whether there "
    "were any is not said. The statistics are those of the clamped numbers."
)


@dataclass(frozen=True, eq=False)
class StatisticsRelease:
    """One release of statistics, drawn: everything that the card and the report tell."""

    question: StatisticsQuestion
    cost: Cost
    n: int
    """Public."""
    plans: tuple[NoisePlan, ...]
    statistics: tuple[ReleasedStatistic, ...]
    moments: Moments


def statistics_card(release: StatisticsRelease, standing: Standing) -> dict[str, Any]:
    """The publishable card, in plain values."""
    question = release.question
    neighbours, confidence = question.person.neighbours, question.choices.confidence
    rows = [row for found in release.statistics for row in found.rows()]
    missing = question.records.plain_missing
    return {
        **heading(STATISTICS_CARD_FORMAT, standing),
        "output": written_output(question.output, len(rows), COLUMNS, standing),
        "mechanism": {
            "name": "discrete-laplace",
            "sampler": f"OpenDP {opendp_version()}",
            "neighbours": neighbours,
            "records": {"n": release.n, "meaning": RECORDS[neighbours]},
            "clamping": CLAMPED,
            "statistics": [
                _noise(plan, found, confidence) for plan, found in zip(release.plans, release.statistics, strict=True)
            ],
        },
        "released": rows,
        "budget": priced(question.whole, release.cost),
        "unit": question.person.to_dict(),
        "missing": {
            "rule": missing if isinstance(missing, str) else dict(missing),
            "values": [str(value) for value in question.records.missing_values],
        },
        **({"bins": question.records.plain_bins} if question.records.bins else {}),
        "intervals": {
            "confidence": confidence,
            "simultaneous": False,
            "about": "the statistic of the data; sampling from a population adds to it",
        },
        "disclosure": {"prior": 0.5, "worst_posterior": 1.0 / (1.0 + math.exp(-question.whole.epsilon))},
        **ending(standing),
    }


def internal_report(release: StatisticsRelease, reservation: Entry) -> dict[str, Any]:
    """What only the data tell. Not for publication."""
    moments = release.moments
    return {
        **internal_heading(reservation),
        "rows": moments.rows,
        "records": moments.n,
        "rows_left_out_for_missing_values": moments.excluded,
        "rows_beyond_the_bound_per_person": moments.dropped,
        "missing_values": dict(moments.missing),
        "values_clamped": [
            {"column": v.column, "lower": v.lower, "upper": v.upper, "values": count, "of": moments.n}
            for v, count in moments.outside.items()
        ],
        "group_sizes": {column: moments.sizes(column) for column in moments.query.groups},
        "statistics": [
            _truth(plan, found, moments) for plan, found in zip(release.plans, release.statistics, strict=True)
        ],
        "content": internal_content(reservation),
    }


def _noise(plan: NoisePlan, found: ReleasedStatistic, confidence: float) -> dict[str, Any]:
    sizes = plan.step_sizes
    half = float(half_width_in_steps(plan, confidence))
    return {
        "name": plan.statistic.name,
        "declared": plan.statistic.to_dict(),
        "share": digits(plan.share),
        "budget": budget_dict(plan.budget),
        "sensitivity": {"norm": "l1", "in_units_of_the_bounds": float(plan.sensitivity)},
        "grid": {"sensitivity_in_steps": plan.steps, "law": {"name": type(plan.law).__name__, "scale": plan.law.size}},
        "opendp_price": plan.noise.price,
        "bounding": plan.bounding,
        "epsilon_with_truncation": truncated_interval_epsilon(plan),
        "entries": [
            {
                "entry": entry,
                "step": float(step),
                "scale": plan.law.size * float(step),
                "standard_error": float(error),
                "half_width": half * float(step),
            }
            for entry, step, error in zip(found.entries, sizes, found.standard_errors, strict=True)
        ],
        "post_processing": [dict(step) for step in found.steps],
    }


def _truth(plan: NoisePlan, found: ReleasedStatistic, moments: Moments) -> dict[str, Any]:
    truth = [
        float(offset + width * value)
        for (offset, width), value in zip(plan.statistic.units(), plan.statistic.exact(moments), strict=True)
    ]
    rows: Sequence[Mapping[str, Any]] = [
        {
            "entry": row["entry"],
            "true": true,
            "error": row["value"] - true,
            "interval_covers": row["lower"] <= true <= row["upper"],
        }
        for row, true in zip(found.rows(), truth, strict=True)
    ]
    told: dict[str, Any] = {"name": plan.statistic.name, "entries": rows}
    if len(truth) == 1:
        bias, error = clamping_bias(plan, truth[0])
        told |= {"exact_bias_of_bounding": bias, "exact_root_mean_squared_error": error}
    return told
