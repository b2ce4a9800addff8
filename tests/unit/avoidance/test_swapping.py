"""Randomised swapping: rows, margins, labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.enumeration import neighbouring_pairs
from epsilens.avoidance.system import released_counts
from epsilens.errors import DataError, ParameterError
from tests.support.avoidance import SETTINGS, random_histogram, swappable_people


def test_rows_of_dp_swapping_are_randomised_response() -> None:
    records = swappable_people(4000, 5)
    released = av.DPSwapping(1.0, columns=("race",), reading="algorithm-4").release(records, np.random.default_rng(2))
    kept = np.mean(released.columns["race"].codes == records.columns["race"].codes)
    assert kept == pytest.approx(np.e / (np.e + 3), abs=5 * np.sqrt(0.25 / 4000))
    np.testing.assert_array_equal(released.values("sex"), records.values("sex"))


@pytest.mark.parametrize(
    "name", ["dp-swapping", "dp-swapping-rows", "swapping", "swapping-different", "swapping-cells"]
)
def test_swapping_keeps_the_other_margins(name: str) -> None:
    histogram = random_histogram(3)
    system = av.build(name, 0.5, SETTINGS.for_histogram(histogram))
    released = released_counts(system.release(histogram, np.random.default_rng(1)))
    assert released.sum() == histogram.counts.sum()
    if name != "swapping-cells":  # cells of different other attributes may be partners
        np.testing.assert_array_equal(released.sum(axis=1), histogram.counts.sum(axis=1))


def test_a_swapped_label_is_not_shown_independently() -> None:
    assert av.DPSwapping(0.5, columns=("income",)).shown_probabilities(random_histogram(4)) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.DPSwapping(1.0, levels=1), "levels must be >= 2"),
        (lambda: av.DPSwapping(1.0).published_delta(), "delta needs levels, the number"),
        (lambda: av.DPSwapping(1.0, columns=()), "at least one column"),
        (lambda: av.DPSwapping(1.0, levels=5).bias([[1, 2]]), "levels says 5"),
        (lambda: av.DPSwapping(1.0).bias([[1], [2]]), "single combination"),
        (lambda: av.DPSwapping(1.0, columns=("rac",)).bias(random_histogram(1)), "did you mean 'race'"),
        (lambda: av.DPSwapping(1.0, 9).delta("rows"), "neighbours must be one of"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()


@pytest.mark.parametrize("reading", ["equation-4", "algorithm-4"])
def test_places_that_nobody_has_are_lumped_without_changing_a_delta(reading: str) -> None:
    system = av.DPSwapping(0.5, levels=4, reading=reading)  # type: ignore[arg-type]
    small = system.enumeration()
    for before, after in list(neighbouring_pairs(small.tables, "substitute"))[::7]:
        full = av.hockey_stick(system.output_law(before), system.output_law(after), 0.5)
        assert small.delta(before, after, 0.5) == pytest.approx(full, abs=1e-12)


def test_an_audit_with_very_many_combinations_is_a_matter_of_a_moment() -> None:
    found = av.audit(av.DPSwapping(0.5, levels=270), "qid")
    assert found.enumerated == pytest.approx(found.exact) == pytest.approx(0.99629632)
