"""k-anonymity and its randomised version."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from epsilens import avoidance as av
from epsilens.avoidance.records import Records
from epsilens.errors import DataError, ParameterError
from tests.support.avoidance import TREE, people, random_histogram


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("with_tree", [True, False])
@pytest.mark.parametrize("k", [1, 2, 7, 60, 400])
def test_every_class_has_at_least_k_people(k: int, strict: bool, with_tree: bool) -> None:
    records = people(400)
    system = av.KAnonymity(k, strict=strict, hierarchies={"town": TREE} if with_tree else {})
    anonymous = system.anonymised(records)
    assert anonymous.sizes.min() >= k
    assert anonymous.sizes.sum() == 400
    assert sum(int(row["count"]) for row in anonymous.rows()) == 400
    if strict and not with_tree:  # alike people are in one class
        _, kind, _ = records.distinct(records.quasi_identifiers)
        pairs = {(int(a), int(b)) for a, b in zip(kind, anonymous.class_of, strict=True)}
        assert len(pairs) == len(set(kind.tolist()))


def test_weights_stand_for_rows() -> None:
    records = people(300, seed=3)
    histogram = records.histogram()
    by_cell = av.KAnonymity(5).anonymised(histogram)
    by_row = av.KAnonymity(5).anonymised(Records.from_histogram(histogram))
    assert sorted(by_cell.sizes) == sorted(by_row.sizes)


def test_dp_k_anonymity_of_records_and_of_too_small_a_sample() -> None:
    records, rng = people(300), np.random.default_rng(1)
    released = av.DPKAnonymity(5, 0.5).release(records, rng)
    assert 60 < len(released) < 180  # about 39 % are sampled
    nothing = av.DPKAnonymity(300, 0.5).release(records, rng)
    assert len(nothing) == 0
    histogram = records.histogram()
    assert av.DPKAnonymity(300, 0.5).release(histogram, rng).counts.sum() == 0
    simulated = av.DPKAnonymity(5, 2.0).bias(histogram, rng, repetitions=5)
    assert simulated.shape == histogram.counts.shape
    assert "DP k-anonymity" in av.DPKAnonymity(5, 2.0).name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.DPKAnonymity(3, 1.0).bias(random_histogram(1)), "give an rng"),
        (lambda: av.DPKAnonymity(3, 1.0).published_delta(), "needs bound, the largest"),
        (lambda: av.KAnonymity(10**6).bias(random_histogram(1)), "k must not exceed the number of people"),
        (lambda: av.KAnonymity(2, columns=()), "at least one quasi-identifier"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()


def test_named_columns_and_trees_do_not_stand_in_the_way_of_a_witness() -> None:
    named = av.KAnonymity(2, columns=("town",), hierarchies={"town": TREE})
    assert av.witness(named) == av.witness(av.KAnonymity(2))
    system = av.DPKAnonymity(2, 1.0, columns=("town",), hierarchies={"town": TREE})
    assert av.audit(system).enumerated == av.audit(av.DPKAnonymity(2, 1.0)).enumerated


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_samples_that_are_partitioned_together_are_those_one_by_one(epsilon: float) -> None:
    """The same random numbers, the same releases; also where a sample is too small to publish anything."""
    counts = np.random.default_rng(4).poisson(1.5, (4, 3, 2))
    levels = (tuple("0123"), tuple("abc"), ("no", "yes"))
    histogram = av.Histogram(counts, ("age", "town", "ill"), levels, ("age", "town"), ordered=("age",))
    system = av.DPKAnonymity(3, epsilon)
    together = [released.counts for released in system.releases(histogram, np.random.default_rng(1), 9)]
    rng = np.random.default_rng(1)
    for found in together:
        np.testing.assert_array_equal(found, system.release(histogram, rng).counts)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0, 40.0, 800.0])
@pytest.mark.parametrize("prior", [0.0, 1e-9, 0.3, 1.0])
def test_belief_in_a_sampled_person_is_that_of_bayes_over_all_samples(epsilon: float, prior: float) -> None:
    system = av.DPKAnonymity(3, epsilon)
    sizes = [1, 2, 30, 4_000]
    for x, found in zip(sizes, system.expected_posterior(sizes, prior), strict=True):
        seen = np.arange(x + 1)
        p, q = (stats.binom.pmf(seen, size, system.beta) for size in (x, x - 1))
        total = prior * p + (1.0 - prior) * q
        listed = float((p * prior * p / np.where(total > 0, total, 1.0)).sum())
        assert found == pytest.approx(listed, rel=1e-11, abs=1e-300)
