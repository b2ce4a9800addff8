"""Population uniques: how many of those who are alone in their cell of the sample are alone in the population?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from epsilens.errors import ParameterError
from epsilens.homogeneity.fit import Fit
from epsilens.homogeneity.models.fits import fit_sizes
from epsilens.homogeneity.models.sizes import NegativeBinomialSize, PoissonSize, SizeModel
from epsilens.homogeneity.samples.population import Population, population_of
from epsilens.notebook import brief, internal_facts_html
from epsilens.table.frequency import FrequencyTable, checked_table

LAWS = ("poisson", "negative-binomial")
"""Laws of the sizes of population cells that are fitted to the sample."""


@dataclass(frozen=True)
class UniquesByLaw:
    """The uniques that one law of sizes expects."""

    law: str
    chance: float
    """That somebody who is alone in their cell of the sample is alone in the population."""
    among_sample_uniques: float
    in_population: float
    aic: float | None = None
    """Of the law fitted to the sample, the smaller the better; None where nothing was fitted."""
    note: str = ""

    __repr__ = brief


@dataclass(frozen=True)
class PopulationUniques:
    """Who is alone in their cell: of the sample, counted, and of the population, expected."""

    sample_uniques: int
    by_law: tuple[UniquesByLaw, ...]

    __repr__ = brief
    _repr_html_ = internal_facts_html

    @property
    def best(self) -> UniquesByLaw:
        """What the law expects that describes the sizes of the sample best."""
        return min((law for law in self.by_law if law.aic is not None), key=lambda law: law.aic or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "sample_uniques": self.sample_uniques,
            "best": self.best.law,
            "laws": [asdict(law) for law in self.by_law],
        }


def chance_unique(law: SizeModel, fraction: float) -> float:
    """P(N = 1 | n = 1): alone in the sample's cell, alone in the population's, where ``law`` is that of sample sizes.

    Population cells have sizes N ~ Poisson(lambda), lambda the cell's own rate, and everybody is sampled with chance f.
    Then n ~ Poisson(f lambda) and the rest N - n ~ Poisson((1 - f) lambda) are independent. With one rate for all
    cells, m = f lambda the sample's,

        P(N = 1 | n = 1) = P(rest = 0) = e^(-(1 - f) lambda) = e^(-m (1 - f) / f).

    With gamma rates of shape r and scale t, sizes are negative binomial, those of the sample with scale s = f t. Given
    n = 1 the rate is gamma with shape r + 1 and scale t / (1 + f t), so that

        P(N = 1 | n = 1) = E[e^(-(1 - f) lambda)] = ((1 + f t) / (1 + t))^(r + 1) = ((1 + s) / (1 + s / f))^(r + 1).

    Source: Bethlehem, Keller and Pannekoek (1990).
    Assumes that everybody is sampled independently with the same chance ``fraction``.
    """
    if isinstance(law, PoissonSize):
        return math.exp(-law.rate * (1.0 - fraction) / fraction)
    if isinstance(law, NegativeBinomialSize):
        return math.exp((law.shape + 1.0) * (math.log1p(law.scale) - math.log1p(law.scale / fraction)))
    raise ParameterError("must be a Poisson or a negative binomial law", parameter="law")


def population_uniques(table: FrequencyTable, sampling_fraction: float | None = None) -> PopulationUniques:
    """How many sample uniques, and how many people of the population, are expected to be alone in their cell.

    Of the sample's n_1 uniques n_1 P(N = 1 | n = 1) are alone in the population (:func:`chance_unique`), with laws
    fitted to the sample's cells, truncated to n >= 1. A population unique is in the sample, and then a sample unique,
    with probability f: so the population has 1 / f times as many. With survey weights f is the sample's share of the
    population. ``by-weights`` is what mu-Argus and sdcMicro assume: N - n given n is negative binomial with n
    successes of chance p_i = n_i / N_i, so that P(N = 1 | n = 1) = p_i.

    Source: Bethlehem, Keller and Pannekoek (1990). By weights: Benedetti and Franconi (1998).
    """
    checked_table(table)
    population = population_of(table, sampling_fraction)
    alone = population.sampled == 1
    uniques = int(population.cells[alone].sum())
    found = [_by_law(table, name, uniques, population) for name in LAWS]
    kept = float((population.cells[alone] / population.sizes[alone]).sum())
    found.append(UniquesByLaw("by-weights", kept / uniques if uniques else 0.0, kept, float(uniques)))
    return PopulationUniques(uniques, tuple(found))


def _by_law(table: FrequencyTable, name: str, uniques: int, population: Population) -> UniquesByLaw:
    fit: Fit[SizeModel] = fit_sizes(table, name)
    fraction = min(population.fraction, 1.0)
    chance = chance_unique(fit.model, fraction)
    return UniquesByLaw(name, chance, uniques * chance, uniques * chance / fraction, fit.aic, fit.message)
