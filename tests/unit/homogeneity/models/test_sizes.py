from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

from epsilens.errors import ParameterError
from epsilens.homogeneity import FixedSize, NegativeBinomialSize, PoissonSize, ZeroInflatedSize
from epsilens.homogeneity.models.sizes import (
    TAIL_ERROR,
    SizeModel,
    checked_alpha,
    checked_size_model,
    log_rising,
    negative_binomial_pmf,
    plain_pmf,
    poisson_pmf,
    size_nodes,
    truncated_pmf,
)

LAWS: list[SizeModel] = [
    FixedSize(4),
    PoissonSize(1e-6),
    PoissonSize(3.2),
    PoissonSize(400.0),
    NegativeBinomialSize(0.05, 3.0),
    NegativeBinomialSize(2.5, 0.01),
    NegativeBinomialSize(1e5, 40.0),
    ZeroInflatedSize(PoissonSize(2.0), 0.4),
    ZeroInflatedSize(NegativeBinomialSize(0.7, 5.0), 0.9),
]


def test_poisson_pmf_agrees_with_scipy() -> None:
    counts = np.arange(60)
    for rate in (1e-9, 0.3, 4.0, 25.0):
        np.testing.assert_allclose(poisson_pmf(counts, rate), stats.poisson.pmf(counts, rate), rtol=1e-12)
    assert poisson_pmf([0, 1, 5], 0.0).tolist() == [1.0, 0.0, 0.0]


def test_negative_binomial_pmf_agrees_with_scipy() -> None:
    counts = np.arange(80)
    for shape, mean in ((0.01, 2.0), (1.0, 7.0), (3.3, 0.2), (90.0, 12.0)):
        reference = stats.nbinom.pmf(counts, shape, shape / (shape + mean))
        np.testing.assert_allclose(negative_binomial_pmf(counts, shape, mean), reference, rtol=1e-11)


@pytest.mark.parametrize(("shape", "mean"), [(1e6, 1e5), (1e-12, 50.0), (40.0, 1e5)])
def test_neighbouring_probabilities_have_the_right_ratio_even_where_logarithms_are_huge(
    shape: float, mean: float
) -> None:
    counts = np.arange(1.0, 3.0 * mean, max(1.0, mean // 50))
    with_one_more = negative_binomial_pmf(counts + 1, shape, mean)
    here = negative_binomial_pmf(counts, shape, mean)
    seen = here > 1e-290
    ratio = (counts + shape) / (counts + 1) * mean / (mean + shape)
    np.testing.assert_allclose((with_one_more / np.where(seen, here, 1.0))[seen], ratio[seen], rtol=1e-11)


def test_large_poisson_probabilities_sum_to_one() -> None:
    counts = np.arange(97_000, 103_000)
    assert poisson_pmf(counts, 1e5).sum() == pytest.approx(1.0, abs=1e-12)
    assert negative_binomial_pmf(np.arange(400_000), 30.0, 5e4).sum() == pytest.approx(1.0, abs=1e-12)


def test_log_rising() -> None:
    start, steps = np.array([1e-12, 0.4, 15.9, 16.1, 1e8]), 5.0
    reference = [sum(math.log1p(i / s) for i in range(5)) for s in start]
    np.testing.assert_allclose(log_rising(start, np.full(5, steps)), reference, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_size_law_sums_to_one_and_its_tail_is_cut_where_it_says(law: SizeModel) -> None:
    sizes = np.arange(law.largest + 1)
    assert truncated_pmf(law, sizes)[0] == 0.0
    assert truncated_pmf(law, sizes).sum() == pytest.approx(1.0, abs=5 * TAIL_ERROR)
    assert plain_pmf(law, sizes).sum() == pytest.approx(1.0, abs=1e-11)
    assert 1.0 - float(plain_pmf(law, 0)) == pytest.approx(law.occupied, rel=1e-9, abs=1e-15)
    assert float(sizes @ plain_pmf(law, sizes)) == pytest.approx(law.mean, rel=1e-9)


def test_zero_inflation_changes_nothing_once_a_cell_is_known_to_exist() -> None:
    base = NegativeBinomialSize(0.7, 5.0)
    sizes = np.arange(30)
    np.testing.assert_allclose(
        truncated_pmf(ZeroInflatedSize(base, 0.9), sizes), truncated_pmf(base, sizes), rtol=1e-12
    )


def test_laws_without_anybody_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"must be a whole number >= 1, got 0; an empty cell"):
        FixedSize(0)
    with pytest.raises(ParameterError, match=r"must be > 0, got 0"):
        PoissonSize(0.0)
    with pytest.raises(ParameterError, match=r"must be finite, got nan"):
        NegativeBinomialSize(math.nan, 1.0)
    with pytest.raises(ParameterError, match=r"must be > 0, got -1"):
        NegativeBinomialSize(1.0, -1.0)
    with pytest.raises(ParameterError, match=r"must be >= 0 and < 1, got 1; with 1 no cell"):
        ZeroInflatedSize(PoissonSize(1.0), 1.0)


def test_sizes_that_are_no_sizes_are_refused() -> None:
    with pytest.raises(ParameterError, match="a fixed size must be finite"):
        FixedSize(math.nan)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="base must be Poisson or negative binomial, got FixedSize"):
        ZeroInflatedSize(FixedSize(2), 0.3)  # type: ignore[arg-type]


def test_unknown_size_models_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"did you mean 'poisson'"):
        checked_size_model("poison")
    with pytest.raises(ParameterError, match=r"size_model must be one of poisson, .* got float"):
        checked_size_model(3.2)


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        ([1.0], r"one number per label \(3\), got 1"),
        ([[1.0, 1.0, 1.0]], r"got shape \(1, 3\)"),
        ([1.0, 0.0, 1.0], r"finite and > 0, got 0; leave alpha out"),
        ([1.0, math.nan, 1.0], r"finite and > 0, got nan"),
        ([1.0, math.inf, 1.0], r"finite and > 0, got inf"),
        (["a", "b", "c"], r"must be None, 'moments' or 3 numbers > 0"),
    ],
)
def test_wrong_alphas_are_refused(alpha: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        checked_alpha(alpha, 3)


@pytest.mark.parametrize("law", [PoissonSize(1e9), NegativeBinomialSize(0.5, 1e8), NegativeBinomialSize(1e-3, 1e7)])
def test_few_sizes_stand_for_all_of_a_law(law: PoissonSize | NegativeBinomialSize) -> None:
    sizes, weights = size_nodes(law)
    chances = weights * truncated_pmf(law, sizes)
    assert len(sizes) < 2000
    assert float(chances.sum()) == pytest.approx(1.0, abs=1e-11)
    assert float(chances @ sizes) == pytest.approx(law.mean / law.occupied, rel=1e-10)


@pytest.mark.parametrize(
    ("written", "law"),
    [
        ("poisson=3.21", PoissonSize(3.21)),
        ("negative-binomial=0.8, 5", NegativeBinomialSize(0.8, 5.0)),
        ("zero-inflated-poisson=0.6,3", ZeroInflatedSize(PoissonSize(3.0), 0.6)),
        ("zero-inflated-negative-binomial=0.25,2,3", ZeroInflatedSize(NegativeBinomialSize(2.0, 3.0), 0.25)),
        ("fixed=4", FixedSize(4)),
        ("poisson", "poisson"),
    ],
)
def test_a_law_may_be_written_with_its_parameters(written: str, law: object) -> None:
    assert checked_size_model(written) == law


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("poisson=", "a parameter of the size model must be a number"),
        ("poisson=1,2", "size_model of 'poisson' is written poisson=MEAN, with 1 number, got 2"),
        ("negative-binomial=1", "is written negative-binomial=SHAPE,MEAN, with 2 numbers, got 1"),
        ("poison=1", "did you mean 'poisson'"),
        ("fixed=1.5", "a fixed size must be a whole number"),
        ("zero-inflated-poisson=1,3", "the share of structurally empty cells must be >= 0 and < 1"),
        ("poisson=nan", "finite"),
    ],
)
def test_a_law_that_is_written_wrongly_is_refused(written: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(problem)):
        checked_size_model(written)
