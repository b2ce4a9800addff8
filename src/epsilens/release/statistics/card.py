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
from epsilens.release.cards.internal import told_or_why
from epsilens.release.cards.rules import card_rules, rows_read
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
    replacements = question.records.plain_replacements
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
            "rule": replacements or {"leave-out": "exclude", "neutral": "middle"}[question.misfits],
            "values": [str(value) for value in question.records.missing_values],
        },
        **({"bins": question.records.plain_bins} if question.records.bins else {}),
        **({"where": [one.to_dict() for one in chosen]} if (chosen := question.records.conditions) else {}),
        "intervals": {
            "confidence": confidence,
            "simultaneous": False,
            "about": "the statistic of the data; sampling from a population adds to it",
        },
        "rules": card_rules(statistics_rules(question)),
        "disclosure": {"prior": 0.5, "worst_posterior": 1.0 / (1.0 + math.exp(-question.whole.epsilon))},
        **ending(standing),
    }


def statistics_rules(question: StatisticsQuestion) -> list[str]:
    """What becomes of records that do not fit, in public words: the same whether or not there were any."""
    misfits = "value that is missing, cannot be read as a number or was not declared"
    if question.misfits == "neutral":
        rules = [
            f"Records with a {misfits} stay records: such a number stands in the middle of its bounds, such a level is "
            "none of the declared ones, and such a group none of the declared groups. Whether there were any is not "
            "said.",
            "Data with another number of records than the declared n, or too few for a statistic, are refused: that "
            "number is the same for all neighbours, and public.",
        ]
    else:
        rules = [
            f"Records with a {misfits} are left out of everything. Whether there were any is not said.",
            f"Where fewer than n = {question.records.n} records are left, the statistics are those of n records, of "
            "which the ones that are not there stand in the middle of the bounds, with no level and in no group. "
            "Whether that was so is not said.",
        ]
    if question.records.replacements:
        rules.append("A missing value with a public value in its place is not missing in this sense.")
    rules = [*rows_read(question.records.conditions), *rules]
    if any(statistic.query.groups for statistic in question.statistics):
        rules.append("A group of one record, or of none, adds nothing to a pooled sum, which is divided by n - groups.")
    if question.person.unit is not None:
        rules.append("Rows that name no person are left out.")
        if question.person.neighbours == "substitute":
            rules.append("The number of people named is public: neighbours differ in what one of them is like.")
    return rules


def internal_report(release: StatisticsRelease, reservation: Entry) -> dict[str, Any]:
    """What only the data tell. Not for publication."""
    moments = release.moments
    return {
        **internal_heading(reservation),
        **statistics_findings(moments),
        "statistics": [
            told_or_why(lambda plan=plan, found=found: _truth(plan, found, moments))  # type: ignore[misc]
            for plan, found in zip(release.plans, release.statistics, strict=True)
        ],
        "content": internal_content(reservation),
    }


def statistics_findings(moments: Moments) -> dict[str, Any]:
    """What the records are like, whatever noise they get. Internal."""
    return {
        "rows": moments.rows,
        "records": moments.n,
        "fewer_records_than_declared": moments.n < moments.least,
        "rows_left_out_for_missing_values": moments.excluded,
        "left_out": moments.left_out.to_dict(),
        "rows_beyond_the_bound_per_person": moments.dropped,
        "missing_values": dict(moments.missing),
        "values_clamped": [
            {"column": v.column, "lower": v.lower, "upper": v.upper, "values": count, "of": moments.n}
            for v, count in moments.outside.items()
        ],
        "group_sizes": {column: moments.sizes(column) for column in moments.query.groups},
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
