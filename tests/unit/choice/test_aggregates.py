from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.choice.aggregates import Maximum, MeanRisk, PeopleAbove, Quantile, aggregate
from epsilens.errors import ParameterError


def test_aggregates_against_people_one_by_one() -> None:
    risks = np.array([0.1, 0.7, 0.3, 0.3, 0.9])
    cells = np.array([1, 1, 1, 2, 1])
    people = np.array([3, 3, 5, 6, 1])
    each = np.sort(np.repeat(risks, people))
    per_cell = np.sort(np.repeat(risks, cells))
    assert MeanRisk().value(risks, people, cells) == pytest.approx(each.mean())
    assert MeanRisk(weighted=False).value(risks, people, cells) == pytest.approx(per_cell.mean())
    assert Maximum().value(risks, people, cells) == 0.9
    for level in (0.05, 0.5, 0.77, 0.95, 0.99):
        least = next(r for r in each if (each <= r).mean() >= level - 1e-12)
        assert Quantile(level).value(risks, people, cells) == least
        least = next(r for r in per_cell if (per_cell <= r).mean() >= level - 1e-12)
        assert Quantile(level, weighted=False).value(risks, people, cells) == least
    for limit, bar in itertools.product((0, 1, 3, 4, 17, 18, 30), (0.05, 0.1, 0.3, 0.65, 0.7, 0.9)):
        assert (PeopleAbove(limit).value(risks, people, cells) <= bar) == ((each > bar).sum() <= limit)


def test_aggregate_names() -> None:
    for name in ("mean", "cell-mean", "max", "q95", "cell-q95", "q99.9"):
        assert aggregate(name).name == name
    assert aggregate(MeanRisk()) == MeanRisk()
    with pytest.raises(ParameterError, match="did you mean 'max'"):
        aggregate("maximum")
    with pytest.raises(ParameterError, match="limit must be >= 0, got -1"):
        PeopleAbove(-1)
