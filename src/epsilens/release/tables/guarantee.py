"""What a planned release guarantees, whatever the data are: the two worlds of the dial, for the whole release."""

from __future__ import annotations

import math
from dataclasses import replace

from epsilens.budget import ApproxDP, PureDP
from epsilens.choice.questions.dial_guarantee import (
    Guarantee,
    guarantee_of_epsilon,
    guarantee_of_noises,
    guarantee_of_rho,
)
from epsilens.release.tables.plan import Plan


def guarantee_of_plan(plan: Plan) -> Guarantee:
    """The guarantee of all tables of the release together.

    A pure budget has the bound that epsilon sets for every mechanism. Where a threshold adds a delta d, outputs that
    one world alone can have make up d at most, and with equal errors right <= (e^epsilon + d) / (1 + e^epsilon), from
    right <= e^epsilon (1 - right) + d. Gaussian noise answers for itself; where a person has several rows, from its
    rho.

    Source: P0 Eq. (1), for a set of outputs and for its complement.
    """
    if isinstance(plan.budget, PureDP):
        found = guarantee_of_epsilon(plan.budget.epsilon)
        deltas = [table.threshold_delta for table in plan.tables if table.threshold_delta is not None]
        if not deltas:
            return found
        delta = min(1.0, math.fsum(deltas))
        return replace(found, right=min(1.0, found.right + delta * found.wrong), chance=delta)
    delta_asked = plan.budget.delta if isinstance(plan.budget, ApproxDP) else None
    if plan.max_rows_per_unit == 1:
        return guarantee_of_noises([table.noise.law for table in plan.tables], plan.neighbours, delta_asked)
    assert plan.cost.rho is not None  # Gaussian noise has a price in rho
    return guarantee_of_rho(float(plan.cost.rho), delta_asked)
