"""The noise of released statistics: what it covers, its law, what truncation costs, what post-processing does."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from epsilens import sensitivity
from epsilens.budget import NEIGHBOURS, Neighbours, PureDP
from epsilens.release.statistics import CovarianceMatrix, Mean, Proportion, Statistic
from epsilens.release.statistics.noise import NoisePlan, noise_plan, split, truncated_steps_epsilon
from epsilens.release.statistics.postprocessing import processed
from epsilens.table.moments import MIDDLE, STEPS, GroupSums, Moments, MomentsQuery, merged
from tests.support.released_statistics import ALL, ONE, SITES


def moments_of(rows: list[dict[str, Any]], query: MomentsQuery) -> Moments:
    """Moments without an engine; numbers are in units of the bounds."""
    groups = []
    keys = sorted({tuple(row[name] for name in query.groups) for row in rows})
    for key in keys:
        members = [row for row in rows if tuple(row[name] for name in query.groups) == key]
        c = {v: [round(row[v.column] * STEPS) - MIDDLE for row in members] for v in query.all_variables}
        products = {(v, w): sum(x * y for x, y in zip(c[v], c[w], strict=True)) for v, w in query.pairs}
        sums = {v: sum(values) for v, values in c.items()}
        groups.append(GroupSums(dict(zip(query.groups, key, strict=True)), len(members), sums, products))
    counts = {
        (column, level): sum(row[column] == level for row in rows)
        for column, levels in query.levels.items()
        for level in levels
    }
    return Moments(query, len(rows), 0, len(rows), {}, {}, counts, tuple(groups))


RECORDS = [
    {"a": a, "b": b, "sex": sex, "site": site}
    for a, b, sex, site in itertools.product((0.0, 1.0), (0.0, 1.0), ("f", "m"), SITES)
]


@pytest.mark.parametrize("statistic", ALL, ids=lambda s: s.kind)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_what_gets_noise_never_moves_further_than_the_noise_covers(
    statistic: Statistic, neighbours: Neighbours
) -> None:
    """Corner data sets at random, after rounding to the grid: the l1 distance in steps is at most the plan's."""
    rng = np.random.default_rng(11)
    query, size, largest = merged([statistic.query]), 6, 0.0
    plan = noise_plan(statistic, Decimal(1), ONE, size, neighbours)

    def points(rows: list[dict[str, Any]]) -> list[int]:
        return [math.floor(x / plan.grid + Fraction(1, 2)) for x in statistic.exact(moments_of(rows, query))]

    tried = 0
    while tried < 150:
        rows = [RECORDS[i] for i in rng.integers(0, len(RECORDS), size)]
        if rng.random() < 0.5:  # nearly all alike: where most statistics are worst
            rows = [rows[0]] * (size - 2) + [{**rows[0], "site": SITES[rows[0]["site"] == "n"]}] * 2
        other = [*rows[1:]] if neighbours == "add-remove" else [*rows[1:], RECORDS[rng.integers(0, len(RECORDS))]]
        if any(sum(row["site"] == site for row in data) < 2 for data in (rows, other) for site in SITES):
            continue
        tried += 1
        largest = max(largest, sum(abs(x - y) for x, y in zip(points(rows), points(other), strict=True)))
    assert largest <= plan.steps
    assert largest >= 0.2 * plan.steps  # the search is worth something


def test_the_matrix_sensitivity_is_attained() -> None:
    matrix = CovarianceMatrix(("a", "b"), (0, 0), (1, 1))
    query = merged([matrix.query])
    zeros = [{"a": 0.0, "b": 0.0}] * 5
    moved = zip(
        matrix.exact(moments_of([*zeros, {"a": 1.0, "b": 1.0}], query)),
        matrix.exact(moments_of([*zeros, {"a": 0.0, "b": 0.0}], query)),
        strict=True,
    )
    assert float(sum(abs(x - y) for x, y in moved)) == pytest.approx(matrix.sensitivity(6, "substitute"), rel=1e-12)


def test_the_scale_is_sensitivity_over_epsilon_in_the_units_of_the_data() -> None:
    expected = {
        "mean": sensitivity.mean(40, 0, 10, "substitute"),
        "variance": sensitivity.variance(40, 0, 10, "substitute"),
        "covariance": sensitivity.covariance(40, (0, -2), (10, 2), "substitute"),
        "proportion": 1 / 40,
        "proportions": 2 / 40,
        "pooled-variance": 100 / 38,
        "pooled-covariance": 2 * 40 / 38,  # the record may change its group
    }
    for statistic in ALL:
        if statistic.kind in expected:
            plan = noise_plan(statistic, Decimal(1), PureDP(0.5), 40, "substitute")
            scale = plan.law.size * plan.step_sizes[0]
            assert scale == pytest.approx(expected[statistic.kind] / 0.5, rel=1e-6), statistic.kind


def test_draws_follow_the_law_of_the_plan() -> None:
    plan = noise_plan(Mean("a", 0, 10), Decimal(1), PureDP(0.5), 40, "substitute")
    draws = plan.noise.added(np.zeros(20_000, dtype=np.int64)) * plan.step_sizes[0]
    assert stats.kstest(draws, stats.laplace(scale=10 / 40 / 0.5).cdf).pvalue > 1e-6
    assert np.unique(draws).size > 19_900  # a fine grid


def test_the_whole_way_from_truth_to_release_is_unbiased_and_covers() -> None:
    plan = noise_plan(Mean("a", 0, 10), Decimal(1), ONE, 20, "add-remove", bounding="none")
    truth = Fraction(3, 10)
    found = [processed(plan, plan.drawn([truth]), 0.8) for _ in range(600)]
    values = np.array([one.value for one in found])
    scale = 10 / 20
    assert stats.kstest(values - 3.0, stats.laplace(scale=scale).cdf).pvalue > 1e-6
    covered = np.mean([one.lower[0] <= 3.0 <= one.upper[0] for one in found])
    assert abs(covered - 0.8) < 5 * math.sqrt(0.8 * 0.2 / 600)
    assert found[0].standard_errors[0] == pytest.approx(math.sqrt(2) * scale, rel=1e-6)


def test_truncated_epsilon_equals_brute_force() -> None:
    for room, steps, scale in itertools.product((5, 9), (1, 3, 5), (0.7, 2.0, 30.0)):
        x = np.arange(room + 1)
        logs = -np.abs(x[None, :] - x[:, None]) / scale
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        worst = max((logs[t] - logs[u]).max() for t in x for u in x if abs(t - u) <= steps)
        assert truncated_steps_epsilon(scale, steps, room) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0])
def test_truncated_noise_pays_for_itself_and_lies_inside(epsilon: float) -> None:
    plan = noise_plan(Proportion("s", "f"), Decimal(1), PureDP(epsilon), 10, "substitute", bounding="truncated")
    room = math.floor(1 / plan.grid)
    spent = truncated_steps_epsilon(plan.law.size, plan.steps, room)
    assert spent <= epsilon
    assert spent == pytest.approx(epsilon, rel=1e-5)
    assert plan.law.size >= plan.steps / epsilon
    assert all(0 <= plan.drawn([Fraction(1, 10)])[0] <= 1 for _ in range(20))


def test_shares_are_rounded_down() -> None:
    parts = split(PureDP(0.1), 3, None)
    assert sum((Decimal(repr(part.epsilon)) for _, part in parts), Decimal(0)) <= Decimal("0.1")
    plan: NoisePlan = noise_plan(Mean("a", 0, 1), *parts[0], 10, "substitute")
    assert Fraction(plan.noise.price) <= Fraction(Decimal(repr(plan.budget.epsilon)))
