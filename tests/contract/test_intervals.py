"""Every interval that is printed covers at least as often as it says: 20,000 draws of noise for each kind.

Noise is drawn from the laws and goes through the same fits and interval functions as a release, all draws at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.budget import ZCDP, Budget, PureDP
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.release.fitting.tree import consistent, least_squares
from epsilens.release.samplers import SecureNoise
from epsilens.release.statistics import (
    KINDS,
    Covariance,
    CovarianceMatrix,
    Mean,
    PooledCovariance,
    PooledVariance,
    Proportion,
    Proportions,
    Variance,
)
from epsilens.release.statistics.kinds import Statistic
from epsilens.release.statistics.noise import NoisePlan, noise_plan
from epsilens.release.statistics.postprocessing import half_width_in_steps
from epsilens.release.statistics.postprocessing import processed as processed_statistic
from epsilens.release.tables.plan import Plan, TablePlan, make_plan
from epsilens.release.tables.postprocessing import Choices, processed
from epsilens.release.tables.tree import OrderedTree
from epsilens.release.universe import Universe, declared_universe, public_schema
from epsilens.table import Schema
from epsilens.table.domain import Domain

pytestmark = pytest.mark.slow

DRAWS = 20_000
CONFIDENCE = 0.95
LEVELS = {"a": list("xy"), "b": list("pqr"), "c": list("mnop")}
ZEROS: list[dict[str, object]] = [{"a": "x", "b": ["p", "q"]}, {"b": "r", "c": "m"}]
MARGINALS: dict[str, list[tuple[str, ...]]] = {
    "total and column": [(), ("a",)],
    "levels": [("a",), ("a", "b"), ("a", "b", "c")],
    "total and table": [(), ("a", "b", "c")],
    "overlapping": [("a", "b"), ("b", "c"), ("a", "c")],
    "overlapping, unequal": [("a",), ("b", "a"), ("c",)],
}
SHARES = {"overlapping, unequal": [1.0, 4.0, 2.0]}
BUDGETS: list[tuple[str, Budget]] = [
    *(("discrete-laplace", PureDP(epsilon)) for epsilon in (0.1, 0.5, 1.0, 2.6, 4.0, 7.8, 10.0)),
    *(("discrete-gaussian", ZCDP(rho)) for rho in (0.005, 0.5, 1.38, 4.0)),
    ("laplace", PureDP(2.6)),
    ("gaussian", ZCDP(1.38)),
]


def least(confidence: float = CONFIDENCE, draws: int = DRAWS) -> float:
    """The nominal coverage less three standard errors."""
    return confidence - 3.0 * math.sqrt(confidence * (1.0 - confidence) / draws)


def coverage(errors: FloatArray, half_widths: FloatArray) -> list[float]:
    """For each kind of cell, those with the same half width, how often the interval covers.

    The average over cells of one kind is known at least as well as each of them.
    """
    covered = (np.abs(errors) <= half_widths).mean(axis=0)
    kinds = np.round(half_widths, 9)
    return [float(covered[kinds == kind].mean()) for kind in np.unique(kinds)]


def universe(zeros: bool) -> Universe:
    schema = Schema(["a", "b"], "c", universe=LEVELS, structural_zeros=ZEROS if zeros else None)
    return declared_universe(public_schema(schema))


def planned(mechanism: str, budget: Budget, marginals: str) -> Plan:
    names, shares = MARGINALS[marginals], SHARES.get(marginals)
    return make_plan(tuple(LEVELS), mechanism, budget, marginals=names, shares=shares, allow_continuous=True)


def drawn(tables: Sequence[TablePlan], parts: Sequence[Universe], seed: int, draws: int = DRAWS) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [t.noise.law.sample((draws, u.n_cells), rng) for t, u in zip(tables, parts, strict=True)]


def fitted(plan: Plan, whole: Universe, confidence: float = CONFIDENCE, seed: int = 1) -> list[float]:
    """How often the intervals of consistent counts cover, for each kind of count of each table."""
    parts = [whole.marginal(table.columns)[0] for table in plan.tables]
    noise = drawn(plan.tables, parts, seed)
    errors, _ = consistent(whole, parts, noise, [table.noise.law.variance for table in plan.tables])
    nothing = [np.zeros(part.n_cells) for part in parts]
    tables, _ = processed(plan.tables, parts, nothing, Choices(consistent=True, confidence=confidence), whole)
    return [
        share
        for error, table in zip(errors, tables, strict=True)
        for share in coverage(error, np.asarray(table.upper, dtype=float))
    ]


@pytest.mark.parametrize("zeros", [False, True], ids=["complete", "structural zeros"])
@pytest.mark.parametrize("marginals", MARGINALS)
def test_intervals_of_consistent_counts_cover_and_are_no_wider_than_they_must_be(marginals: str, zeros: bool) -> None:
    whole, found = universe(zeros), []
    for mechanism, budget in BUDGETS:
        shares = fitted(planned(mechanism, budget, marginals), whole)
        assert min(shares) >= least(), (mechanism, budget)
        found += shares
    assert np.mean(found) < CONFIDENCE + 0.01  # atoms alone make some of them wider


@pytest.mark.parametrize(("mechanism", "budget"), BUDGETS[1:8:3])
def test_intervals_of_a_tree_below_a_public_total_cover(mechanism: str, budget: Budget) -> None:
    levels = {"x": tuple(f"l{i}" for i in range(6))}
    grown = OrderedTree("x").over(("x",), levels)
    whole = grown.extended(declared_universe(public_schema(Schema(["x"], universe=levels))))
    plan = make_plan(("x",), mechanism, budget, neighbours="substitute", tree=grown)
    parts = [whole.marginal(table.columns)[0] for table in plan.tables]
    noise = drawn(plan.tables, parts, seed=11)
    fit = least_squares(whole, parts, [table.noise.law.variance for table in plan.tables], 0)
    nothing = [np.zeros(part.n_cells) for part in parts]
    tables, _ = processed(plan.tables, parts, nothing, Choices(consistent=True, public_total=0), whole)
    shares = [
        share
        for error, table in zip(fit.fitted(noise), tables, strict=True)
        for share in coverage(error, np.asarray(table.upper, dtype=float))
    ]
    assert min(shares) >= least()
    assert np.mean(shares) < CONFIDENCE + 0.01


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.99, 0.999])
def test_intervals_of_other_confidences_cover(confidence: float) -> None:
    for mechanism, budget in BUDGETS[2:6]:
        shares = fitted(planned(mechanism, budget, "levels"), universe(False), confidence, seed=2)
        assert min(shares) >= least(confidence)


@pytest.mark.parametrize("marginals", ["levels", "overlapping"])
def test_non_negative_consistent_counts_have_intervals_that_cover_no_less(marginals: str) -> None:
    """Each holds its count and all that the interval before it holds from 0 on, so its coverage is at least that."""
    whole, plan = universe(True), planned("discrete-laplace", PureDP(2.6), marginals)
    parts = [whole.marginal(table.columns)[0] for table in plan.tables]
    for noise in zip(*drawn(plan.tables, parts, seed=3, draws=20), strict=True):
        plain, _ = processed(plan.tables, parts, noise, Choices(consistent=True), whole)
        kept, _ = processed(plan.tables, parts, noise, Choices(consistent=True, non_negative=True), whole)
        for before, after in zip(plain, kept, strict=True):
            assert (after.lower >= 0.0).all()
            assert (after.lower <= np.maximum(before.lower, 0.0)).all()
            assert (after.upper >= before.upper).all()
            assert ((after.lower <= after.counts) & (after.counts <= after.upper)).all()


LAWS: list[Noise] = [
    *(DiscreteLaplaceNoise(1.0 / epsilon) for epsilon in (0.1, 1.0, 2.6, 4.0, 7.8, 10.0)),
    *(DiscreteGaussianNoise(math.sqrt(0.5 / rho)) for rho in (0.005, 1.38, 10.0)),
    *(LaplaceNoise(1.0 / epsilon) for epsilon in (0.1, 2.6, 7.8)),
    *(GaussianNoise(math.sqrt(0.5 / rho)) for rho in (0.005, 1.38)),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("truth", [0, 2, 1000])
def test_intervals_of_single_counts_cover_whatever_is_done_to_them(law: Noise, truth: int) -> None:
    noisy = truth + law.sample(DRAWS, np.random.default_rng(4))
    cells = Universe(Domain(("cell",), (tuple(map(str, range(DRAWS))),)), np.arange(DRAWS, dtype=np.int32)[:, None])
    table = TablePlan(("cell",), Decimal(1), PureDP(1.0), SecureNoise(law, None, 0.0))
    for rounded in (False,) if law.integer_valued else (False, True):
        for non_negative in (False, True):
            counts = noisy.astype(np.int64) if law.integer_valued else noisy
            (found,), _ = processed([table], [cells], [counts], Choices(rounded, non_negative))
            covered = (found.lower <= truth) & (truth <= found.upper)
            assert covered.mean() >= least()
            assert ((found.lower <= found.counts) & (found.counts <= found.upper)).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.6, 7.8])
def test_intervals_of_cells_that_are_shown_cover_among_those_that_are_shown(epsilon: float) -> None:
    plan = make_plan(("cell",), "discrete-laplace", PureDP(epsilon), threshold_at=1e-6).tables[0]
    law, tau, rng = plan.noise.law, plan.threshold, np.random.default_rng(5)
    assert tau is not None
    k = np.arange(-law.reach(1e-12), 4 * tau + law.reach(1e-12) + 1.0)
    for truth in sorted({1, 2, tau // 2, tau - 1, tau, tau + 1, 2 * tau, 3 * tau}):
        above = k[truth + k >= tau]  # the law of the noise given that the cell is shown
        chances = np.exp(law.logdensity(above) - law.logsf(tau - truth - 1.0))
        noisy = truth + rng.choice(above, DRAWS, p=chances / chances.sum()).astype(np.int64)
        cells = Universe(Domain(("cell",), (tuple(map(str, range(DRAWS))),)), np.arange(DRAWS, dtype=np.int32)[:, None])
        (found,), _ = processed([plan], [cells], [noisy], Choices())
        assert ((found.lower <= truth) & (truth <= found.upper)).mean() >= least()
        assert ((found.lower <= noisy) & (noisy <= found.upper)).all()


STATISTICS = [
    (Mean("x", 0, 10), "clamped"),
    (Mean("x", 0, 10), "none"),
    (Mean("x", 0, 10), "truncated"),
    (Proportion("x", "a"), "clamped"),
    (Proportions("x", ["a", "b", "c"]), "clamped"),
    (Proportions("x", ["a", "b", "c"], adding_up="rescale"), "clamped"),
    (Variance("x", 0, 10), "truncated"),
    (Covariance(["x", "y"], [0, 0], [1, 2]), "clamped"),
    (PooledVariance("x", 0, 10, "g", ["a", "b"]), "clamped"),
    (PooledCovariance(["x", "y"], [0, 0], [1, 2], "g", ["a", "b"]), "none"),
    (CovarianceMatrix(["x", "y"], [0, 0], [1, 2]), "clamped"),
]


def test_every_kind_of_statistic_is_tried() -> None:
    tried = {type(statistic).__name__ for statistic, _ in STATISTICS}
    assert tried == {kind.__name__ for kind in KINDS.values()}


def statistic_coverage(plan: NoisePlan, truth: Sequence[Fraction]) -> list[float]:
    """How often the interval of each number covers ``truth``, in units of the bounds.

    The true number lies in its range, so what is cut at the range's ends does not matter.
    """
    rng, half = np.random.default_rng(6), half_width_in_steps(plan, CONFIDENCE)
    shares = []
    for value, (low, high) in zip(truth, plan.ranges, strict=True):
        point = math.floor(value / plan.grid + Fraction(1, 2))
        noise = plan.law.sample(DRAWS, rng)
        if plan.bounding == "truncated":
            first, last = math.ceil(Fraction(low) / plan.grid), math.floor(Fraction(high) / plan.grid)
            point = min(max(point, first), last)
            noise = np.concatenate([noise, plan.law.sample(9 * DRAWS, rng)])
            noise = noise[(noise >= first - point) & (noise <= last - point)][:DRAWS]
            assert len(noise) > DRAWS // 2
        off = float(point - value / plan.grid)  # by rounding
        shares.append(float((np.abs(noise + off) <= float(half)).mean()))
    for _ in range(5):  # the real path says the same
        noisy = [
            (math.floor(v / plan.grid + Fraction(1, 2)) + int(plan.law.sample(1, rng)[0])) * plan.grid for v in truth
        ]
        if plan.bounding == "truncated":
            noisy = [min(max(noisy[0], Fraction(plan.ranges[0][0])), Fraction(plan.ranges[0][1]))]
        found = processed_statistic(plan, noisy, CONFIDENCE)
        for k, (offset, width) in enumerate(plan.statistic.units()):
            inside = found.lower[k] <= float(offset + width * truth[k]) <= found.upper[k]
            assert inside >= (abs(noisy[k] - truth[k]) <= half * plan.grid)
            assert found.lower[k] <= found.values[k] <= found.upper[k]
    return shares


@pytest.mark.parametrize(("statistic", "bounding"), STATISTICS, ids=lambda value: getattr(value, "name", value))
@pytest.mark.parametrize("n", [20, 2**58])  # of so many records the grid is as coarse as 64-bit numbers make it
def test_intervals_of_statistics_cover(statistic: Statistic, bounding: str, n: int) -> None:
    for epsilon in (0.1, 1.0, 2.6, 7.8, 10.0):
        plan = noise_plan(statistic, Decimal(1), PureDP(epsilon), n, "substitute", bounding=bounding)
        for share in (0.0, 1.0 / 3.0, 0.5):
            truth = [Fraction(low) + Fraction(share) * (Fraction(high) - Fraction(low)) for low, high in plan.ranges]
            assert min(statistic_coverage(plan, truth)) >= least(), (epsilon, share)
