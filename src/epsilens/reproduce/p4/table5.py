"""P4, Table 5 and Figure 2: the posterior and the risk on average, against rho."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from epsilens.posterior.single import BudgetCurve, ExpectedRisk, expected_single_level, single_level_curve
from epsilens.reproduce.claims import Claim, Compute, Finding
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.census_1940 import LEVELS_1940
from epsilens.reproduce.p4.setting import (
    PRIORS,
    RHO_BLOCK,
    Check,
    discrete_gaussian,
    formula,
    listed,
    number,
    percent,
    statement,
)
from epsilens.reproduce.printed import Printed

POSTERIORS = ("0.524", "0.225", "0.117", "0.024", "0.0014")
RISKS = ("1.05", "1.13", "1.17", "1.21", "1.22")
LOWEST, HIGHEST = 1.05, 1.21
"""Between which the text says that the risks of Table 5 lie."""
QUIET, LOUD = 0.25, 5.0
"""Print's three ranges of rho: hardly any evidence, rapid growth, all is known."""
FAR_FROM_ONE = 1.33
"""What print calls substantially above 1 (Table 4, from x* = 4 on); the risks up to 1.22 of Table 5 are near it."""
FOURTH, FIFTH, FIFTH_IN_TABLES = "1/10", "1/10", "1/864"
ABOUT_ONE = 0.9
"""Of a posterior, taken generously."""
GRID = tuple(np.geomspace(1e-3, 100.0, 161).tolist())
_FINE = tuple(np.linspace(0.05, 10.0, 200).tolist())


def _at(data: Data, prior: str, rho: float = RHO_BLOCK) -> ExpectedRisk:
    return data.once(("expected", prior, rho), lambda: expected_single_level(rho, PRIORS[prior]))


def curve(data: Data, rhos: tuple[float, ...] = GRID) -> BudgetCurve:
    """Of all five adversaries."""
    return data.once(("curve", rhos), lambda: single_level_curve(rhos, tuple(PRIORS.values())))


def _posterior(prior: str) -> Compute:
    return lambda data: _at(data, prior).posterior


def _risk(prior: str) -> Compute:
    return lambda data: _at(data, prior).risk_ratio


def _monotone(prior: str) -> Check:
    def check(data: Data) -> Finding:
        found = curve(data, _FINE)
        falls = [fall for fall in found.falls if fall.prior == PRIORS[prior]]
        if not falls:
            return Finding(True, f"at {len(_FINE)} budgets from {_FINE[0]:g} to {_FINE[-1]:g}")
        worst = max(falls, key=lambda fall: fall.from_ratio - fall.to_ratio)
        return Finding(
            False,
            f"R is {worst.from_ratio:.5g} at rho = {worst.from_rho:.4g} and {worst.to_ratio:.5g} at {worst.to_rho:.4g}",
        )

    return check


def _ends(data: Data) -> Finding:
    """Near p at the smallest rho and near 1 at the largest, within 1 %."""
    found = curve(data)
    low = found.posterior[:, 0] / found.prior
    high = found.posterior[:, -1]
    return Finding(
        bool((np.abs(low - 1.0) < 0.01).all() and (high > 0.99).all()),
        f"at rho = {GRID[0]:g} at most {low.max():.4f} times the prior, at {GRID[-1]:g} at least {high.min():.4f}",
    )


def _quiet(prior: str) -> Check:
    def check(data: Data) -> Finding:
        risk = _at(data, prior, QUIET).risk_ratio
        return Finding(risk < FAR_FROM_ONE, f"R is {risk:.4f} at rho = {QUIET}")

    return check


def _certain(prior: str) -> Check:
    def check(data: Data) -> Finding:
        posterior = _at(data, prior, LOUD).posterior
        return Finding(posterior >= ABOUT_ONE, f"the posterior is {posterior:.4f} at rho = {LOUD:g}")

    return check


def _rapid(prior: str) -> Check:
    """Whether most of the way from the prior to 1 is made between the two."""

    def check(data: Data) -> Finding:
        low, high = _at(data, prior, QUIET).posterior, _at(data, prior, LOUD).posterior
        share = (high - low) / (1.0 - PRIORS[prior])
        return Finding(share > 0.5, f"{percent(share)} of it, from {low:.4g} to {high:.4g}")

    return check


def _between(highest: float) -> Check:
    def check(data: Data) -> Finding:
        risks = [round(_at(data, prior).risk_ratio, 2) for prior in PRIORS]
        inside = min(risks) >= LOWEST and max(risks) <= highest
        return Finding(inside, f"they are {listed(risks)} for p = {', '.join(PRIORS)}")

    return check


def _fifth(prior: str) -> Check:
    def check(_: Data) -> Finding:
        share = 1.0 / math.prod(LEVELS_1940)
        own = float(Fraction(prior))
        return Finding(math.isclose(own, share), f"one of {1.0 / share:.0f} is {share:.4g}, and {prior} is {own:.4g}")

    return check


def counted_curve(rho: float, prior: str) -> float:
    """The expected posterior of a target who is there, by adding up over noisy counts."""
    values, probabilities = discrete_gaussian(rho)
    odds = PRIORS[prior] / (1.0 - PRIORS[prior]) * np.exp(np.clip(rho * (2.0 * values + 1.0), -700.0, 700.0))
    return float((probabilities * odds / (1.0 + odds)).sum())


def _fourth(prior: str) -> Check:
    """Whether the fourth line of Table 5 is that of an adversary with this prior."""

    def check(data: Data) -> Finding:
        posterior = _at(data, prior).posterior
        return Finding(
            Printed(POSTERIORS[3]).agrees(posterior),
            f"it gives a marginal posterior of {posterior:.4g}, and Table 5 has {POSTERIORS[3]}",
        )

    return check


def _slightly_less(data: Data) -> Finding:
    """By how much the largest risk falls when rho is cut by a tenth: less than print's table shows."""
    falls = [_at(data, p).risk_ratio - _at(data, p, 0.9 * RHO_BLOCK).risk_ratio for p in PRIORS]
    return Finding(max(falls) < 0.03, f"by at most {max(falls):.3f} when rho is a tenth smaller")


def _much_more(data: Data) -> Finding:
    """The risks at twice the census's rho: whether some adversary's is substantially above 1."""
    risks = [_at(data, p, 2.0 * RHO_BLOCK).risk_ratio for p in PRIORS]
    return Finding(
        max(risks) >= FAR_FROM_ONE, f"at twice the rho they are {listed(risks, 3)} for p = {', '.join(PRIORS)}"
    )


def _figure(data: Data) -> Drawing:
    found = curve(data)

    def series(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[Series]:
        return [Series(f"p = {name}", GRID, row.tolist()) for name, row in zip(PRIORS, values, strict=True)]

    here = [("the census", RHO_BLOCK)]
    panels = [
        Panel(
            "marginal posterior",
            "rho",
            "P(X1 = 1 | x1 = 1)",
            series(found.posterior),
            legend="prior",
            verticals=here,
            log_x=True,
            log_y=True,
        ),
        Panel(
            "disclosure risk",
            "rho",
            "R",
            series(found.risk_ratio),
            legend="prior",
            verticals=here,
            log_x=True,
            log_y=True,
        ),
    ]
    risks = {name: _at(data, name).risk_ratio for name in PRIORS}
    says = (
        f"At the census's rho of {RHO_BLOCK:.3f} the risk is between {min(risks.values()):.2f} and "
        f"{max(risks.values()):.2f}; at rho = {LOUD:g} the posterior is {_at(data, '1/2', LOUD).posterior:.2f} for "
        f"p = 1/2 and {_at(data, '1/864', LOUD).posterior:.2f} for p = 1/864."
    )
    return Drawing("P4", "Figure 2", "posterior and risk against rho", panels, says)


CLAIMS: list[Claim] = [
    *itertools.chain.from_iterable(
        (
            number(f"Table 5, p = {prior}", "marginal posterior", posterior, _posterior(prior), "P4-4"),
            number(f"Table 5, p = {prior}", "disclosure risk", risk, _risk(prior), "P4-4"),
        )
        for prior, posterior, risk in zip(PRIORS, POSTERIORS, RISKS, strict=True)
    ),
    statement(
        "section 4.2, risks of Table 5",
        "their range",
        f"they lie between {LOWEST} and {HIGHEST}",
        _between(HIGHEST),
        "P4-11",
        slips=((f"with {RISKS[-1]} of Table 5 for {HIGHEST}", _between(float(RISKS[-1]))),),
    ),
    statement(
        "section 4.2, fourth adversary",
        "its prior, by what the tables print of it",
        f"p = {FOURTH}",
        _fourth(FOURTH),
        "P4-11",
        slips=(("of p = 1/50, as Tables 4 and 5 have it", _fourth("1/50")),),
    ),
    statement(
        "section 4.2, fifth adversary",
        "its prior, the same for each of 864 sets of characteristics",
        f"p = {FIFTH}",
        _fifth(FIFTH),
        "P4-11",
        slips=((f"of p = {FIFTH_IN_TABLES}, as Tables 4 and 5 have it", _fifth(FIFTH_IN_TABLES)),),
    ),
    *(
        statement(
            f"Figure 2, p = {prior}",
            "posterior and risk against rho",
            "both rise with rho",
            _monotone(prior),
            "P4-9",
        )
        for prior in PRIORS
    ),
    formula(
        "Figure 2, ours",
        "its curves by our own function",
        "single_level_curve",
        in_print=False,
        printed=lambda case: float(single_level_curve((case[0],), (PRIORS[case[1]],)).posterior[0, 0]),
        true=lambda case: counted_curve(*case),
        cases=list(itertools.product((0.02, RHO_BLOCK, 1.0, 3.0), PRIORS)),
        told=lambda case: f"rho = {case[0]:g}, p = {case[1]}",
    ),
    statement("Figure 2, ends", "the smallest and the largest rho", "from p to 1, and from 1 to 1/p", _ends),
    *(
        statement(
            f"Figure 2, rho below {QUIET}, p = {prior}",
            "what the adversary gleans",
            f"little: the risk is about 1 (below the {FAR_FROM_ONE} that print calls far from it)",
            _quiet(prior),
            "P4-10",
        )
        for prior in PRIORS
    ),
    *(
        statement(
            f"Figure 2, rho from {QUIET} to {LOUD:g}, p = {prior}",
            "how the posterior grows",
            "rapidly from p to 1 (most of the way)",
            _rapid(prior),
            "P4-10",
        )
        for prior in PRIORS
    ),
    *(
        statement(
            f"Figure 2, rho above {LOUD:g}, p = {prior}",
            "what the adversary knows",
            f"all but everything: the posterior is about 1 (at least {ABOUT_ONE})",
            _certain(prior),
            "P4-10",
        )
        for prior in PRIORS
    ),
    statement(
        "section 4.2, a larger rho",
        "what any substantial amount more would do (twice as much)",
        f"a risk that is likely unacceptable (for some adversary at least the {FAR_FROM_ONE} of Table 4)",
        _much_more,
    ),
    statement("section 4.2, a smaller rho", "what it would spare", "hardly any risk (less than .03)", _slightly_less),
]
FIGURES = [Figure("P4", "Figure 2", _figure)]
