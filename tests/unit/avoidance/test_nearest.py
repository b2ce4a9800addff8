"""Swapping with the nearest: the metric, the partners, what is kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.nearest import mixed_metric_points
from epsilens.avoidance.records import Records
from epsilens.errors import DataError, ParameterError
from tests.support.avoidance import random_histogram, swappable_people


def d_swap(records: Records, i: int, j: int) -> float:
    distance = 0.0
    for name, column in records.columns.items():
        values = records.values(name)
        if column.numbers is None:
            distance += float(values[i] != values[j])
        else:
            distance += float(abs(values[i] - values[j]) / np.ptp(column.numbers))
    return distance


def test_points_have_the_mixed_metric_as_their_l1_distance() -> None:
    records = swappable_people(30, 1)
    names = tuple(records.columns)
    combinations, kind, _ = records.distinct(names)
    points = mixed_metric_points(combinations, [records.columns[name] for name in names])
    for i in range(30):
        for j in range(30):
            assert np.abs(points[kind[i]] - points[kind[j]]).sum() == pytest.approx(d_swap(records, i, j))


def changed_rows(before: Records, after: Records) -> np.ndarray:
    different = [before.columns[name].codes != after.columns[name].codes for name in before.columns]
    return np.flatnonzero(np.any(different, axis=0))


def test_the_first_partner_is_the_nearest_with_other_quasi_identifiers() -> None:
    for seed in range(20):
        records = swappable_people(40, seed)
        system = av.Swapping(2.0 / 40, partners="different")  # one pair
        rows = changed_rows(records, system.release(records, np.random.default_rng(seed)))
        assert len(rows) == 2
        quasi = [tuple(records.columns[name].codes[i] for name in ("sex", "race")) for i in range(40)]
        distances = [
            {j: d_swap(records, i, j) for j in range(40) if quasi[j] != quasi[i]} for i in (int(rows[0]), int(rows[1]))
        ]
        found = d_swap(records, int(rows[0]), int(rows[1]))
        assert found == pytest.approx(min(distances[0].values())) or found == pytest.approx(min(distances[1].values()))


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("partners", ["any", "different"])
def test_every_row_is_swapped_at_most_once_and_values_are_kept(share: float, partners: str) -> None:
    records = swappable_people(200, 7)
    system = av.Swapping(share, columns=("race",), partners=partners)  # type: ignore[arg-type]
    released = system.release(records, np.random.default_rng(3))
    assert sorted(released.values("race")) == sorted(records.values("race"))
    for name in ("age", "sex", "income"):
        np.testing.assert_array_equal(released.values(name), records.values(name))
    assert len(changed_rows(records, released)) <= share * 200
    if partners == "different" and share < 1:
        assert len(changed_rows(records, released)) == 2 * int(share * 200 / 2)


def test_alike_people_make_swapping_as_printed_an_empty_gesture() -> None:
    histogram = av.Histogram(np.full((2, 2), 50), ("sex", "income"), (("f", "m"), ("low", "high")), ("sex",))
    released = av.Swapping(0.2).release(histogram, np.random.default_rng(1))
    np.testing.assert_array_equal(released.counts, histogram.counts)


def test_cells_swap_everybody_in_them() -> None:
    counts = np.array([[7, 0], [3, 11]])
    histogram = av.Histogram(counts, ("sex", "income"), (("f", "m"), ("low", "high")), ("sex",))
    released = av.Swapping(1.0, unit="cells").release(histogram, np.random.default_rng(4)).counts
    assert sorted(released.ravel().tolist()) in ([0, 3, 7, 11], [0, 0, 10, 11], [0, 3, 7, 11])
    assert released.sum() == 21
    assert av.Swapping(0.5).delta() == 1.0
    assert av.Swapping(0.5).published_delta() is None
    assert av.Swapping(0.5).bias(histogram, np.random.default_rng(1), 3).shape == (2, 2)


@pytest.mark.parametrize("partners", ["any", "different"])
def test_simulation_agrees_with_the_list_of_all_outputs(partners: str) -> None:
    """Without ties, which are broken by the order of a tree; on three cells all distances are known."""
    table = ((3, 1), (0, 1))
    system = av.Swapping(0.8, partners=partners)  # type: ignore[arg-type]
    law = system.output_law(table)
    assert sum(law.values()) == pytest.approx(1.0)
    histogram = av.Histogram(np.array(table), ("other", "qid"), (("0", "1"), ("0", "1")), ("qid",))
    rng, rounds = np.random.default_rng(3), 600
    seen: dict[object, int] = {}
    for _ in range(rounds):
        counts = system.release(histogram, rng).counts.astype(int)
        key = tuple(tuple(int(count) for count in row) for row in counts)
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) <= set(law)
    for output, p in law.items():
        assert abs(seen.get(output, 0) / rounds - p) <= 5 * np.sqrt(p * (1 - p) / rounds) + 1e-12


def test_a_swap_that_does_nothing_is_remarked_on() -> None:
    counts = np.array([[[1, 0], [2, 0]], [[1, 2], [1, 0]]])
    levels = (("1", "2"), ("M", "F"), ("yes", "no"))
    printed = av.Histogram(counts, ("block", "gender", "votes"), levels, ("block", "gender"))
    (idle,) = av.Swapping(0.1, ("gender",), unit="cells").remarks(printed)
    assert idle == "does nothing here: 10 % of 8 cells is not one pair; a share of 0.25 would be"
    assert av.Swapping(0.25, ("gender",), unit="cells").remarks(printed) == ()
    (few,) = av.Swapping(0.1, ("gender",)).remarks(printed)
    assert few == "does nothing here: 10 % of 7 people is not one pair; a share of 0.286 would be"
    everything, alike = av.Swapping(0.5).remarks(printed)
    assert everything.startswith("swaps all quasi-identifiers together, which only exchanges the sensitive values")
    assert alike.startswith("changes nothing for 57 % of the people here: somebody is exactly alike")
    (apart,) = av.Swapping(0.5, ("gender",), partners="different").remarks(printed)
    assert apart.startswith("finds for 71 % of the people here somebody who differs in the swapped columns alone")
    assert "while such partners last" in apart
    one = av.Histogram(np.array([[1, 0]]), ("q", "y"), (("a",), ("0", "1")), ("q",))
    assert av.Swapping(1.0).remarks(one)[0].endswith("is not one pair; there is nobody to swap with")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.Swapping(1.5), "share of rows to swap must be > 0 and at most 1, got 1.5"),
        (lambda: av.Swapping(0.1).bias(random_histogram(1)), "give an rng"),
        (lambda: av.Swapping(0.1, columns=()), "columns must name at least one column"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()
