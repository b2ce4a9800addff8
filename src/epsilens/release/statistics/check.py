"""What the card of released statistics says, computed again: the noise, the output, the sums behind it.

Problems are told in words, nothing where there is none; ``verification.py`` asks, for cards of every kind.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from epsilens.accounting.amounts import decimal
from epsilens.budget import PureDP
from epsilens.noise import DiscreteLaplaceNoise
from epsilens.release.samplers import opendp_price
from epsilens.release.statistics.noise import noise_plan
from epsilens.release.statistics.postprocessing import NUMBERS
from epsilens.release.statistics.question import policy
from epsilens.release.statistics.spread import statistic_from
from epsilens.table.bins import rule_from_plain
from epsilens.table.moments import Moments, merged
from epsilens.table.reading.moments import read_moments

TOLERANCE = 1e-9
"""Relative; sensitivities are doubles, which another version may round otherwise."""


def statistics_budget_problem(card: Mapping[str, Any]) -> str | None:
    """Whether some statistic's noise is less than its declaration needs, or the parts cost more than the price."""
    mechanism, spent = card["mechanism"], Fraction(0)
    for found in mechanism["statistics"]:
        name = found["name"]
        budget = PureDP(float(found["budget"]["epsilon"]))
        spent += Fraction(decimal(budget.epsilon))
        plan = noise_plan(
            statistic_from(found["declared"]),
            Decimal(found["share"]),
            budget,
            mechanism["records"]["n"],
            mechanism["neighbours"],
            card["unit"]["max_rows_per_person"],
            found["bounding"],
        )
        steps, scale = found["grid"]["sensitivity_in_steps"], found["grid"]["law"]["scale"]
        same_sensitivity = steps == plan.steps and _close(
            found["sensitivity"]["in_units_of_the_bounds"], float(plan.sensitivity)
        )
        if plan.statistic.name != name or not same_sensitivity:
            return f"the sensitivity of {name} does not follow from its declaration"
        if scale < plan.law.size * (1 - TOLERANCE):
            return f"the noise of {name} is less than its part of the budget needs"
        if Fraction(opendp_price(DiscreteLaplaceNoise(scale), float(steps))) > Fraction(decimal(budget.epsilon)):
            return f"the noise of {name} does not honour its part of the budget"
        expected = [size for step in map(float, plan.step_sizes) for size in (step, scale * step)]
        written = [size for entry in found["entries"] for size in (entry["step"], entry["scale"])]
        if len(expected) != len(written) or not all(map(_close, written, expected)):
            return f"the noise of {name} in units of the data does not follow from its grid"
    if spent > Fraction(Decimal(card["budget"]["cost"]["epsilon"])):
        return "the statistics together cost more than the price says"
    return None


def statistics_output_problem(card: Mapping[str, Any], path: Path) -> str | None:
    """Whether the numbers on the card are other ones than those in the output."""
    if path.suffix.lower() == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            rows = [{**row, **{name: float(row[name]) for name in NUMBERS}} for row in csv.DictReader(stream)]
    else:
        from pyarrow import parquet

        rows = parquet.read_table(path).to_pylist()
    return None if rows == card["released"] else "the card shows other numbers than the output"


def recounted_moments(card: Mapping[str, Any], data: Any, table: str | None, row_salt: str | None) -> bytes:
    """The fingerprint of the data, summed as the card declares."""
    declared = [statistic_from(found["declared"]) for found in card["mechanism"]["statistics"]]
    unit, rule = card["unit"], card["missing"]["rule"]
    moments = read_moments(
        data,
        merged([statistic.query for statistic in declared]),
        table=table,
        unit=unit["column"],
        max_rows_per_unit=unit["max_rows_per_person"],
        missing=rule if isinstance(rule, Mapping) else "exclude",
        missing_values=tuple(card["missing"]["values"]),
        row_salt=row_salt,
        bins={name: rule_from_plain(name, text) for name, text in card.get("bins", {}).items()},
        misfits=policy(card["mechanism"]["neighbours"]),
        where=card.get("where", ()),
    )
    return moments_fingerprint(moments)


def moments_fingerprint(moments: Moments) -> bytes:
    """SHA-256 of what was summed: whole numbers, so the same content has the same one. It stays in memory."""
    return hashlib.sha256(json.dumps(moments.canonical(), ensure_ascii=False).encode()).digest()


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= TOLERANCE * abs(other)
