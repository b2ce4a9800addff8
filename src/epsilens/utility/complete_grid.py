"""Marginals of a complete grid of counts, from its shape alone: for universes too large to be listed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.absolute_error import absolute_sum
from epsilens.noise.law import checked_noise
from epsilens.utility.marginal_distance import MarginalDistance, Sanitised
from epsilens.utility.margins import Marginal


def grid_distances(
    shape: Mapping[str, int],
    people: int,
    noise: Noise,
    marginals: Sequence[Marginal],
    sanitised: Sanitised = "table",
) -> list[MarginalDistance]:
    """:func:`epsilens.utility.marginal_distances` of a table that has a count for every combination of levels.

    All cells of a marginal add up equally many counts, so that E TVD = (C / 2 n) E|S_m|, with S_m the sum of m = N / C
    draws of noise (of one draw if ``sanitised="marginals"``). Symbols: N is the number of counts, the product of
    ``shape``; C is the number of cells of the marginal, the product of its columns' levels; n is ``people``.

    Source: P0 section 5.3, footnote 8.
    Assumes no structural zeros, and what :func:`epsilens.utility.marginal_distances` assumes.
    """
    checked_noise(noise)
    one_of("sanitised", sanitised, ("table", "marginals"))
    if people < 1:
        raise ParameterError("must be at least 1", parameter="people", got=people)
    total, cache = math.prod(shape.values()), dict[int, float]()
    found = []
    for marginal in marginals:
        cells = math.prod(shape[name] for name in marginal)
        terms = 1 if sanitised == "marginals" else total // cells
        if terms not in cache:
            cache[terms] = absolute_sum(noise, terms)
        found.append(MarginalDistance(tuple(marginal), cells, cells * cache[terms] / (2.0 * people)))
    return found
