"""How far fitted counts may be from the truth: standard errors and half widths, whatever the budget.

Variances of noise span hundreds of orders of magnitude: at epsilon = 800 that of discrete Laplace noise is below the
smallest double. A fit needs their ratios only, so it gets these, and logarithms say the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability
from epsilens.noise import Noise
from epsilens.noise.combinations import NODES, Part, combined_half_width, log_variance
from epsilens.release.fitting.fit import Fit

MOST_WEIGHTS = 200_000_000
"""Kinds of counts times noisy counts, up to which the law of every fitted count is computed."""
MOST_KINDS = 4_000
FEWEST_NODES = 1024
_NODES_IN_ALL = 1 << 20
_WIDEST = 460.0  # log of the largest ratio of variances
_ROUNDING = 2.0**-36
"""What a fit in doubles may lose, relative to the largest count."""


def relative_variances(noises: Sequence[Noise]) -> tuple[list[float], float]:
    """The variances divided by the smallest, and the log of that.

    Noise that is all but none beside the widest counts as e^-460 of its variance, which nobody can tell from less.
    """
    logs = [log_variance(noise) for noise in noises]
    least = max(min(logs), max(logs) - _WIDEST)
    return [math.exp(max(log - least, 0.0)) for log in logs], least


def fitted_errors(fit: Fit, log_unit: float) -> list[FloatArray]:
    """The standard error of each fitted count, the variances of ``fit`` being in units of e^``log_unit``."""
    return [as_floats(np.exp(0.5 * (np.log(variance) + log_unit))) for variance in fit.variances]


def law_is_computed(fit: Fit) -> bool:
    """Whether half widths are those of the law of each fitted count; of very many kinds they are Chebyshev's."""
    kinds, counts = fit.kinds(), sum(len(variance) for variance in fit.variances)
    return kinds <= MOST_KINDS and kinds * counts <= MOST_WEIGHTS


def fitted_half_widths(fit: Fit, noises: Sequence[Noise], log_unit: float, confidence: float) -> list[FloatArray]:
    """For each fitted count an h such that count -+ h covers the true one with at least ``confidence``.

    The error of a fitted count is a linear combination of the tables' noise with known weights:
    :func:`epsilens.noise.combinations.combined_half_width`. Where counts are of too many kinds
    (:func:`law_is_computed`), Chebyshev's inequality: h = s / sqrt(1 - c), with s the standard error.
    """
    errors = fitted_errors(fit, log_unit)
    if not law_is_computed(fit):
        return [as_floats(error / math.sqrt(1.0 - probability("confidence", confidence))) for error in errors]
    nodes = min(NODES, max(FEWEST_NODES, 1 << (_NODES_IN_ALL // fit.kinds()).bit_length() - 1))
    widths = [np.empty(len(error)) for error in errors]
    for kind in fit.alike():
        made = zip(noises, kind.weights, kind.times, strict=True)
        width = combined_half_width([Part.of(*part) for part in made], confidence, nodes)
        widths[kind.table][kind.cells] = width
    return widths


def rounding(counts: FloatArray) -> float:
    """How far double arithmetic may have moved one of these fitted counts."""
    return _ROUNDING * float(np.abs(counts).max(initial=0.0))
