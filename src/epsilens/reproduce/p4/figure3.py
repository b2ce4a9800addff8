"""P4, Figure 3: how often the adversary decides rightly, against rho."""

from __future__ import annotations

import math

import numpy as np

from epsilens.posterior.single import expected_single_level, single_level
from epsilens.reproduce.claims import Claim, Compute, Finding, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.setting import (
    PRIORS,
    RHO_BLOCK,
    Check,
    discrete_gaussian,
    formula,
    number,
    percent,
    statement,
)

GRID = tuple(np.geomspace(0.01, 20.0, 241).tolist())
_NEXT_TO_HALF = 0.47


def _decision(rho: float, prior: float) -> float:
    return expected_single_level(rho, prior).correct_decision


def _right(rho: float, prior: float) -> Compute:
    return lambda _: _decision(rho, prior)


def _first_yes(rho: float, prior: float) -> Compute:
    """The smallest noisy count after which the adversary says that the target is there."""
    return lambda _: float(next(x for x in range(-50, 500) if single_level(x, 0, rho, prior).decides_present))


def _tail(rho: float) -> float:
    values, probabilities = discrete_gaussian(rho)
    return math.fsum(probabilities[values >= 0])


def _enough(prior: float) -> float:
    """The rho from which on a noisy count of 1 decides: e^rho > (1 - p) / p."""
    return math.log((1.0 - prior) / prior)


def _jagged(prior: str) -> Check:
    def check(data: Data) -> Finding:
        values, bar = _curve(data, prior), _enough(PRIORS[prior])
        steps = np.diff(values)
        before = np.asarray(GRID[1:]) <= bar
        falls = int((steps[before] < -1e-12).sum())
        later = bool((steps[np.asarray(GRID[:-1]) > bar] >= 0.0).all())
        seen = f"{falls} of {int(before.sum())} steps up to rho = {bar:.3g} fall, none beyond"
        return Finding(falls > 0 and later, seen if later else "it falls beyond as well")

    return check


def _curve(data: Data, prior: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return data.once(("decisions", prior), lambda: np.asarray([_decision(rho, PRIORS[prior]) for rho in GRID]))


def _fraction_of_a_percent(prior: str) -> Check:
    def check(_: Data) -> Finding:
        share = _decision(RHO_BLOCK, PRIORS[prior])
        return Finding(share < 0.01, f"it is {100.0 * share:.3g} %")

    return check


def _yes_from_one(_: Data) -> Finding:
    return everywhere(
        GRID,
        lambda rho: single_level(1, 0, rho, 0.5) > 0.5 > single_level(0, 0, rho, 0.5),
        lambda rho: f"not at rho = {rho:.4g}",
    )


def _falls_at_once(_: Data) -> Finding:
    even, less = _decision(RHO_BLOCK, 0.5), _decision(RHO_BLOCK, _NEXT_TO_HALF)
    return Finding(less < even - 0.1, f"from {percent(even)} at p = .5 to {percent(less)} at p = {_NEXT_TO_HALF}")


def _figure(data: Data) -> Drawing:
    series = [Series(f"p = {name}", GRID, _curve(data, name).tolist()) for name in PRIORS]
    fifth = _curve(data, "1/5")
    says = (
        f"At the census's rho of {RHO_BLOCK:.3f} the guess is right {percent(_decision(RHO_BLOCK, 0.5))} of the time "
        f"for p = 1/2 and {percent(_decision(RHO_BLOCK, 0.2), 2)} for p = 1/5, whose curve falls at "
        f"{int((np.diff(fifth) < -1e-12).sum())} of {len(fifth) - 1} steps."
    )
    panel = Panel(
        "right decisions under 0-1 loss",
        "rho",
        "P(decision is right)",
        series,
        legend="prior",
        verticals=[("the census", RHO_BLOCK)],
        log_x=True,
    )
    return Drawing("P4", "Figure 3", "right decisions against rho", [panel], says, columns=1)


CLAIMS: list[Claim] = [
    statement("Figure 3, p = 1/2", "which noisy counts say yes", "1 and more, at every rho", _yes_from_one),
    formula(
        "Figure 3, p = 1/2, curve",
        "the probability of a right decision",
        "P(X* >= 1 | X1 = 1)",
        printed=_tail,
        true=lambda rho: _decision(rho, 0.5),
        cases=GRID[::8],
        told=lambda rho: f"rho = {rho:.4g}",
    ),
    number("Figure 3, rho = .5, p = 1/5", "smallest noisy count that says yes", "2", _first_yes(0.5, 0.2), "P4-4"),
    number("Figure 3, rho = .5, p = 1/5", "right decisions", "0.30", _right(0.5, 0.2), "P4-4"),
    number("Figure 3, rho = .6, p = 1/5", "smallest noisy count that says yes", "2", _first_yes(0.6, 0.2), "P4-4"),
    number("Figure 3, rho = .6, p = 1/5", "right decisions", "0.28", _right(0.6, 0.2), "P4-4"),
    *(
        statement(
            f"Figure 3, jaggedness, p = {prior}",
            "the curve while a noisy count of 1 does not decide",
            "it falls between its jumps, and no longer once 1 decides",
            _jagged(prior),
        )
        for prior in list(PRIORS)[1:]
    ),
    number("section 4.2, decisions, p = 1/2", "right decisions", "0.59", _right(RHO_BLOCK, 0.5)),
    *(
        statement(
            f"section 4.2, decisions, p = {prior}",
            "right decisions about a target who is there",
            "a fraction of a percent",
            _fraction_of_a_percent(prior),
        )
        for prior in list(PRIORS)[1:]
    ),
    statement(
        "section 4.2, a slightly smaller prior",
        "right decisions",
        "they can become much fewer (by a tenth and more)",
        _falls_at_once,
    ),
]
FIGURES = [Figure("P4", "Figure 3", _figure)]
