"""What noise and budgets are, in tables: ``epsilens posterior noise`` and ``posterior budget``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilens.report.words.common import BLANK, Block, Grid, Note, number
from epsilens.report.words.posterior import plain

if TYPE_CHECKING:
    from epsilens.choice.questions.posterior import budget, noise

_NONE_SEEN = 1e-18


def noise_blocks(answer: noise.Answer) -> list[Block]:
    """The width of one draw, and of sums how far the discrete Gaussian that stands for them in print is off."""
    draws = [
        (plain(draw.rho), f"{draw.scale:.6g}", f"{draw.sigma:.6g}", f"{draw.variance:.6g}") for draw in answer.draws
    ]
    sums = [
        (
            plain(total.rho),
            number(total.terms),
            distance(total.distance),
            distance(total.largest_difference),
            f"{total.variance:.6g}",
            f"{total.approximate_variance:.6g}",
        )
        for total in answer.sums
    ]
    return [
        Grid("Discrete Gaussian noise, one draw", ("rho", "s =\n1 / (2 rho)", "sigma", "variance"), draws),
        Note("variance: that of the whole numbers drawn; it is below s = sigma^2, the more so the narrower the noise."),
        BLANK,
        Grid(
            "Sums of draws, exactly and as one discrete Gaussian",
            ("rho", "draws", "total\nvariation", "largest\ndifference", "variance", "variance of\nthe stand-in"),
            sums,
            keys=2,
        ),
        Note("total variation: between the exact law of the sum and the discrete Gaussian of scale draws / (2 rho)."),
        Note("largest difference: of the two probabilities of one value."),
    ]


def distance(value: float) -> str:
    """How far two laws are apart."""
    return f"< {_NONE_SEEN:g}" if value < _NONE_SEEN else f"{value:.3g}"


def budget_blocks(answer: budget.Answer) -> list[Block]:
    """Every budget at every delta, by the best conversion and by the simple theorem."""
    rows = [
        (plain(one.rho), f"{one.delta:g}", f"{one.epsilon:.4f}", f"{one.published_epsilon:.4f}")
        for one in answer.conversions
    ]
    headings = ("rho", "delta", "epsilon", "epsilon by the\nsimple theorem")
    return [
        Grid("zCDP as (epsilon, delta)", headings, rows, keys=2),
        Note("epsilon: the smallest that rho implies at delta."),
        Note("simple theorem: epsilon = rho + 2 sqrt(rho log(1 / delta))."),
    ]
