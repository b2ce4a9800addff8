"""P4, Tables 6 to 8: what the adversary concludes from one set of noisy counts of two levels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilens.noise.sums import noise_of_sum
from epsilens.posterior.noises import one_noise
from epsilens.posterior.two_levels.posterior import TwoLevelPosterior, two_level
from epsilens.reproduce.claims import Claim, Compute, Estimate, Finding, Reading
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4.budgets import rho_of_group
from epsilens.reproduce.p4.sampler import Chain, chain
from epsilens.reproduce.p4.setting import RHO_BLOCK, RHO_GROUP, SIBLINGS, listed, number, percent, statement
from epsilens.reproduce.printed import Printed
from epsilens.reproduce.verdicts import STANDARD_ERRORS

NOISY = (2, 1, -1)
"""Table 6: of the block, of the block group, and of the other blocks together."""
TRUE = (1, 1, 0)
DRAWS = 1e4
TABLE_7 = {0: "43.0 %", 1: "57.0 %"}
TABLE_8 = {0: "11 %", 1: "40 %", 2: "30 %", 3: "14 %", 4: "4.6 %", 5: "0.7 %", 6: "0.08 %", 7: "0.01 %"}
CHAIN = "under the law of print's sampler, which ignores that X2 >= X1"
MINIMAL = 0.01
"""Print's own change is .4 points."""


def _posterior(data: Data, published: bool = False) -> TwoLevelPosterior:
    rho = (RHO_BLOCK, RHO_GROUP)
    return data.once(("Table 6", published), lambda: two_level(*NOISY, SIBLINGS, rho, published=published))


def _sampler(data: Data) -> Chain:
    """As it is described: it never draws a block that counts more than its group."""
    return data.once(("sampler of Table 6",), lambda: chain(*NOISY))


def _child(present: int, published: bool = False) -> Compute:
    def compute(data: Data) -> float:
        posterior = _posterior(data, published).posterior
        return posterior if present else 1.0 - posterior

    return compute


def _parent(count: int) -> Compute:
    return lambda data: _posterior(data).parent_pmf.get(count, 0.0)


def _drawn_from_posterior(data: Data) -> bool:
    """Whether all shares of Table 8, which are of the same draws, may be those of draws from the posterior."""

    def may_be(count: int, text: str) -> bool:
        share = _posterior(data).parent_pmf.get(count, 0.0)
        return Printed(text).within(share, STANDARD_ERRORS * _sampler(data).parent_error(count, DRAWS))

    return all(may_be(count, text) for count, text in TABLE_8.items())


def _parent_error(count: int) -> Callable[[Data], float]:
    """Of the posterior's share; none where the table as a whole shows that it was not drawn from the posterior."""
    return lambda data: _sampler(data).parent_error(count, DRAWS) if _drawn_from_posterior(data) else 0.0


def _drawn_parent(count: int) -> Compute:
    """The share under the law of print's sampler, with the standard error of its draws."""

    def compute(data: Data) -> Estimate:
        law = data.once(("sampler of Table 6", "published"), lambda: chain(*NOISY, asks=False))
        share = _posterior(data, published=True).parent_pmf.get(count, 0.0)
        return Estimate(share, law.parent_error(count, DRAWS))

    return compute


def _decreases(data: Data) -> Finding:
    found = _posterior(data)
    return Finding(found.posterior < found.alone, f"from {percent(found.alone)} to {percent(found.posterior, 2)}")


def _minimal(published: bool = False) -> Compute:
    return lambda data: _posterior(data, published).posterior - float(_posterior(data).alone)


def _hardly_changes(data: Data, published: bool = False) -> Finding:
    change = _minimal(published)(data)
    assert isinstance(change, float)
    return Finding(abs(change) < MINIMAL, f"it changes by {100.0 * change:+.2f} points")


def _one_sample(data: Data) -> Finding:
    """How likely noise of that size and more is, for each noisy count."""
    del data
    laws = [noise_of_sum(one_noise(rho, None), n) for rho, n in ((RHO_BLOCK, 1), (RHO_GROUP, 1), (RHO_BLOCK, SIBLINGS))]
    away = [abs(noisy - true) for noisy, true in zip(NOISY, TRUE, strict=True)]
    chances = [1.0 - float(np.exp(law.logpmf(np.arange(1.0 - k, k))).sum()) for law, k in zip(laws, away, strict=True)]
    return Finding(min(chances) > 0.05, f"noise of this size or more has a probability of {listed(chances, 2)}")


def _more_there(data: Data) -> Finding:
    posterior = _posterior(data).posterior
    return Finding(posterior > 0.5, f"{percent(posterior, 2)} to {percent(1.0 - posterior, 2)}")


def _tail(data: Data) -> Finding:
    shares = [_posterior(data).parent_pmf.get(count, 0.0) for count in range(1, 9)]
    falls = shares == sorted(shares, reverse=True) and shares[4] < 0.01
    return Finding(falls, "from 1 to 8: " + ", ".join(percent(share, 2) for share in shares))


def _same_law(data: Data) -> Finding:
    """The sampler as described against the posterior that is summed out."""
    apart = max(
        abs(float(_sampler(data).present) - _posterior(data).posterior),
        abs(float(chain(*NOISY, asks=False).present) - _posterior(data, published=True).posterior),
    )
    return Finding(apart < 1e-9, f"they differ by {apart:.1e}, with and without that condition")


def _reading(compute: Compute) -> tuple[Reading, ...]:
    return (Reading(CHAIN, compute),)


CLAIMS: list[Claim] = [
    rho_of_group("section 4.3, rho with Table 6", "0.246"),
    statement(
        "Table 6, noisy counts",
        f"{', '.join(map(str, NOISY))} of {', '.join(map(str, TRUE))} people",
        "one sample of the mechanism (none less likely than .05)",
        _one_sample,
    ),
    statement(
        "section 3.2, sampler",
        "what draws by Eqs. (3.8) and (3.9) are draws of",
        "the posterior of X1 and X2, if a block never counts more than its group",
        _same_law,
        "P4-3",
    ),
    *(
        number(
            f"Table 7, k1 = {count}",
            "posterior of the block's count",
            text,
            _child(count),
            "P4-2",
            error=lambda data: float(_sampler(data).error(DRAWS)),
            readings=_reading(_child(count, published=True)),
        )
        for count, text in TABLE_7.items()
    ),
    *(
        number(
            f"Table 8, k2 = {count}",
            "posterior of the block group's count",
            text,
            _parent(count),
            "P4-2",
            error=_parent_error(count),
            readings=_reading(_drawn_parent(count)),
            leaves_open="which draws its sampler made, and few of 10,000 fall here",
        )
        for count, text in TABLE_8.items()
    ),
    number(
        "section 4.3, Table 7",
        "posterior without hierarchical information",
        "57.4 %",
        lambda data: float(_posterior(data).alone),
    ),
    statement(
        "section 4.3, Table 7, direction", "what hierarchical information does", "it lowers the posterior", _decreases
    ),
    statement(
        "section 4.3, Table 7, size",
        "what hierarchical information does",
        "it changes the posterior hardly at all (by less than one point)",
        _hardly_changes,
        "P4-2",
        readings=((CHAIN, lambda data: _hardly_changes(data, published=True)),),
    ),
    statement(
        "section 4.3, Table 7, weight", "the likelier count of the block", "1, as the noisy count is 2", _more_there
    ),
    number(
        "section 4.3, Table 8",
        "posterior of one in the block group",
        "40 %",
        _parent(1),
        "P4-2",
        error=_parent_error(1),
        readings=_reading(_drawn_parent(1)),
    ),
    statement(
        "section 4.3, Table 8, tail",
        "larger counts of the block group",
        "they soon have no probability (5: below 1 %)",
        _tail,
    ),
]
