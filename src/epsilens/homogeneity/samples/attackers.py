"""What ARX and sdcMicro call prosecutor, journalist and marketer risk: finding a record, whatever it then gives away.

These are risks of re-identification. They count people who share a cell and do not ask what is disclosed by it, nor do
they know of noise: they are about the sample as it is. They stand here so that users find their words.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.samples.population import Population, population_of
from epsilens.lazy import LaterModule
from epsilens.notebook import brief, internal_facts_html
from epsilens.table.frequency import FrequencyTable, checked_table

special = LaterModule("scipy.special")

THRESHOLD = 0.2
"""Records at more than this risk are counted: those that fewer than five people could be."""
_SERIES_FROM = 24
_TERMS = 80


@dataclass(frozen=True)
class AttackerModel:
    """The risk that a record is found to be somebody's, under one assumption about the attacker."""

    highest: float
    """Of the record that is easiest to find."""
    average: float
    """Over the records of the sample: the share that is found on average."""
    above: float
    """The share of records whose risk is above :data:`THRESHOLD`."""

    __repr__ = brief


@dataclass(frozen=True)
class ReIdentification:
    """Prosecutor, journalist and marketer: who knows what."""

    prosecutor: AttackerModel
    """Knows that the target is in the sample: 1 / n_i."""
    journalist: AttackerModel
    """Does not know it, and has a register of the population: 1 / N_i."""
    individual: AttackerModel
    """As the journalist, but N_i is not known: E[1 / N_i], sdcMicro's individual risk."""
    marketer: float
    """Links all records to a register of the population: the share that is linked rightly, n_i / N_i averaged."""
    expected: float
    """How many records that is; with sdcMicro's individual risk, its global risk."""

    __repr__ = brief
    _repr_html_ = internal_facts_html

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"threshold": THRESHOLD}


def re_identification(table: FrequencyTable, sampling_fraction: float | None = None) -> ReIdentification:
    """Prosecutor, journalist and marketer risk of the sample, as ARX and sdcMicro define them.

    With n_i people of cell i in the sample, N_i in the population and n records:

        prosecutor   1 / n_i: the largest, and on average sum_i n_i (1 / n_i) / n, cells per record
        journalist   1 / N_i: the largest, and on average sum_i n_i (1 / N_i) / n
        marketer     sum_i n_i (1 / N_i) / n, the share of all records that is linked rightly; where no population is
                     known ARX takes the sample for it, which is the prosecutor's average

    Source: El Emam and Dankar (2008). The marketer is that of Dankar and El Emam (2010).
    Assumes for the journalist that N_i is the weight of the cell; :func:`expected_inverse` does not.
    """
    checked_table(table)
    population = population_of(table, sampling_fraction)
    there = population.sampled > 0
    kinds = Population(population.vectors[there], population.sizes[there], population.cells[there], population.known_by)
    records = as_floats(kinds.cells * kinds.sampled)
    journalist = _model(1.0 / kinds.sizes, records)
    individual = expected_inverse(kinds.sampled, kinds.sizes)
    return ReIdentification(
        _model(1.0 / kinds.sampled, records),
        journalist,
        _model(individual, records),
        journalist.average,
        float(records @ individual),
    )


def expected_inverse(sampled: IntArray, sizes: FloatArray) -> FloatArray:
    """E[1 / N] where N - n is negative binomial with n successes of chance p = n / (sum of weights).

    E[1 / N] = integral over t in [0, 1] of E[t^(N - 1)] = integral of t^(n - 1) (p / (1 - (1 - p) t))^n dt
             = (p^n / n) F(n, n; n + 1; 1 - p) = (p / n) F(1, 1; n + 1; 1 - p),

    F the hypergeometric function, by Euler's transformation: a series of positive terms 1 / binom(n + j, j) (1 - p)^j.
    For n = 1 it is -p log(p) / (1 - p).

    Source: Benedetti and Franconi (1998).
    """
    n = as_floats(sampled)
    p = np.minimum(n / sizes, 1.0)
    j = np.arange(1.0, _TERMS + 1.0)
    values = np.empty(len(n))
    single, large = n == 1, n >= _SERIES_FROM
    few = ~single & ~large
    x = 1.0 - p[single]
    values[single] = np.where(x > 0, -p[single] * np.log(p[single]) / np.where(x > 0, x, 1.0), 1.0)
    values[few] = p[few] / n[few] * special.hyp2f1(1.0, 1.0, n[few] + 1.0, 1.0 - p[few])
    terms = np.cumprod((1.0 - p[large])[:, None] * j / (n[large][:, None] + j), axis=1).sum(axis=1)
    values[large] = p[large] / n[large] * (1.0 + terms)
    return values


def _model(risks: FloatArray, records: FloatArray) -> AttackerModel:
    total = float(records.sum())
    above = float(records[risks > THRESHOLD * (1.0 + 1e-12)].sum())
    return AttackerModel(float(risks.max()), float(records @ risks) / total, above / total)
