from __future__ import annotations

import pytest

from epsilens.avoidance import published
from epsilens.reproduce.claims import Between, Estimate
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, TEXAS
from epsilens.reproduce.p2.table_values import (
    Way,
    estimated,
    exactly,
    least_bound,
    of_samples,
    on_average,
    suppression_delta,
    system_of,
)


@pytest.mark.parametrize(("epsilon", "alpha"), [(0.5, 1.995), (1.0, 0.990), (2.0, 0.480), (4.0, 0.213)])
def test_exact_alpha_of_laplace_counts_does_not_depend_on_races(
    papers_data: Data, epsilon: float, alpha: float
) -> None:
    found = exactly(papers_data, MASSACHUSETTS, "laplace", epsilon, "alpha")
    assert found == pytest.approx(alpha, abs=6e-4)


@pytest.mark.parametrize(
    ("way", "l1"), [("laplace", 786.335), ("gaussian", 1003.308), ("suppression", 1026.821), ("swapping", 11_064.886)]
)
def test_biases_with_the_races_at_hand_are_among_those_that_are_possible(
    papers_data: Data, way: Way, l1: float
) -> None:
    found = exactly(papers_data, MASSACHUSETTS, way, 0.5, "l1")
    assert isinstance(found, Between)
    assert found.low < l1 < found.high
    average = on_average(papers_data, MASSACHUSETTS, way, 0.5, "l1")
    assert isinstance(average, Between)
    assert average.low >= found.low - 1.0
    assert average.high >= found.high - 1.0


@pytest.mark.slow
def test_what_is_simulated_has_its_standard_error(made_up: Data) -> None:
    found = of_samples(made_up, TEXAS, 1.0, "l1", "table")
    assert isinstance(found, Estimate)
    assert 0 < found.standard_error < found.value
    aged = of_samples(made_up, TEXAS, 1.0, "alpha", "sample", "years")
    assert isinstance(aged, Estimate)
    assert estimated(made_up, TEXAS, "laplace", 1.0)["l1"].low > 0


def test_the_least_largest_count_follows_from_printed_alphas() -> None:
    for table, (_, printed) in published.PUBLISHED_TABLES.items():
        bound = least_bound(table)
        for epsilon, (_, _, alpha) in printed["dp-swapping"].items():
            assert published.swapping_fairness_bound([0, bound], epsilon, 9) <= alpha
    assert 150 < least_bound("P2 Table 1") <= 509


def test_a_delta_that_a_float_takes_for_1_is_cut_off() -> None:
    for epsilon in (0.5, 4.0):
        assert suppression_delta("P2 Table 1", epsilon) == 0.999999999


def test_every_way_is_a_system() -> None:
    ways: tuple[Way, ...] = (
        "laplace", "laplace, not rounded", "gaussian", "gaussian of the text", "suppression", "swapping",
    )  # fmt: skip
    names = [system_of(way, 1.0).name for way in ways]
    assert names[0] == "Laplace counts, rounded and clipped"
    assert len(set(names)) == 5  # both Gaussians are called alike
    assert system_of("gaussian", 1.0).noise.variance == pytest.approx(20.0, rel=1e-6)  # type: ignore[union-attr]
