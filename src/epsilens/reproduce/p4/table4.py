"""P4, Table 4 and Figure 1: what each noisy count tells, and how often it is seen."""

from __future__ import annotations

import numpy as np

from epsilens.posterior.single import NoisyCountTable, noisy_count_table
from epsilens.reproduce.claims import Claim, Compute, Finding, Reading, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.budgets import rho_of_block
from epsilens.reproduce.p4.setting import PRIORS, RHO_BLOCK, number, percent, statement
from epsilens.reproduce.printed import Printed

COUNTS = (1, 2, 3, 4, 5)
CAPTION_RHO = 0.099
PROBABILITIES = ("0.161", "0.119", "0.073", "0.036", "0.015")
POSTERIORS = {
    "1/2": ("0.525", "0.574", "0.622", "0.667", "0.710"),
    "1/5": ("0.216", "0.252", "0.291", "0.334", "0.379"),
    "1/10": ("0.109", "0.130", "0.154", "0.182", "0.213"),
    "1/50": ("0.022", "0.027", "0.032", "0.039", "0.047"),
}
RISKS = {
    "1/2": ("1.05", "1.15", "1.24", "1.33", "1.42"),
    "1/5": ("1.08", "1.26", "1.46", "1.67", "1.90"),
    "1/10": ("1.09", "1.30", "1.54", "1.82", "2.13"),
    "1/50": ("1.10", "1.34", "1.62", "1.96", "2.37"),
    "1/864": ("1.10", "1.35", "1.64", "2.00", "2.44"),
}
IN_TEXT = {4: "3.6 %", 5: "1.5 %"}
_DRAWN = tuple(range(-10, 12))
_FAR = tuple(range(-40, 41))


def _table(data: Data, prior: str, rho: float = RHO_BLOCK, noisy: tuple[int, ...] = COUNTS) -> NoisyCountTable:
    key = ("noisy counts", prior, rho, noisy)
    return data.once(key, lambda: noisy_count_table(noisy, rho=rho, prior=PRIORS[prior]))


def _posterior(prior: str, k: int) -> Compute:
    return lambda data: float(_table(data, prior).posterior[k])


def _risk(prior: str, k: int) -> Compute:
    return lambda data: float(_table(data, prior).risk_ratio[k])


def _seen(k: int, present: bool = True) -> Compute:
    def compute(_: Data) -> float:
        return float(noisy_count_table([COUNTS[k]], rho=RHO_BLOCK, present=present).probability[0])

    return compute


def _not_there(k: int) -> Reading:
    return Reading("of a target who is not there", _seen(k, present=False), slip=True)


def _cells_at(data: Data, rho: float) -> Finding:
    """Whether the posteriors and risks of the table have its digits at this rho."""
    others = []
    for rows, kind, name in ((POSTERIORS, "posterior", "posterior"), (RISKS, "risk", "risk_ratio")):
        for prior, texts in rows.items():
            values = getattr(_table(data, prior, rho), name)
            wrong = [x for x, text, value in zip(COUNTS, texts, values, strict=True) if not Printed(text).agrees(value)]
            others += [f"{kind} of p = {prior} at x* = {x}" for x in wrong]
    cells = sum(len(texts) for rows in (POSTERIORS, RISKS) for texts in rows.values())
    where = f" (not the {', the '.join(others)})" if others else ""
    return Finding(not others, f"{cells - len(others)} of {cells} cells have these digits at rho = {rho:.6g}{where}")


def _rises(data: Data) -> Finding:
    return everywhere(
        PRIORS,
        lambda prior: bool((np.diff(_table(data, prior, noisy=_FAR).posterior) > 0.0).all()),
        lambda prior: f"not at p = {prior}",
    )


def _turns_at_one(data: Data) -> Finding:
    def holds(prior: str) -> bool:
        table = _table(data, prior, noisy=_FAR)
        return bool(((table.posterior > PRIORS[prior]) == (table.noisy >= 1.0)).all())

    return everywhere(PRIORS, holds, lambda prior: f"not at p = {prior}")


def _far_above_one(data: Data) -> Finding:
    """The smallest R' from x* = 4 on, and whether it is larger for smaller priors."""
    lowest = [float(_table(data, prior).risk_ratio[COUNTS.index(4)]) for prior in PRIORS]
    seen = f"from {min(lowest):.4g} at p = 1/2 to {max(lowest):.4g} at p = 1/864"
    return Finding(min(lowest) > 1.25 and lowest == sorted(lowest), seen)


def _small(data: Data) -> Finding:
    values = _table(data, "1/864").posterior
    return Finding(float(values.max()) < 0.01, f"at most {percent(float(values.max()), 2)}")


def _sizable(_: Data) -> Finding:
    share = float(noisy_count_table(range(4, 40), rho=RHO_BLOCK).probability.sum())
    return Finding(share * 1e6 > 1e4, f"{percent(share)} of such blocks release 4 or more")


def _figure(data: Data) -> Drawing:
    tables = {prior: _table(data, prior, noisy=_DRAWN) for prior in PRIORS}
    posteriors = [Series(f"p = {prior}", _DRAWN, table.posterior.tolist()) for prior, table in tables.items()]
    risks = [Series(f"p = {prior}", _DRAWN, table.risk_ratio.tolist()) for prior, table in tables.items()]
    at = _DRAWN.index(1)
    says = (
        f"At a noisy count of 1 the posterior of p = 1/2 is {tables['1/2'].posterior[at]:.3f} and that of p = 1/864 "
        f"{tables['1/864'].risk_ratio[at]:.2f} times its prior. Every curve rises and passes its prior between 0 and 1."
    )
    panels = [
        Panel("posterior probability", "noisy count x*", "P(X1 = 1 | x*)", posteriors, legend="prior"),
        Panel("disclosure risk", "noisy count x*", "R'(x*)", risks, legend="prior", horizontals=[("no change", 1.0)]),
    ]
    return Drawing("P4", "Figure 1", "what a noisy count tells five adversaries", panels, says)


CLAIMS: list[Claim] = [
    rho_of_block("section 4.2, rho"),
    statement(
        "Figure 1, posterior", "against the noisy count", "posterior and risk rise with x*, for all five", _rises
    ),
    statement(
        "Figure 1, at 1", "where evidence turns", "the posterior is above the prior just where x* >= 1", _turns_at_one
    ),
    *(
        number(
            f"Table 4, x* = {x}", "probability of it, given X1 = 1", text, _seen(k), "P4-1", readings=(_not_there(k),)
        )
        for k, (x, text) in enumerate(zip(COUNTS, PROBABILITIES, strict=True))
    ),
    *(
        number(f"Table 4, x* = {x}", f"posterior, p = {prior}", texts[k], _posterior(prior, k))
        for k, x in enumerate(COUNTS)
        for prior, texts in POSTERIORS.items()
    ),
    *(
        number(f"Table 4, x* = {x}", f"risk, p = {prior}", texts[k], _risk(prior, k))
        for k, x in enumerate(COUNTS)
        for prior, texts in RISKS.items()
    ),
    statement(
        "Table 4, caption",
        "the rho of its numbers",
        "rho is 0.099",
        lambda data: _cells_at(data, CAPTION_RHO),
        "P4-11",
        readings=((f"at the unrounded rho of Table 2, {RHO_BLOCK:.6f}", lambda data: _cells_at(data, RHO_BLOCK)),),
    ),
    statement("Table 4, p = 1/864", "posteriors left out", "they are quite small: below 1 %", _small),
    *(
        number(
            f"section 4.2, x* = {x}",
            "how often it is released",
            text,
            _seen(COUNTS.index(x)),
            "P4-1",
            readings=(_not_there(COUNTS.index(x)),),
        )
        for x, text in IN_TEXT.items()
    ),
    statement(
        "section 4.2, x* of 4 and more",
        "how far the risk is from 1",
        "it is well above 1 (by a quarter and more), most so for small priors",
        _far_above_one,
    ),
    statement(
        "section 4.2, many blocks",
        "how many release 4 or more",
        "of millions of blocks a sizable number (10,000 of each million at least)",
        _sizable,
    ),
]
FIGURES = [Figure("P4", "Figure 1", _figure)]
