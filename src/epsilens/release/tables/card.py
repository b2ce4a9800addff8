"""The card of released tables, and the internal assessment that is never published with it.

The card holds what the curator declared, what follows from the law of the noise, and what was published anyway; the
internal assessment holds exact risks and errors of the true data. What all cards share is in ``cards/frame.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilens.accounting.amounts import digits
from epsilens.budget import Budget, PureDP
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
from epsilens.release.tables.cells import CountedSource
from epsilens.release.tables.output import column_names
from epsilens.release.tables.plan import Plan, TablePlan
from epsilens.release.tables.postprocessing import Choices, ReleasedTable, Step
from epsilens.release.tables.question import TablesQuestion
from epsilens.release.universe import Universe
from epsilens.table import FrequencyTable, Schema
from epsilens.table.bins import rule_to_plain
from epsilens.table.cells import Cells
from epsilens.table.domain import level_text
from epsilens.utility import expected_absolute_error
from epsilens.utility.accuracy import clipping_bias, half_width, standard_error

WIDEST = 1e5  # exact sums over whole-number noise stop here
CARD_FORMAT = "epsilens-release-card/1"


@dataclass(frozen=True, eq=False)
class Release:
    """One release, drawn: everything that the cards tell."""

    question: TablesQuestion
    universe: Universe | None
    """The declared universe; nothing where a threshold stands in for it."""
    cells: Cells
    disclosure: Mapping[str, Any]
    """What can be disclosed, whatever the data: :func:`expected_disclosure`. Publishable."""
    findings: Mapping[str, Any]
    """What only the data tell, before anything is drawn: :func:`tables_findings`. Internal."""
    tables: tuple[ReleasedTable, ...]
    steps: tuple[Step, ...]
    true_counts: tuple[np.ndarray[Any, np.dtype[np.int64]], ...]

    @property
    def plan(self) -> Plan:
        """What was decided before any data is read."""
        return self.question.plan

    @property
    def choices(self) -> Choices:
        """What was done with noisy counts."""
        return self.question.choices


def publishable_card(release: Release, standing: Standing) -> dict[str, Any]:
    """The card, in plain values."""
    plan, counting = release.plan, release.question.counting
    card = heading(CARD_FORMAT, standing)
    card["release"]["tables"] = [
        {"name": t.name, "columns": list(t.universe.columns), "rows": t.universe.n_cells} for t in release.tables
    ]
    return {
        **card,
        "output": _output(release, standing),
        "mechanism": {
            "name": plan.mechanism,
            "sampler": f"OpenDP {opendp_version()}",
            "neighbours": plan.neighbours,
            "sensitivity": {"norm": f"l{plan.norm}", "value": plan.sensitivity},
            "caveats": list(plan.caveats),
            "tables": [_table(table, release.choices) for table in plan.tables],
        },
        "budget": priced(plan.budget, plan.cost),
        "unit": release.question.person.to_dict(),
        "universe": _universe(release),
        **({} if release.question.tree is None else {"tree": release.question.tree.to_dict()}),
        **({} if release.choices.public_total is None else {"public_total": release.choices.public_total}),
        "schema": None if counting.public is None else {**schema_dict(counting.public), "count": counting.count},
        "post_processing": [step.to_dict() for step in release.steps],
        "intervals": {"confidence": release.choices.confidence, "simultaneous": False},
        "rules": card_rules(tables_rules(release.question)),
        "disclosure": dict(release.disclosure),
        **ending(standing),
    }


def internal_assessment(release: Release, reservation: Entry) -> dict[str, Any]:
    """Exact facts about the true data. Not for publication."""
    return {
        **internal_heading(reservation),
        **release.findings,
        "content": internal_content(reservation),
        "utility": [
            told_or_why(
                lambda plan=plan, table=table, truth=truth: _utility(plan, table, truth, release.choices)  # type: ignore[misc]
            )
            for plan, table, truth in zip(release.plan.tables, release.tables, release.true_counts, strict=True)
        ],
    }


def tables_findings(
    counted: CountedSource, universe: Universe | None, plan: Plan, public_total: int | None = None
) -> dict[str, Any]:
    """What the data are like, whatever noise they get: who is counted, who is not and why, homogeneity. Internal."""
    cells, left_out = counted.cells, counted.left_out
    outside = () if universe is None else universe.misfits(cells)
    elsewhere = 0 if universe is None else cells.people - int(universe.counts(cells).sum())
    left_out = replace(left_out, rows=left_out.rows + elsewhere, misfits=(*left_out.misfits, *outside))
    table = counted.table
    risks = {"not_computed": counted.no_table} if table is None else told_or_why(lambda: homogeneity_risks(table, plan))
    return {
        "people_rows": cells.people - elsewhere,
        "dropped_rows": cells.dropped_rows,
        "occupied_cells": len(cells.counts),
        "left_out": left_out.to_dict(),
        "disclosure": risks if isinstance(risks, list) else [],
        "disclosure_not_computed": None if isinstance(risks, list) else risks["not_computed"],
        **({} if public_total is None else {"public_total": public_total}),
    }


def tables_rules(question: TablesQuestion) -> list[str]:
    """What becomes of rows that do not fit, in public words: the same whether or not there were any."""
    counting, public = question.counting, question.counting.public
    rules = [] if public is None else rows_read(public.conditions)
    if counting.threshold_delta is None:
        rules.append(
            "Rows whose values lie outside the declared universe (levels that are not declared, structural zeros, "
            "undeclared paths) are not counted. A missing value is counted only where the universe declares it."
        )
    else:
        rules.append(
            "An output without rows is an output. Rows whose values lie outside what was declared of some columns are "
            "not counted."
        )
    if public is not None:
        rules += _gaps(public)
    if public is not None and public.bins:
        rules.append("Rows whose value in a column with bins is not a number in range are not counted.")
    if counting.count is not None:
        rules.append("What is not a count (a whole number, 0 or more) counts as 0.")
    if question.person.unit is not None:
        rules.append("Rows that name no person are not counted.")
    rules.append("A count above 2^53 counts as 2^53.")
    rules.append("Whether there were any such rows is not said.")
    if (total := question.choices.public_total) is not None:
        rules.append(
            f"The number of people, {total:,}, is the same for all neighbours under substitution: it is public, was "
            "declared, and was not compared with the data. Counts add up to it, also where rows were not counted."
        )
    return rules


def _gaps(public: Schema) -> list[str]:
    """What becomes of missing values, where something was declared."""
    left_out = [name for name in public.columns if public.refuses_gaps(name) or name in public.dropped_gaps]
    rules = [f"A missing value in {name!r} counts as {value!r}." for name, value in public.stand_ins.items()]
    if len(left_out) == len(public.columns):
        return ["Rows with a missing value are not counted.", *rules]
    if left_out:
        rules.insert(0, f"Rows with a missing value in {', '.join(map(repr, left_out))} are not counted.")
    return rules


def schema_dict(schema: Schema) -> dict[str, Any]:
    """A schema in plain values, from which ``Schema.from_dict`` makes it again."""
    return {**schema.to_dict(), "bins": {name: rule_to_plain(rule) for name, rule in schema.bin_rules.items()}}


def _output(release: Release, standing: Standing) -> dict[str, Any] | None:
    columns = release.question.columns
    label, numbers = column_names(columns, len(release.tables) > 1)
    rows = sum(table.universe.n_cells for table in release.tables)
    return written_output(release.question.output, rows, [*([label] if label else []), *columns, *numbers], standing)


def _table(table: TablePlan, choices: Choices) -> dict[str, Any]:
    law = table.noise.law
    return {
        "name": table.name,
        "share": digits(table.share),
        "budget": budget_dict(table.budget),
        "law": {"name": type(law).__name__, law.parameter: law.size},
        "opendp_price": table.noise.price,
        "standard_error": standard_error(law, choices.rounded),
        "half_width": half_width(law, choices.confidence, choices.rounded),
        "mean_absolute_error": expected_absolute_error(law, choices.rounded),
        "threshold": table.threshold,
        "threshold_delta": table.threshold_delta,
    }


def _universe(release: Release) -> dict[str, Any]:
    universe = release.universe
    if universe is None:
        return {"declared": False, "cells": None, "levels": None, "structural_zeros": [], "paths": []}
    counting = release.question.counting
    return {
        "declared": True,
        "cells": universe.n_cells,
        "levels": {name: list(levels) for name, levels in zip(universe.columns, universe.levels, strict=True)},
        "structural_zeros": [] if counting.public is None else counting.public.to_dict()["structural_zeros"],
        "paths": [
            {"columns": list(columns), "paths": [[level_text(level) for level in row] for row in rows]}
            for columns, rows in (counting.paths or {}).items()
        ],
    }


def expected_disclosure(plan: Plan) -> dict[str, Any]:
    """What an adversary can learn from a release, whatever the data: it depends on the noise alone."""
    return {
        "tables": [_posterior(table, plan) for table in plan.tables],
        "expected_posterior_from_all_tables": _together(plan),
        "worst_posterior_from_all_tables": _worst(plan.budget),
    }


def _posterior(table: TablePlan, plan: Plan) -> dict[str, Any]:
    """What an adversary who knows everybody but one person learns from this table, on average over the noise.

    It depends on the noise alone. The worst case over all noise, from a prior of 1/2, is e^epsilon / (1 + e^epsilon).
    """
    from epsilens.posterior import expected_single_level

    law = table.noise.law
    found: dict[str, Any] = {
        "table": table.name,
        "prior": 0.5,
        "expected_posterior": None,
        "right_decision": None,
        "worst_posterior": _worst(table.budget),
    }
    # With several rows the adversary has more to look at than one count; under very wide noise nothing to see at all.
    if plan.max_rows_per_unit == 1 and standard_error(law) <= WIDEST:
        risk = expected_single_level(noise=law, prior=0.5, rounded=law.integer_valued)
        found["expected_posterior"], found["right_decision"] = risk.posterior, risk.correct_decision
    return found


def _worst(budget: Budget) -> float | None:
    """The surest that anybody can become, starting from an even chance: e^epsilon / (1 + e^epsilon)."""
    return 1.0 / (1.0 + math.exp(-budget.epsilon)) if isinstance(budget, PureDP) else None


def _together(plan: Plan) -> float | None:
    """The expected posterior of an adversary who combines all tables, each of which counts the target once."""
    from epsilens.posterior.combined import expected_combined

    laws = [table.noise.law for table in plan.tables]
    if len(laws) < 2 or plan.max_rows_per_unit > 1 or not laws[0].integer_valued:
        return None
    if max(map(standard_error, laws)) > WIDEST:
        return None
    return expected_combined(laws, decisions=False).posterior


def homogeneity_risks(table: FrequencyTable, plan: Plan) -> list[dict[str, Any]]:
    """Homogeneity before and after, for every released table that holds all sensitive columns. Internal."""
    from epsilens.choice.questions.assess import attribute_tables
    from epsilens.homogeneity import belief
    from epsilens.homogeneity.measures import prepare_local

    found = []
    for part in plan.tables:
        known = tuple(name for name in part.columns if name in table.quasi_identifiers)
        if not set(table.sensitive) <= set(part.columns):
            continue  # a table without the sensitive attribute shows nobody's label
        if not set(part.columns) <= {*table.quasi_identifiers, *table.sensitive}:
            continue  # ranges of a tree: the table of its leaves says more
        counted = table if set(known) == set(table.quasi_identifiers) else table.marginal(known)
        for name, attribute in attribute_tables(counted):
            before, after = belief(attribute), belief(attribute, part.noise.law)
            found.append(
                {
                    "table": part.name,
                    "sensitive": name,
                    "guessing": before.guessing,
                    "before": {"right": before.right, "wrong": before.wrong, "precision": before.precision},
                    "after": {"right": after.right, "wrong": after.wrong, "precision": after.precision},
                    "local_risk_after": prepare_local(attribute).average(part.noise.law),
                }
            )
    return found


def _utility(
    plan: TablePlan, table: ReleasedTable, truth: np.ndarray[Any, np.dtype[np.int64]], choices: Choices
) -> dict[str, Any]:
    error = table.counts - truth
    clipped = choices.non_negative and not choices.consistent
    biases = clipping_bias(plan.noise.law, truth, choices.rounded) if clipped else np.zeros(1)
    return {
        "table": plan.name,
        "cells": len(truth),
        "empty_cells": int((truth == 0).sum()),
        "cells_below_one_standard_error": int((truth < table.standard_errors).sum()),
        "exact_total_bias_of_clipping": float(biases.sum()),
        "realised_mean_absolute_error": float(np.abs(error).mean()) if len(error) else 0.0,
        "realised_bias_of_the_total": float(error.sum()),
        "intervals_that_cover": float(((table.lower <= truth) & (truth <= table.upper)).mean()) if len(error) else 1.0,
    }
