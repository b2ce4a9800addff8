"""A ceiling on wrong harmful labels: people who do not have a harmful value, and whose cell shows it alone.

That is a harm of its own, which no risk of being found out counts: noise may make it larger. So it is a dial beside the
one of the risk, and what keeps both ceilings is the intersection of their safe sets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import finite
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.asked import Asked
from epsilens.choice.choose.dial import UNPROTECTED, RiskDial
from epsilens.choice.choose.of_table import DROWNED
from epsilens.choice.choose.safe_set import Interval
from epsilens.choice.choose.steepness import steepness_of_cells
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import wrong_of_harmful
from epsilens.noise import MECHANISMS, Noise


def checked_wrong(max_wrong: float | None, asked: Asked) -> float | None:
    """The ceiling, if there is one; refused where nobody is shown as anything, or in several tables."""
    if max_wrong is None:
        return None
    if not 0 < (share := finite("max_wrong", max_wrong)) <= 1:
        raise ParameterError(
            "must lie in (0, 1]", parameter="max_wrong", got=share, remedy="it is a share of people, 0.05 for 5 %"
        )
    if asked.posterior:
        raise ParameterError(
            f"is about the values that people are shown with, and measure {asked.measure!r} about who is there; leave "
            "it out",
            parameter="max_wrong",
        )
    if asked.publish == "separate":
        raise ParameterError("is known for one table; leave out `publish`, or the ceiling", parameter="max_wrong")
    if asked.attributes != "joint":
        raise ParameterError(
            f"is about one attribute, or the combination of several; leave out `attributes={asked.attributes}`",
            parameter="max_wrong",
        )
    return share


def wrong_dial(dial: RiskDial) -> RiskDial:
    """The share of people wrongly shown with a harmful value, dialled as the risk is.

    W = sum over cells of (n / N) sum over harmful k of (1 - n_k / n) P(only k is shown). Symbols: n_k is the count of
    label k in a cell of n people, N everybody; a label is harmful where its weight in ``table.label_weights`` is above
    0, and wrong ones are counted, not weighed.

    The slope bound: within a cell W is the expectation of a number between 0 and 1 that depends on which labels are
    shown, each independently with probability a_j; changing a_j moves it by at most |d a_j|. That is the bound of the
    risk of ``of_table.table_dial``, and an average over cells is no steeper.

    Source: P0 Eq. (7), label by label, for whoever does not have the label that is shown.
    """
    counts, multiplicities, shown_wrong = wrong_of_harmful(dial.table)
    sizes = counts.sizes

    def wrong(noises: tuple[Noise, ...]) -> FloatArray:
        return shown_wrong(noises[0])

    slope = MECHANISMS[dial.mechanism].law.steepest
    if slope is not None:
        slope *= dial.table.n_labels * (0.5 if dial.parameter == "rho" else 1.0)
    turned = replace(
        dial,
        asked=replace(dial.asked, aggregate=MeanRisk()),
        kind_risks=wrong,
        people=sizes * multiplicities,
        cells=multiplicities * (sizes > 0),
        slope=slope,
        greatest=1.0,
        prepared=None,
        steepness=steepness_of_cells(
            MECHANISMS[dial.mechanism].law, counts, as_floats(sizes * multiplicities), zeros_match=True
        ),
        limits=(math.nan, math.nan),
    )
    least = turned.noises_of_delta()
    return replace(turned, limits=(turned.of_noise(*(least or (DROWNED,))), turned.of_noise(UNPROTECTED)))


def both(first: Sequence[Interval], second: Sequence[Interval]) -> tuple[Interval, ...]:
    """Where intervals of one set meet those of another, ascending."""
    met = [Interval(max(a.low, b.low), min(a.high, b.high)) for a in first for b in second]
    return tuple(sorted((found for found in met if found.low <= found.high), key=lambda found: found.low))
