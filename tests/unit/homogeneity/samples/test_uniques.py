from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity import FixedSize, NegativeBinomialSize, PoissonSize, population_uniques
from epsilens.homogeneity.samples.uniques import chance_unique
from epsilens.table.frequency import FrequencyTable


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("law", [PoissonSize(2.5), NegativeBinomialSize(0.4, 3.0), NegativeBinomialSize(7.0, 1.2)])
def test_the_chance_is_bayes_rule_over_all_population_sizes(
    law: PoissonSize | NegativeBinomialSize, fraction: float
) -> None:
    """``law`` is that of the population; the sample's has the same shape and ``fraction`` of the mean."""
    sizes = np.arange(1, 2000)
    alone_in_sample = np.exp(law.logpmf(sizes)) * sizes * fraction * (1 - fraction) ** (sizes - 1.0)
    expected = alone_in_sample[0] / alone_in_sample.sum()
    sampled = (
        PoissonSize(fraction * law.mean)
        if isinstance(law, PoissonSize)
        else NegativeBinomialSize(law.shape, fraction * law.mean)
    )
    assert chance_unique(sampled, fraction) == pytest.approx(expected, rel=1e-10)


def test_other_laws_are_refused() -> None:
    with pytest.raises(ParameterError, match="Poisson or a negative binomial"):
        chance_unique(FixedSize(3), 0.5)


def test_uniques_agree_with_a_simulated_population() -> None:
    """Negative binomial cells, a tenth of the people sampled: within 5 standard errors of what was drawn."""
    rng = np.random.default_rng(11)
    sizes = rng.negative_binomial(0.5, 0.5 / (0.5 + 6.0), 60_000)
    sample = rng.binomial(sizes, 0.1)
    found = population_uniques(
        FrequencyTable.from_counts(np.stack([sample[sample > 0], sample[sample > 0] * 0], 1)), 0.1
    )
    truth = int(((sizes == 1) & (sample == 1)).sum())
    law = found.best
    assert law.law == "negative-binomial"
    assert abs(law.among_sample_uniques - truth) < 5 * math.sqrt(truth) + 0.1 * truth
    assert law.in_population == pytest.approx(law.among_sample_uniques / 0.1)
    assert abs(law.in_population - (sizes == 1).sum()) < 0.25 * (sizes == 1).sum()


def test_by_weights_a_unique_stands_for_its_weight() -> None:
    table = FrequencyTable.from_counts([[1, 0], [0, 1], [2, 1]], weights=[4, 10, 30])
    found = population_uniques(table)
    assert found.sample_uniques == 2
    by_weights = found.by_law[-1]
    assert (by_weights.law, by_weights.in_population) == ("by-weights", 2.0)
    assert by_weights.among_sample_uniques == pytest.approx(1 / 4 + 1 / 10)


def test_everybody_sampled_and_nobody_alone() -> None:
    everybody = population_uniques(FrequencyTable.from_counts([[1, 0], [2, 1]]), 1.0)
    assert [law.among_sample_uniques for law in everybody.by_law] == pytest.approx([1.0, 1.0, 1.0])
    nobody = population_uniques(FrequencyTable.from_counts([[2, 0], [2, 1]]), 0.1)
    assert [law.in_population for law in nobody.by_law] == [0.0, 0.0, 0.0]
    assert set(nobody.to_dict()) == {"sample_uniques", "best", "laws"}
