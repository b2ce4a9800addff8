"""Who is shown as what after several releases, against formulas, against simulation and against the average."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.publication import assess_publication
from epsilens.choice.publication_values import shown_after_all
from epsilens.homogeneity import Release
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.repeated import sequence
from epsilens.homogeneity.repeated.cohort import Cohort
from epsilens.homogeneity.repeated.releases import AnyRelease, named

COUNTS = np.array([[3, 0, 1], [0, 2, 0], [1, 4, 0]])
TABLE = el.FrequencyTable.from_counts(COUNTS, ["a", "b", "c"], {"town": ["x", "y", "z"]})


def release(table: el.FrequencyTable, scale: float, name: str) -> Release:
    return Release(table, el.LaplaceNoise(scale), el.PureDP(1.0 / scale), name=name)


def test_a_single_release_is_shown_value_by_value() -> None:
    (found,) = shown_after_all(Cohort.of("", named([release(TABLE, 1.0, "one")])))
    expected = prepare_by_value(TABLE).shares(el.LaplaceNoise(1.0))
    for mine, told in zip(found.by_value, expected, strict=True):
        assert mine.value == told.value
        assert mine.shown_right == pytest.approx(told.shown_right, abs=1e-12)
        assert mine.shown_wrong == pytest.approx(told.shown_wrong, abs=1e-12)
    assert found.to_dict()["spread"]["people"] == TABLE.n_records


def test_two_releases_by_simulation() -> None:
    """Both are drawn, and whoever looks a person up believes every cell that shows one value."""
    declared = TABLE.with_harm("label=a*2")
    releases: list[AnyRelease] = [release(declared, 1.0, "one"), release(declared, 2.0, "two")]
    (found,) = shown_after_all(Cohort.of("", named(releases)))
    rng, draws = np.random.default_rng(5), 40_000
    shown = np.zeros((draws, *COUNTS.shape), dtype=bool)
    for scale in (1.0, 2.0):
        published = COUNTS + rng.laplace(0.0, scale, (draws, *COUNTS.shape)) >= 0.5
        shown |= published & (published.sum(axis=2, keepdims=True) == 1)
    often = shown.mean(axis=0)
    error = 5.0 * 0.5 / np.sqrt(draws)
    for y, entry in enumerate(found.by_value):
        assert entry.shown_right == pytest.approx(COUNTS[:, y] @ often[:, y] / 11, abs=error)
        assert entry.shown_wrong == pytest.approx((COUNTS.sum(axis=1) - COUNTS[:, y]) @ often[:, y] / 11, abs=error)
    assert [entry.weight for entry in found.by_value] == [2.0, 0.0, 0.0]
    assert found.spread.worst == pytest.approx(2.0 * max(often[0, 0], often[2, 0]), abs=2 * error)
    assert found.spread.bands[0].people == COUNTS[:, 1:].sum()  # whom nothing harmful is said about


def test_the_average_over_people_is_the_risk_of_the_sequence() -> None:
    releases: list[AnyRelease] = [release(TABLE, 1.0, "one"), release(TABLE, 0.7, "two")]
    (found,) = shown_after_all(Cohort.of("", named(releases)))
    assert sum(entry.shown_right for entry in found.by_value) == pytest.approx(sequence(releases).average(), abs=1e-12)
    told = assess_publication(releases, "laplace").to_dict()["shown"]
    assert told == [found.to_dict()]


def test_weighed_averages_are_those_of_the_steps() -> None:
    declared = TABLE.with_harm("label=a*2", "label=c")
    releases: list[AnyRelease] = [release(declared, 1.0, "one"), release(declared, 0.7, "two")]
    found = assess_publication(releases, "laplace")
    weighed = sum(entry.weight * entry.shown_right for entry in found.shown[0].by_value)
    assert found.steps[-1].risks["label"] == pytest.approx(weighed, abs=1e-12)
