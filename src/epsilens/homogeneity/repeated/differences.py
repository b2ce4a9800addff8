"""One table taken from another: what is left is about those whom only the larger one counts.

A table of everybody and a later one of some of them are both published. Nobody reads the people who are in the first
alone off the second; but the difference of the two counts them, with the noise of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import average
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.repeated.attributes import attribute_groups, value_counts, value_weights
from epsilens.homogeneity.repeated.cells import holding_rows, together
from epsilens.homogeneity.repeated.pooling import WholeNumberNoise
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, named
from epsilens.homogeneity.shown import shown_alone
from epsilens.lazy import LaterModule
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.noise.whole_number_sums import reach
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable

fft = LaterModule("scipy.fft")

_LONGEST_SUPPORT = 1 << 22

_Law: TypeAlias = Callable[[int, int], WholeNumberNoise]


@dataclass(frozen=True, eq=False)
class Difference:
    """What a table less another gives away about the people whom the other leaves out."""

    larger: str
    smaller: str
    cohorts: tuple[str, ...]
    """Whom the larger counts and the smaller does not."""
    table: FrequencyTable
    """These people, in the cells of the larger table."""
    attributes: tuple[str, ...]
    risks: FloatArray
    """(cells of ``table``, attributes)."""

    __repr__ = brief

    def averages(self) -> dict[str, float]:
        """The risk of every attribute, averaged over people."""
        return {name: average(self.risks[:, j], self.table) for j, name in enumerate(self.attributes)}


def differences(releases: Sequence[AnyRelease], match: str = "share") -> list[Difference]:
    """Every table less every other that counts some of its cohorts, by the same quasi-identifiers or more of them."""
    tables = {name: release for name, release in named(releases).items() if isinstance(release, Release)}
    return [
        difference(larger, smaller, match, (name, other))
        for name, larger in tables.items()
        for other, smaller in tables.items()
        if set(smaller.cohorts) < set(larger.cohorts)
        and set(larger.table.quasi_identifiers) <= set(smaller.table.quasi_identifiers)
        and set(larger.table.sensitive) & set(smaller.table.sensitive)
        and larger.parent is None
        and smaller.parent is None
    ]


def difference(
    larger: Release, smaller: Release, match: str = "share", names: tuple[str, str] | None = None
) -> Difference:
    """The probability, per cell of the people left and attribute, that the difference shows one value, a right one.

    The count of value y among those left, n_y, is estimated by the published counts with y of the larger table less
    those of the smaller one: n_y + (c noises of the larger) - (d noises of the smaller), where c and d are how many
    counts with y each publishes within the cell. The differences of different values are independent, so the risk is
    sum over y of w_y m_y P(n_y + D_y >= 1) prod over the others of P(n_z + D_z <= 0), w_y and m_y as in ``local``.

    Source: P0 section 4.3.
    Assumes independent noise; both are seen before counts are clipped at 0 (who sees them clipped knows less); cells
    that the smaller table does not list are read off the larger one alone.
    Departs from print (P0-11): there a release says nothing about people whom it does not count.
    """
    left = [cohort for cohort in larger.cohorts if cohort not in smaller.cohorts]
    shared = tuple(name for name in larger.table.sensitive if name in smaller.table.sensitive)
    if larger.parts is None or not left or not set(smaller.cohorts) < set(larger.cohorts) or not shared:
        raise ParameterError("a difference takes a table of several cohorts and one of some of them")
    table = together({cohort: larger.parts[cohort] for cohort in left})[0]
    in_larger = holding_rows(table, larger.table)
    fine_to_larger = holding_rows(smaller.table, larger.table)

    @cache
    def noise_of(c: int, d: int) -> WholeNumberNoise:
        return difference_noise(larger.noise, smaller.noise, (c, d))

    columns = []
    for attribute in shared:
        values, counts = value_counts(table, attribute)
        groups = attribute_groups(larger.table, attribute)
        added = _published(larger.table, groups, values, np.arange(larger.table.n_cells), larger.table.n_cells)
        own = attribute_groups(smaller.table, attribute)
        taken = _published(smaller.table, own, values, fine_to_larger, larger.table.n_cells)
        hidden, shown = _hidden_and_shown(counts, added[in_larger], taken[in_larger], noise_of)
        weights = match_weights(counts, match) * value_weights(table, attribute)
        columns.append((weights * shown_alone(shown, hidden)).sum(axis=1))
    called = names or (larger.name, smaller.name)
    return Difference(*called, tuple(left), table, shared, as_floats(np.stack(columns, axis=1)))


def difference_noise(larger: AnyNoise, smaller: AnyNoise, copies: tuple[int, int] = (1, 1)) -> WholeNumberNoise:
    """The law of e_1 + ... + e_c - f_1 - ... - f_d, (c, d) the ``copies``, e and f noises rounded as published.

    Exact convolution by FFT: absolute error below 1e-13.

    Source: P0 section 4.3.
    Assumes independent noise.
    Departs from print (P0-11): the noises actually added are combined.
    """
    reaches = [reach(checked_noise(noise)) for noise in (larger, smaller)]
    far = sum(number * distance for number, distance in zip(copies, reaches, strict=True))
    if min(copies) < 0 or sum(copies) == 0:
        raise ParameterError("must be two whole numbers >= 0, not both 0", parameter="copies", got=copies)
    if 2 * far > _LONGEST_SUPPORT:
        raise ParameterError(
            f"a difference sums over every whole number the noises can reach, at most {_LONGEST_SUPPORT // 2}; "
            f"these reach {far}",
            remedy="use larger budgets or fewer cells",
        )
    size = fft.next_fast_len(2 * far + 1, real=True)
    spectrum = np.ones(size // 2 + 1, dtype=np.complex128)
    for noise, distance, number, sign in zip((larger, smaller), reaches, copies, (1, -1), strict=True):
        spectrum *= fft.rfft(noise.pmf(sign * np.arange(-distance, distance + 1.0)), size) ** number
    mass = np.maximum(fft.irfft(spectrum, size)[: 2 * far + 1], 0.0)
    return WholeNumberNoise(-far, mass / mass.sum())


def _published(
    table: FrequencyTable, groups: dict[str, list[int]], values: tuple[str, ...], rows: IntArray, n_rows: int
) -> IntArray:
    """(rows, values): how many counts with the value the table publishes within each row; not what cannot occur."""
    found = np.zeros((n_rows, len(values)), dtype=np.int64)
    for y, value in enumerate(values):
        np.add.at(found[:, y], rows, (table.vectors[:, groups.get(value, [])] >= 0).sum(axis=1))
    return found


def _hidden_and_shown(
    counts: IntArray, added: IntArray, taken: IntArray, noise_of: _Law
) -> tuple[FloatArray, FloatArray]:
    """P(n_y + D_y <= 0) and P(n_y + D_y >= 1); what the larger table does not publish is never shown."""
    hidden, shown = np.ones(counts.shape), np.zeros(counts.shape)
    for c, d in np.unique(np.stack([added.ravel(), taken.ravel()], axis=1), axis=0).tolist():
        if c == 0:
            continue
        law = noise_of(c, d)
        there = (added == c) & (taken == d)
        hidden[there] = law.cdf(0.5 - np.maximum(counts[there], 0))
        shown[there] = law.sf(0.5 - np.maximum(counts[there], 0))
    return hidden, shown
