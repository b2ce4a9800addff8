from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.homogeneity import (
    FixedSize,
    NegativeBinomialSize,
    PoissonSize,
    local,
    published,
    published_hard,
    published_soft,
)
from epsilens.homogeneity.local import scenarios
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.thresholding import (
    hard,
    soft,
)
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.frequency import FrequencyTable

CELLS = [[3, 0, 0], [2, 1, 0], [0, 1, 0], [4, 2, 1], [1, 1, 1], [0, 0, 0]]
ALPHA = (0.7, 1.6, 0.4)


@pytest.fixture(scope="module")
def table() -> FrequencyTable:
    return FrequencyTable.from_counts(CELLS)


def laplace_prices(n: int, epsilon: float, labels: int) -> tuple[float, float]:
    """The two prices as P0 prints them for Laplace noise."""
    zero = 1 - 0.5 * math.exp(-0.5 * epsilon)
    own = zero ** (labels - 1) * (1 - 0.5 * math.exp((0.5 - n) * epsilon))
    bracket = math.exp(-0.5 * epsilon) + math.exp((1.5 - n) * epsilon) - math.exp((1 - n) * epsilon)
    return own, (zero ** (labels - 2) * 0.5 * bracket if n >= 2 else 0.0)


def gaussian_prices(n: int, sigma: float, labels: int) -> tuple[float, float]:
    """The two prices as P0 prints them for Gaussian noise, with the error function."""

    def erf(x: float) -> float:
        return math.erf(x / (math.sqrt(2) * sigma))

    e_i = (1 - erf(1.5 - n)) * (1 + erf(-0.5)) + (1 + erf(1.5 - n)) * (1 + erf(0.5))
    own = (1 + erf(0.5)) ** (labels - 1) / 2**labels * (1 + erf(n - 0.5))
    return own, ((1 + erf(0.5)) ** (labels - 2) / 2**labels * e_i if n >= 2 else 0.0)


def printed(noise: Noise, n: int, labels: int = 3) -> tuple[float, float]:
    if isinstance(noise, LaplaceNoise):
        return laplace_prices(n, 1 / noise.scale, labels)
    assert isinstance(noise, GaussianNoise)
    return gaussian_prices(n, noise.sigma, labels)


def literal_second_term(noise: Noise, n: int, labels: int = 3) -> float:
    """The second terms of (13) and (22), with all that stands before their sums."""
    if isinstance(noise, LaplaceNoise):
        e = 1 / noise.scale
        hidden = 1 - 0.5 * math.exp(-0.5 * e)
        bracket = math.exp(-0.5 * e) + math.exp((1.5 - n) * e) - math.exp((1 - n) * e)
        return hidden ** (labels - 1) * 0.5 * hidden ** (labels - 2) * bracket
    assert isinstance(noise, GaussianNoise)

    def one_plus(x: float) -> float:
        return 1 + math.erf(x / (math.sqrt(2) * noise.sigma))

    e_i = (2 - one_plus(1.5 - n)) * one_plus(-0.5) + one_plus(1.5 - n) * one_plus(0.5)
    return float(one_plus(0.5) ** (labels - 1) / 2**labels * one_plus(0.5) ** (labels - 2) * e_i)


def homogeneous_draw(n: int, alpha: tuple[float, ...]) -> float:
    total = sum(alpha)
    return sum(math.exp(special.betaln(a + n, total - a) - special.betaln(a, total - a)) for a in alpha)


@pytest.mark.parametrize("noise", [LaplaceNoise(0.5), LaplaceNoise(20.0), GaussianNoise(1.3)], ids=repr)
def test_the_papers_own_forms(table: FrequencyTable, noise: Noise) -> None:
    law = PoissonSize(2.5)
    for i, cell in enumerate(CELLS[:-1]):
        n = sum(cell)
        own, mixed = printed(noise, n)
        homogeneous = len([c for c in cell if c]) == 1
        chance = sum((c / n) ** n for c in cell)
        drawn = homogeneous_draw(n, ALPHA)
        size = math.exp(-2.5) * 2.5**n / math.factorial(n)
        assert published.local(table, noise).risks[i] == pytest.approx(own if homogeneous else mixed, abs=1e-13)
        by_chance = chance * own + (1 - chance) * mixed
        assert published.expected(table, noise).risks[i] == pytest.approx(by_chance, abs=1e-13)
        shrunk = drawn * own + (1 - drawn) * mixed
        assert published.shrinkage(table, noise, ALPHA).risks[i] == pytest.approx(shrunk, abs=1e-13)
        assert published.marginal(table, noise, law).risks[i] == pytest.approx(size * by_chance, abs=1e-13)
        s9 = size * chance * own + (1 - chance) * mixed
        assert published.marginal(table, noise, law, as_printed=True).risks[i] == pytest.approx(s9, abs=1e-13)
        literal = own if homogeneous else literal_second_term(noise, n)
        assert published.local(table, noise, as_printed=True).risks[i] == pytest.approx(literal, abs=1e-13)
        for version_one, value in (
            (published.local(table, noise, "P1"), own * homogeneous),
            (published.expected(table, noise, "P1"), chance * own),
            (published.shrinkage(table, noise, ALPHA, "P1"), drawn * own),
        ):
            assert version_one.risks[i] == pytest.approx(value, abs=1e-13)
            assert version_one.warning is None
    assert published.local(table, noise).risks[-1] == 0.0


@pytest.mark.parametrize("version", ["P0", "P1"])
def test_marginal_shrinkage_sums_over_sizes_from_one_on(table: FrequencyTable, version: published.Version) -> None:
    noise, law = LaplaceNoise(0.8), NegativeBinomialSize(1.5, 2.0)
    total = 0.0
    for n in range(1, 200):
        own, mixed = printed(noise, n)
        drawn = homogeneous_draw(n, ALPHA)
        chance = (
            math.exp(special.gammaln(n + 1.5) - special.gammaln(1.5) - special.gammaln(n + 1) + n * math.log(2 / 3.5))
            * (1.5 / 3.5) ** 1.5
        )
        total += chance * (drawn * own + (1 - drawn) * mixed * (version == "P0"))
    result = published.marginal_shrinkage(table, noise, law, ALPHA, version)
    assert float(result) == pytest.approx(total, abs=1e-12)
    one_size = published.marginal_shrinkage(table, noise, FixedSize(3), ALPHA)
    assert float(one_size) == pytest.approx(published.shrinkage(table, noise, ALPHA).risks[0], abs=1e-14)


def test_homogeneous_tables_have_the_corollaries_risks() -> None:
    homogeneous = FrequencyTable.from_counts([[4, 0], [0, 1], [2, 0]])
    noise = GaussianNoise(0.9)
    corollary = [printed(noise, n, labels=2)[0] for n in (4, 1, 2)]
    for result in (
        published.local(homogeneous, noise),
        published.expected(homogeneous, noise),
        published.shrinkage(homogeneous, noise),
        published.shrinkage(homogeneous, noise, version="P1"),
    ):
        np.testing.assert_allclose(result.risks, corollary, rtol=0, atol=1e-11)
    assert not published.local(homogeneous, noise).warning
    np.testing.assert_allclose(local(homogeneous, noise), corollary, rtol=0, atol=1e-14)


def test_three_labels_break_the_bound() -> None:
    """Counts (1, 1, 1) as epsilon tends to 0: exact 3/8, published 2/8 (P0-1)."""
    cell = FrequencyTable.from_counts([[1, 1, 1], [1, 1, 0]])
    noise = LaplaceNoise(1e9)
    result = published.local(cell, noise)
    assert result.risks[0] == pytest.approx(2 / 8, abs=1e-8)
    assert local(cell, noise)[0] == pytest.approx(3 / 8, abs=1e-8)
    assert result.warning is not None
    assert (result.warning.cells_above, result.warning.n_cells) == (1, 2)
    assert result.warning.largest_excess == pytest.approx(1 / 8, abs=1e-8)
    assert str(result.warning) == "the published bound is below the exact risk in 1 of 2 cells, by up to 0.125"
    quiet = published.local(cell, LaplaceNoise(0.1)).warning
    assert str(quiet) == "the published bound holds in all 2 cells"


@given(
    cells=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6).filter(
        lambda rows: any(map(any, rows))
    ),
    log_scale=st.floats(-4.0, 8.0),
    law=st.sampled_from([LaplaceNoise, GaussianNoise, DiscreteLaplaceNoise, DiscreteGaussianNoise]),
    labels=st.integers(2, 4),
)
@settings(max_examples=60, deadline=None)
def test_for_two_labels_present_it_is_a_bound(
    cells: list[tuple[int, int]], log_scale: float, law: type[LaplaceNoise], labels: int
) -> None:
    """1/2 - h is concave in the count, so its product over two labels is smallest for (n - 1, 1)."""
    noise = law(math.exp(log_scale))
    table = FrequencyTable.from_counts([[*cell, *[0] * (labels - 2)] for cell in cells])
    assert not published.local(table, noise).warning
    assert not published.expected(table, noise).warning


def test_a_label_that_cannot_occur_is_not_counted() -> None:
    noise = LaplaceNoise(0.7)
    with_impossible = FrequencyTable.from_counts(
        [[3, 1, 0], [4, 0, 0]], structural_zeros=[[False, False, True], [False, True, True]]
    )
    two = FrequencyTable.from_counts([[3, 1]])
    law = PoissonSize(2.0)
    for here, there in (
        (published.local(with_impossible, noise), published.local(two, noise)),
        (published.expected(with_impossible, noise), published.expected(two, noise)),
        (published.marginal(with_impossible, noise, law), published.marginal(two, noise, law)),
    ):
        assert here.risks[0] == pytest.approx(there.risks[0], abs=1e-15)
    shrunk = published.shrinkage(with_impossible, noise, [0.7, 1.1, 5.0]).risks
    assert shrunk[0] == pytest.approx(published.shrinkage(two, noise, [0.7, 1.1]).risks[0], abs=1e-14)
    assert shrunk[1] == pytest.approx(float(noise.sf(0.5 - 4)), abs=1e-12)


def test_published_risks_are_arrays_and_curves(table: FrequencyTable) -> None:
    noise = LaplaceNoise(1.0)
    result = published.expected(table, noise)
    assert len(result) == len(CELLS)
    assert np.asarray(result, dtype=np.float32).dtype == np.float32
    assert np.array_equal(np.array(result, copy=True), result.risks)
    budgets = [el.PureDP(1.0)]
    for name in ("local", "expected", "shrinkage", "marginal"):
        per_cell = getattr(published, name)(table, noise)
        for weighted in (True, False):
            curve = el.risk_curve(table, budgets=budgets, measure=f"published-{name}", weighted=weighted)
            assert curve.risks[0] == pytest.approx(el.average(per_cell, table, weighted), abs=1e-14)
    curve = el.risk_curve(
        table, budgets=budgets, measure="published-marginal-shrinkage", size_model="negative-binomial"
    )
    assert curve.risks[0] == pytest.approx(
        float(published.marginal_shrinkage(table, noise, "negative-binomial")), abs=1e-14
    )


def test_unknown_versions_are_refused(table: FrequencyTable) -> None:
    with pytest.raises(ParameterError, match=r"version must be one of P0, P1"):
        published.local(table, LaplaceNoise(1.0), "P2")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"version must be one of P0, P1"):
        prepare("published-expected", table, version="p0")


def test_printed_definition_leaves_out_cells_that_became_homogeneous() -> None:
    table = FrequencyTable.from_counts([[4, 0], [3, 2], [0, 1]])
    noise = LaplaceNoise(1.0)
    by_scenario = scenarios(table, noise)
    for rule, printed in ((hard, published_hard), (soft, published_soft)):
        expected = rule(table, noise, part="thresholding") + by_scenario[:, 0]
        assert printed(table, noise) == pytest.approx(expected, abs=1e-14)
        assert printed(table, noise)[1] < rule(table, noise)[1]


def test_the_lower_asymptote_in_print_is_three_eighths_for_two_labels() -> None:
    table = FrequencyTable.from_counts([[9, 0], [0, 1]])
    for printed in (published_hard, published_soft):
        assert printed(table, LaplaceNoise(1e8)) == pytest.approx([0.375, 0.375], abs=1e-6)


def test_old_names_are_those_of_the_published_module() -> None:
    assert (published_hard, published_soft) == (published.hard, published.soft)
