"""Who is shown as what, against enumeration of all published tables."""

from __future__ import annotations

from itertools import product

import numpy as np

from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.local import local
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise
from epsilens.table.frequency import FrequencyTable

COUNTS = [[3, 0, 1], [1, 2, 0], [0, 0, 5], [0, 1, 1]]


def test_values_are_those_of_all_published_cells() -> None:
    table, noise = FrequencyTable.from_counts(COUNTS), DiscreteLaplaceNoise(0.7)
    draws = np.arange(-14, 15)
    chances = noise.pmf(draws)
    right, wrong = np.zeros(3), np.zeros(3)
    for counts in np.array(COUNTS):
        for places in product(range(len(draws)), repeat=3):
            shown = counts + draws[list(places)] > 0
            if shown.sum() == 1:
                k, chance = int(shown.argmax()), float(np.prod(chances[list(places)]))
                right[k] += chance * counts[k] / 14
                wrong[k] += chance * (counts.sum() - counts[k]) / 14
    found = prepare_by_value(table).shares(noise)
    np.testing.assert_allclose([value.shown_right for value in found], right, rtol=1e-7)
    np.testing.assert_allclose([value.shown_wrong for value in found], wrong, rtol=1e-7)


def test_values_add_up_to_belief_and_to_the_local_risk_by_weight() -> None:
    table, noise = FrequencyTable.from_counts(COUNTS).with_harm("label=0", "label=2*3"), LaplaceNoise(1.0)
    found = prepare_by_value(table).shares(noise)
    harmful = [value for value in found if value.weight]
    both = belief(table, noise)
    np.testing.assert_allclose(sum(value.shown_right for value in harmful), both.right)
    np.testing.assert_allclose(sum(value.shown_wrong for value in harmful), both.wrong)
    risk = local(table, noise, match="share") @ table.counts.sum(axis=1) / table.n_records
    np.testing.assert_allclose(sum(value.weight * value.shown_right for value in found), risk)
