"""How well the marginals of a table survive: total variation distance of 1-, 2-, 3-way tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.utility.cell_errors import difference

_NOTHING = "must not be all zero: there is nothing to compare with"


def total_variation(released: npt.ArrayLike, original: npt.ArrayLike) -> float:
    """Half the sum of |p - q| over cells, p and q the shares of people in each cell.

    Negative counts count as zero. A release without anybody says nothing about anybody: its distance is 1.
    """
    difference(released, original)  # refuse different shapes
    after, before = np.maximum(as_floats(released), 0.0), np.maximum(as_floats(original), 0.0)
    if before.sum() <= 0:
        raise ParameterError(_NOTHING, parameter="original")
    if after.sum() <= 0:
        return 1.0
    return float(0.5 * np.abs(after / after.sum() - before / before.sum()).sum())


def marginal_variation(released: npt.ArrayLike, original: npt.ArrayLike, ways: int) -> float:
    """The total variation distance of ``ways``-way marginals, averaged over all choices of that many axes.

    The counts have one axis per attribute. Negative counts count as zero once the whole table is released, so before
    marginals are taken, as a reader of the release would do.
    """
    difference(released, original)
    return float(marginal_variations([released], original, (ways,))[ways][0])


def marginal_variations(
    releases: Sequence[npt.ArrayLike], original: npt.ArrayLike, ways: Sequence[int]
) -> dict[int, FloatArray]:
    """:func:`marginal_variation` of several releases and of several ``ways``, from marginals that share their sums."""
    before = as_floats(original)
    for way in ways:
        if not 1 <= way <= before.ndim:
            raise ParameterError(
                f"must lie between 1 and {before.ndim}, the number of attributes", parameter="ways", got=way
            )
    if before.sum() <= 0:
        raise ParameterError(_NOTHING, parameter="original")
    after = np.stack([as_floats(released) for released in releases], axis=-1)
    np.maximum(after, 0.0, out=after)
    totals = after.reshape(-1, len(releases)).sum(axis=0)
    scale = np.where(totals > 0, totals, 1.0)
    sums: dict[int, FloatArray] = {way: np.zeros(len(releases)) for way in ways}
    pairs = zip(_marginals(after, before.ndim, ways), _marginals(before[..., None], before.ndim, ways), strict=True)
    for (kept, mine), (_, theirs) in pairs:
        apart = mine.reshape(-1, len(releases)) / scale
        apart -= theirs.reshape(-1, 1) / before.sum()
        sums[len(kept)] += np.abs(apart, out=apart).sum(axis=0)
    number = {way: len(list(itertools.combinations(range(before.ndim), way))) for way in ways}
    return {way: np.where(totals > 0, 0.5 * sums[way] / number[way], 1.0) for way in ways}


def _marginals(counts: FloatArray, axes: int, ways: Sequence[int]) -> Iterator[tuple[tuple[int, ...], FloatArray]]:
    """All marginals of so many axes with what is kept of them; the last axis of ``counts`` always is.

    A marginal is summed from the one that keeps its smallest missing axis as well: the large axes go first, and what is
    left to add up is soon small.
    """
    sizes = counts.shape
    known: dict[tuple[int, ...], FloatArray] = {tuple(range(axes)): counts}

    def summed(kept: tuple[int, ...]) -> FloatArray:
        if kept not in known:
            more = min((axis for axis in range(axes) if axis not in kept), key=lambda axis: sizes[axis])
            finer = tuple(sorted((*kept, more)))
            known[kept] = as_floats(summed(finer).sum(axis=finer.index(more)))
        return known[kept]

    for way in ways:
        for kept in itertools.combinations(range(axes), way):
            yield kept, summed(kept)
