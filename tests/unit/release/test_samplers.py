from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from epsilens.budget import ZCDP, Budget, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.release import release_table
from epsilens.release.samplers import CHUNK, CONTINUOUS_CAVEAT, LATTICE, opendp_price, secure
from epsilens.release.tables.plan import make_plan
from epsilens.table import FrequencyTable

# Secure noise has no seed, so these tests may fail by chance: once in a million runs.
FALSE_ALARM = 1e-6


def chi_squared_p_value(draws: np.ndarray, law: Noise) -> float:
    """Pearson's test of integer draws against the law, cells with fewer than 20 expected draws pooled in the tails."""
    size = len(draws)
    reach = 0
    while size * float(law.pmf(reach + 1)) >= 20:
        reach += 1
    inner = np.arange(-reach, reach + 1)
    expected = size * np.concatenate([[law.cdf(-reach - 1)], law.pmf(inner), [law.sf(reach)]])
    observed = np.array([(draws < -reach).sum(), *[(draws == k).sum() for k in inner], (draws > reach).sum()])
    return float(stats.chisquare(observed, expected).pvalue)


@pytest.mark.parametrize(
    ("mechanism", "budget", "neighbours"),
    [
        ("discrete-laplace", PureDP(0.5), "add-remove"),
        ("discrete-laplace", PureDP(1.0), "substitute"),
        ("discrete-gaussian", ZCDP(0.1), "add-remove"),
    ],
)
def test_released_noise_follows_its_law_over_100_000_cells(
    mechanism: str, budget: Budget, neighbours: str, tmp_path: object
) -> None:
    counts = np.random.default_rng(7).poisson(3, (50_000, 2))
    released = release_table(
        FrequencyTable.from_counts(counts, labels=["no", "yes"]),
        mechanism,
        budget,
        f"{tmp_path}/b.db",
        "cells",
        total=budget,
        neighbours=neighbours,
        one_row_per_person=True,
        cells_are_public=True,
    )
    noise = released.tables[0].counts - counts.ravel()
    law = make_plan(["a"], mechanism, budget, neighbours=neighbours).tables[0].noise.law
    assert noise.dtype == np.int64
    assert chi_squared_p_value(noise, law) > FALSE_ALARM
    # Independent of the counts and of the neighbouring cell.
    bound = stats.norm.isf(FALSE_ALARM / 2) / np.sqrt(len(noise))
    assert abs(np.corrcoef(noise, counts.ravel())[0, 1]) < bound
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 1.5 * bound


@pytest.mark.parametrize(("mechanism", "budget"), [("laplace", PureDP(0.5)), ("gaussian", ZCDP(0.1))])
def test_continuous_noise_follows_its_law(mechanism: str, budget: Budget) -> None:
    noise = make_plan(["a"], mechanism, budget, allow_continuous=True).tables[0].noise
    draws = noise.added(np.zeros(5_000, dtype=np.int64))
    assert draws.dtype == np.float64
    assert stats.kstest(draws, noise.law.cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [0.7, 1 / 3, 0.1, 0.3, 1.1, 1e-3, 17.0])
def test_opendp_never_prices_a_release_above_what_the_ledger_charges(epsilon: float) -> None:
    noise = secure(DiscreteLaplaceNoise(1.0 / epsilon), 1.0, Decimal(repr(epsilon)))
    assert Fraction(noise.price) <= Fraction(repr(epsilon))
    assert noise.law.size == pytest.approx(1.0 / epsilon, rel=1e-14)


def test_large_tables_are_drawn_in_chunks_with_progress() -> None:
    told: list[int] = []
    size = 2 * CHUNK + 7
    noise = secure(DiscreteLaplaceNoise(0.01), 1.0, Decimal(100))
    assert (noise.added(np.arange(size), told.append) == np.arange(size)).all()  # this noise is 0 almost surely
    assert told == [CHUNK, CHUNK, 7]


def test_a_law_without_a_sampler_is_refused() -> None:
    class UniqueNoise(LaplaceNoise):
        secure_sampler = None  # type: ignore[assignment]

    refusal = "unique noise has no secure sampler, so it cannot be released; use one of discrete-laplace, "
    with pytest.raises(ParameterError, match=refusal):
        secure(UniqueNoise(1.0), 1.0, Decimal(1))
    with pytest.raises(ParameterError, match=refusal):
        opendp_price(UniqueNoise(1.0), 1.0)
    assert isinstance(secure(LaplaceNoise(1.0), 1.0, Decimal(1)).law, LaplaceNoise)


def lowest_bits(published: np.ndarray, near: float) -> np.ndarray:
    """The lowest three bits of the significands of the numbers nearer to 0 than ``near``, but not at it."""
    chosen = published[(np.abs(published) < near) & (published != 0)]
    significands, _ = np.frexp(np.abs(chosen))
    return np.asarray((significands * 2.0**53).astype(np.int64) & 7)


def looks_uniform(bits: np.ndarray) -> bool:
    return bool(stats.chisquare(np.bincount(bits, minlength=8)).pvalue > FALSE_ALARM)


@pytest.mark.parametrize("law", [LaplaceNoise(1.0), GaussianNoise(1.0), LaplaceNoise(1000.0)])
def test_low_order_bits_tell_nothing_about_the_count(law: Noise) -> None:
    """Mironov's attack: the numbers near 0 that a sampler can reach from a count of one size (and of zero)."""
    noise, count = secure(law, 1.0, Decimal(10)), round(law.size)
    near, rng = 0.25 * law.size, np.random.default_rng(2012)
    for true in (0, count):
        assert looks_uniform(lowest_bits(noise.added(np.full(3_000, true)), near))
    # The control: a textbook sampler has holes where the count is not 0, so that one number may prove which it was.
    draw = rng.laplace if isinstance(law, LaplaceNoise) else rng.normal
    textbook = lowest_bits(count + draw(0.0, law.size, 30_000), near)
    assert len(textbook) > 1_000
    assert not looks_uniform(textbook)
    assert (textbook & 3 == 0).all()
    assert looks_uniform(lowest_bits(draw(0.0, law.size, 30_000), near))


def test_continuous_noise_is_drawn_on_the_lattice_that_the_card_states() -> None:
    """Any coarser one would round counts before, which costs more, and for which OpenDP needs their number."""
    assert np.nextafter(0.0, 1.0) == 2.0**LATTICE
    assert f"2^{LATTICE}" in CONTINUOUS_CAVEAT
    assert "Mironov" in CONTINUOUS_CAVEAT
    for law, price in ((LaplaceNoise(2.0), 0.5), (GaussianNoise(2.0), 0.125)):
        assert opendp_price(law, 1.0) == price  # nothing is paid for rounding
        noise = secure(law, 1.0, Decimal(repr(price)))
        assert noise.law == law
        drawn = noise.added(np.full(200, 10**15))
        assert (drawn == np.rint(drawn * 8) / 8).all()  # next to a large count doubles are 1/8 apart: rounded once
