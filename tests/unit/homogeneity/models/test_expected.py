from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.homogeneity import (
    FixedSize,
    NegativeBinomialSize,
    PoissonSize,
    ZeroInflatedSize,
    expected,
    local,
    marginal,
    marginal_shrinkage,
    shrinkage,
)
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.models.sizes import SizeModel, truncated_pmf
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.frequency import FrequencyTable
from tests.unit.homogeneity.enumeration import dirichlet_multinomial, enumerated, multinomial

NOISES = [DiscreteLaplaceNoise(0.8), DiscreteLaplaceNoise(30.0), DiscreteGaussianNoise(1.1), GaussianNoise(2.0)]
CELLS = [(1, 0), (3, 2), (0, 4), (1, 1, 1), (4, 0, 2), (2, 2, 3), (5, 1, 0, 0), (2, 1, 1, 1), (3, 2, 2, 1)]
MATCHES: list[Match] = ["any", "share"]
SMALL_LAWS: list[SizeModel] = [
    FixedSize(3),
    PoissonSize(0.2),
    NegativeBinomialSize(3.0, 0.05),
    ZeroInflatedSize(PoissonSize(0.1), 0.5),
    ZeroInflatedSize(NegativeBinomialSize(0.8, 0.03), 0.7),
]


def cell_table(*cells: Sequence[int]) -> FrequencyTable:
    """A table with these cells; -1 is a label that cannot occur."""
    matrix = np.array(cells)
    return FrequencyTable.from_counts(np.maximum(matrix, 0), structural_zeros=matrix < 0)


def summed_over_sizes(law: SizeModel, at_size: list[float]) -> float:
    """Expectation of ``at_size`` (n = 1, 2, ...) under ``law`` given n >= 1."""
    return float(truncated_pmf(law, np.arange(1, len(at_size) + 1)) @ np.array(at_size))


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_expected_agrees_with_enumeration(cell: tuple[int, ...], noise: Noise, match: Match) -> None:
    size = sum(cell)
    reference = enumerated(size, multinomial([c / size for c in cell]), len(cell), noise, match)
    assert expected(cell_table(cell), noise, match)[0] == pytest.approx(reference, abs=1e-12)


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("alpha", [(0.5, 1.5), (2.0, 0.1, 0.7), (1.0, 1.0, 1.0, 1.0), (40.0, 1e-3, 3.0)], ids=str)
def test_shrinkage_agrees_with_enumeration(alpha: tuple[float, ...], noise: Noise, match: Match) -> None:
    table = cell_table(*[(n, *[0] * (len(alpha) - 1)) for n in range(1, 9)])
    law = dirichlet_multinomial(alpha)
    reference = [enumerated(n, law, len(alpha), noise, match) for n in range(1, 9)]
    np.testing.assert_allclose(shrinkage(table, noise, alpha, match), reference, rtol=0, atol=1e-12)


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("law", SMALL_LAWS, ids=repr)
@pytest.mark.parametrize("noise", NOISES[:3], ids=repr)
def test_marginal_measures_agree_with_enumeration(law: SizeModel, noise: Noise, match: Match) -> None:
    largest = min(law.largest, 14)
    assert float(truncated_pmf(law, np.arange(largest + 1)).sum()) == pytest.approx(1.0, abs=1e-11)
    cells = [(2, 1), (3, 0), (1, 1)]
    for cell in cells:
        shares = multinomial([c / sum(cell) for c in cell])
        reference = summed_over_sizes(law, [enumerated(n, shares, 2, noise, match) for n in range(1, largest + 1)])
        assert marginal(cell_table(cell), noise, law, match)[0] == pytest.approx(reference, abs=1e-10)
    three = multinomial([0.5, 0.25, 0.25])
    largest = min(law.largest, 10)
    reference = summed_over_sizes(law, [enumerated(n, three, 3, noise, match) for n in range(1, largest + 1)])
    assert marginal(cell_table((2, 1, 1)), noise, law, match)[0] == pytest.approx(reference, abs=1e-10)
    drawn = dirichlet_multinomial([0.4, 1.3, 2.0])
    reference = summed_over_sizes(law, [enumerated(n, drawn, 3, noise, match) for n in range(1, largest + 1)])
    generic = marginal_shrinkage(cell_table((2, 1, 1)), noise, law, [0.4, 1.3, 2.0], match)
    assert generic == pytest.approx(reference, abs=1e-10)


@pytest.mark.parametrize("match", MATCHES)
def test_structural_zeros_are_never_shown_and_leave_the_dirichlet_law(match: Match) -> None:
    noise = DiscreteLaplaceNoise(1.5)
    cell, possible = (2, -1, 1, 0), [True, False, True, True]
    table = cell_table(cell)
    reference = enumerated(3, multinomial([2 / 3, 0.0, 1 / 3, 0.0]), 4, noise, match, possible)
    assert expected(table, noise, match)[0] == pytest.approx(reference, abs=1e-12)
    sizes = [enumerated(n, multinomial([2 / 3, 0.0, 1 / 3, 0.0]), 4, noise, match, possible) for n in (1, 2, 3)]
    assert marginal(table, noise, FixedSize(2), match)[0] == pytest.approx(sizes[1], abs=1e-12)
    kept = enumerated(3, dirichlet_multinomial([0.5, 0.9, 2.0]), 3, noise, match)
    assert shrinkage(table, noise, [0.5, 7.0, 0.9, 2.0], match)[0] == pytest.approx(kept, abs=1e-12)
    generic = marginal_shrinkage(table, noise, FixedSize(3), [0.5, 7.0, 0.9, 2.0], match)
    assert generic == pytest.approx(kept, abs=1e-12)


def test_a_generic_cell_averages_over_what_is_possible_in_the_cells() -> None:
    noise, alpha, law = GaussianNoise(1.0), [0.5, 1.0, 0.9], FixedSize(4)
    all_three = marginal_shrinkage(cell_table((2, 1, 1)), noise, law, alpha)
    without = marginal_shrinkage(cell_table((2, -1, 1)), noise, law, alpha)
    mixed = marginal_shrinkage(cell_table((2, 1, 1), (5, 0, 1), (2, -1, 1), (0, 0, -1)), noise, law, alpha)
    assert mixed == pytest.approx((2 * all_three + without) / 3, abs=1e-14)


def test_empty_cells_have_no_risk_and_the_only_possible_label_cannot_mislead() -> None:
    table = cell_table((0, 0), (3, 1), (-1, 2))
    noise = LaplaceNoise(1.0)
    for risks in (expected(table, noise), shrinkage(table, noise), marginal(table, noise)):
        assert risks[0] == 0.0
        assert (risks[1:] > 0).all()
    assert expected(table, noise)[2] == pytest.approx(float(noise.sf(0.5 - 2)), abs=1e-14)
    assert shrinkage(table, noise, [1.0, 1.0])[2] == pytest.approx(float(noise.sf(0.5 - 2)), abs=1e-12)


@pytest.mark.parametrize("noise", [LaplaceNoise(1.5), GaussianNoise(0.8)], ids=repr)
@pytest.mark.parametrize("match", MATCHES)
def test_measures_agree_with_simulation(noise: Noise, match: Match) -> None:
    rng = np.random.default_rng(20260714)
    repeats = 200_000
    cell, alpha, law = np.array([6, 3, 1]), np.array([0.6, 1.1, 0.3]), NegativeBinomialSize(0.9, 4.0)
    sizes = rng.negative_binomial(law.shape, law.shape / (law.shape + law.mean), 4 * repeats)
    sizes = sizes[sizes > 0][:repeats]
    own_shares, drawn = np.tile(cell / 10, (repeats, 1)), rng.dirichlet(alpha, repeats)
    table = cell_table(tuple(cell))
    for draws, value in (
        (rng.multinomial(10, own_shares), expected(table, noise, match)[0]),
        (rng.multinomial(10, drawn), shrinkage(table, noise, alpha, match)[0]),
        (rng.multinomial(sizes, own_shares), marginal(table, noise, law, match)[0]),
        (rng.multinomial(sizes, drawn), marginal_shrinkage(table, noise, law, alpha, match)),
    ):
        shown = draws + noise.sample(draws.shape, rng) >= 0.5
        alone = shown & (shown.sum(axis=1, keepdims=True) == 1)
        worth = draws > 0 if match == "any" else draws / draws.sum(axis=1, keepdims=True)
        outcomes = (alone * worth).sum(axis=1)
        assert abs(outcomes.mean() - value) < 5 * outcomes.std() / math.sqrt(repeats)


@given(
    cell=st.lists(st.integers(0, 12), min_size=2, max_size=5).filter(lambda c: sum(c) > 0),
    log_scale=st.floats(-7.0, 14.0),
    gaussian=st.booleans(),
    match=st.sampled_from(MATCHES),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_risks_are_probabilities_and_labels_have_no_names(
    cell: list[int], log_scale: float, gaussian: bool, match: Match, seed: int
) -> None:
    """Epsilon from 1e-6 to 1e3: no warning (warnings are errors), risks in [0, 1], and labels may be permuted."""
    scale = math.exp(log_scale)
    noise: Noise = GaussianNoise(scale) if gaussian else LaplaceNoise(scale)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(cell))
    alpha = rng.gamma(0.7, 1.0, len(cell)) + 1e-6
    law = NegativeBinomialSize(0.8, 3.0)
    table, permuted = cell_table(cell), cell_table([cell[k] for k in order])
    for here, there in (
        (expected(table, noise, match)[0], expected(permuted, noise, match)[0]),
        (shrinkage(table, noise, alpha, match)[0], shrinkage(permuted, noise, alpha[order], match)[0]),
        (marginal(table, noise, law, match)[0], marginal(permuted, noise, law, match)[0]),
        (
            marginal_shrinkage(table, noise, law, alpha, match),
            marginal_shrinkage(permuted, noise, law, alpha[order], match),
        ),
    ):
        assert 0.0 <= here <= 1.0
        assert here == pytest.approx(there, abs=1e-12)


@given(size=st.integers(1, 100_000), labels=st.integers(2, 6), log_scale=st.floats(-7.0, 14.0))
@settings(max_examples=30, deadline=None)
def test_expected_is_local_for_homogeneous_cells(size: int, labels: int, log_scale: float) -> None:
    table = cell_table((size, *[0] * (labels - 1)))
    noise = LaplaceNoise(math.exp(log_scale))
    assert expected(table, noise)[0] == pytest.approx(local(table, noise)[0], abs=1e-15)


@given(
    counts=st.lists(st.integers(1, 40_000), min_size=2, max_size=3),
    log_scale=st.floats(-3.0, 12.0),
)
@settings(max_examples=25, deadline=None)
def test_large_cells_are_stable(counts: list[int], log_scale: float) -> None:
    """Share risk is at most any risk, and two labels can be summed the plain way."""
    noise = LaplaceNoise(math.exp(log_scale))
    table = cell_table(counts)
    any_risk, share_risk = expected(table, noise)[0], expected(table, noise, "share")[0]
    assert -1e-15 <= share_risk <= any_risk + 1e-12 <= 1.0 + 1e-12
    if len(counts) == 2:
        size = sum(counts)
        m = np.arange(size + 1)
        hidden = noise.cdf(0.5 - m)
        first, second = (m > 0) * noise.sf(0.5 - m) * hidden[::-1], (m < size) * noise.sf(0.5 - m[::-1]) * hidden
        reference = float(stats.binom.pmf(m, size, counts[0] / size) @ (first + second))
        assert any_risk == pytest.approx(reference, abs=1e-9)  # scipy's binomial has no more digits there


def test_a_large_cell_has_the_risk_of_its_rarest_labels_vanishing() -> None:
    """n = 100,000 with one person of each of two other labels: Poisson(1) counts decide."""
    noise = DiscreteLaplaceNoise(1.0)
    risk = expected(cell_table((99_998, 1, 1)), noise)[0]
    counts = np.arange(60)
    poisson = np.exp(-1.0 - np.array([math.lgamma(c + 1.0) for c in counts]))
    assert risk == pytest.approx(float(poisson @ noise.cdf(0.5 - counts)) ** 2, abs=2e-5)


@pytest.mark.parametrize(
    ("measure", "per_cell"),
    [("expected", expected), ("shrinkage", shrinkage), ("marginal", marginal)],
)
@pytest.mark.parametrize("match", MATCHES)
def test_prepared_measures_average_the_cells(measure: str, per_cell: object, match: Match) -> None:
    assert callable(per_cell)
    table = cell_table((3, 1, 0), (1, 3, 0), (0, 2, -1), (2, 2, 2), (0, 0, 0), (7, 0, 1))
    noise = LaplaceNoise(0.7)
    prepared = prepare(measure, table, match=match)
    for weighted in (True, False):
        cells = el.average(per_cell(table, noise, match=match), table, weighted)
        assert prepared.average(noise, weighted) == pytest.approx(cells, abs=1e-14)


def test_curves_know_the_measures() -> None:
    table = cell_table((3, 1, 0), (1, 3, 0), (0, 2, 1), (5, 0, 0))
    budgets = [el.PureDP(1.0)]
    noise = LaplaceNoise(1.0)
    curve = el.risk_curve(table, budgets=budgets, measure="marginal-shrinkage", weighted=True)
    assert curve.risks[0] == pytest.approx(marginal_shrinkage(table, noise), abs=1e-14)
    unweighted = el.risk_curve(table, budgets=budgets, measure="marginal-shrinkage", weighted=False)
    assert unweighted.risks[0] == pytest.approx(curve.risks[0], abs=1e-14)
    given_law = el.risk_curve(table, budgets=budgets, measure="marginal", size_model=PoissonSize(2.0), match="share")
    cells = marginal(table, noise, PoissonSize(2.0), "share")
    assert given_law.risks[0] == pytest.approx(el.average(cells, table), abs=1e-14)


def test_bad_options_are_refused() -> None:
    table = cell_table((3, 1), (1, 3))
    noise = LaplaceNoise(1.0)
    with pytest.raises(ParameterError, match=r"match must be one of any, share"):
        expected(table, noise, "all")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"alpha must be one of ml, moments; got 'moment'; did you mean 'moments'"):
        shrinkage(table, noise, "moment")
    with pytest.raises(ParameterError, match=r"one number per label \(2\)"):
        marginal_shrinkage(table, noise, alpha=[1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match=r"size_model must be one of"):
        marginal(table, noise, "gaussian")
    with pytest.raises(ParameterError, match=r"match must be one of any, share"):
        prepare("marginal", table, match="every")
