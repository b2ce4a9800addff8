"""Adult as a sample, and as the population of samples that are drawn from it."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.homogeneity.samples.risks import prepare_population


def test_adult_as_a_tenth_of_its_population(adult: el.FrequencyTable) -> None:
    found = el.homogeneity.population_risk(adult, el.LaplaceNoise(1.0), sampling_fraction=0.1)
    assert (round(found.population, 5), round(found.sample, 5), round(found.rest or 0.0, 5)) == (
        0.28075,
        0.29606,
        0.27904,
    )
    assert (round(found.guessing, 5), round(found.precision, 5)) == (0.74582, 0.88778)
    uniques = el.homogeneity.population_uniques(adult, 0.1)
    assert (uniques.sample_uniques, uniques.best.law) == (2644, "negative-binomial")
    assert round(uniques.best.among_sample_uniques, 1) == 279.8
    attackers = el.homogeneity.re_identification(adult, 0.1)
    assert attackers.prosecutor.average == pytest.approx(5009 / 27504)
    assert attackers.marketer == pytest.approx(0.1 * 5009 / 27504)


def test_what_is_estimated_from_samples_of_adult_is_what_adult_has(adult: el.FrequencyTable) -> None:
    """Ten samples of 30 %: people out of sight, and the risk of the rest without a model, within 5 standard errors."""
    rng, fraction = np.random.default_rng(7), 0.3
    counts, gaps = adult.counts, []
    for _ in range(10):
        sample = rng.binomial(counts, fraction)
        rest, seen = counts - sample, sample.sum(axis=1) > 0
        disclosed = (sample > 0).sum(axis=1) == 1
        shown = rest[disclosed, sample[disclosed].argmax(axis=1)].sum()
        ready = prepare_population(el.FrequencyTable.from_counts(sample[seen]), sampling_fraction=fraction)
        estimate = ready.risk().without_model
        assert estimate is not None
        gaps.append((ready.population.unseen - rest[~seen].sum(), estimate - shown / rest.sum()))
    means, errors = np.mean(gaps, axis=0), np.std(gaps, axis=0, ddof=1) / np.sqrt(10)
    assert (np.abs(means) < 5 * errors).all()
