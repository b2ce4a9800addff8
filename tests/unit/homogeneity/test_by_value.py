"""Who is shown as what, against enumeration of all published tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.errors import ParameterError
from epsilens.homogeneity import FixedSize
from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.by_value import ShownValue, harm_shown, prepare_by_value, shown_by_value, shown_values
from epsilens.homogeneity.empirical import simulate
from epsilens.homogeneity.local import local
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.shown import number_shown, shown_and_hidden
from epsilens.homogeneity.thresholding import threshold_belief
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.mechanisms import laws
from epsilens.table.frequency import FrequencyTable
from epsilens.table.harm import Harm

COUNTS = [[3, 0, 1], [1, 2, 0], [0, 0, 5], [0, 1, 1]]


def test_values_are_those_of_all_published_cells() -> None:
    table, noise = FrequencyTable.from_counts(COUNTS), DiscreteLaplaceNoise(0.7)
    draws = np.arange(-14, 15)
    chances = noise.pmf(draws)
    right, wrong = np.zeros(3), np.zeros(3)
    every = np.array(list(product(range(len(draws)), repeat=3)))
    for counts in np.array(COUNTS):
        shown = counts + draws[every] > 0
        alone = shown & (shown.sum(axis=1, keepdims=True) == 1)
        chance = chances[every].prod(axis=1) @ alone
        right += chance * counts / 14
        wrong += chance * (counts.sum() - counts) / 14
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


tables = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 12), min_size=k, max_size=k), min_size=1, max_size=5).filter(
        lambda rows: any(any(row) for row in rows)
    )
)


@settings(max_examples=40)
@given(
    rows=tables,
    law=st.sampled_from(list(laws().values())),
    size=st.floats(0.05, 60.0),
    measure=st.sampled_from(["local", "expected", "shrinkage", "marginal", "hard", "soft"]),
    weights=st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.5]), min_size=4, max_size=4),
)
def test_laws_of_every_value(
    rows: list[list[int]], law: LaplaceNoise, size: float, measure: str, weights: list[float]
) -> None:
    noise, table = law.of_size(size), FrequencyTable.from_counts(rows)
    options: dict[str, dict[str, Any]] = {
        "shrinkage": {"alpha": [0.5, 2.0, 0.1, 1.0][: table.n_labels]},
        "marginal": {"size_model": FixedSize(5)},
    }
    given_options = options.get(measure, {})
    values = prepare_by_value(table, measure, **given_options)
    right, wrong = values.right(noise), values.wrong(noise)
    assert (right >= 0).all()
    assert (wrong >= 0).all()
    assert (right.sum(axis=1) + wrong.sum(axis=1) <= 1 + 1e-12).all()
    assert not right[values.vectors.sum(axis=1) == 0].any()
    assert not wrong[values.vectors.sum(axis=1) == 0].any()
    harm = Harm({"label": found} if (found := {str(k): w for k, w in enumerate(weights) if w > 0}) else {})
    weighed = prepare(measure, replace(table, harm=harm), match="share", **given_options).average(noise)
    people = np.maximum(values.vectors, 0).sum(axis=1) * values.multiplicities
    total = float(people @ (right @ replace(table, harm=harm).label_weights) / people.sum())
    assert weighed == pytest.approx(total, abs=1e-11)
    ones = replace(table, harm=Harm({"label": {str(k): 1.0 for k in range(table.n_labels)}}))
    plain, declared = prepare(measure, table, **given_options), prepare(measure, ones, **given_options)
    assert np.array_equal(plain.risks(noise), declared.risks(noise))  # the same to the last bit


def test_right_and_wrong_are_all_cells_that_show_one_label() -> None:
    table, noise = FrequencyTable.from_counts(COUNTS), GaussianNoise(1.3)
    found = prepare_by_value(table)
    one = number_shown(*shown_and_hidden(found.vectors, noise))[1]
    np.testing.assert_allclose(found.right(noise).sum(axis=1) + found.wrong(noise).sum(axis=1), one, rtol=1e-13)


@pytest.mark.parametrize("rule", ["hard", "soft"])
@pytest.mark.parametrize("part", ["all", "homogeneity", "thresholding"])
def test_guesses_by_value_add_up_to_what_guessing_gives(rule: str, part: str) -> None:
    table, noise = FrequencyTable.from_counts(COUNTS).with_harm("label=0", "label=2*3"), LaplaceNoise(1.0)
    harmful = [value for value in shown_by_value(table, noise, rule, part=part) if value.weight]
    believed = threshold_belief(table, noise, rule, part)  # type: ignore[arg-type]
    assert sum(value.shown_right for value in harmful) == pytest.approx(believed.right, rel=1e-12)
    assert sum(value.shown_wrong for value in harmful) == pytest.approx(believed.wrong, rel=1e-12)


def test_each_value_agrees_with_simulation() -> None:
    table, noise = FrequencyTable.from_counts(COUNTS * 5), LaplaceNoise(1.4)
    for value in shown_by_value(table, noise):
        drawn = simulate(table.with_harm(f"label={value.value}"), noise, 400, np.random.default_rng(4))
        for exact, name in ((value.shown_right, "shown-right"), (value.shown_wrong, "shown-wrong")):
            mean, _, error = drawn[name]
            assert abs(mean - exact) <= 5 * error


def test_what_has_no_values_and_what_does_not_fit_is_refused() -> None:
    table = FrequencyTable.from_counts(COUNTS)
    with pytest.raises(ParameterError, match="does not tell them apart; take measure='local'"):
        prepare_by_value(table, "published-p1-local")
    with pytest.raises(ParameterError, match="has no option weighted"):
        prepare_by_value(table, "local", weighted=True)
    with pytest.raises(ParameterError, match="part must be one of"):
        prepare_by_value(table, "hard", part="some")
    assert prepare_by_value(table, "local", match="any").right(LaplaceNoise(1.0)).shape == (4, 3)


def test_harm_is_the_sum_over_harmful_values_and_weighed_where_weights_differ() -> None:
    values = (ShownValue("a", 0.0, 0.5, 0.1), ShownValue("b", 1.0, 0.2, 0.05), ShownValue("c", 3.0, 0.1, 0.02))
    found = harm_shown(values)
    assert (found.right, found.wrong) == pytest.approx((0.3, 0.07))
    assert found.to_dict()["weighted_harm_right"] == pytest.approx(0.2 + 0.3)
    assert found.to_dict()["weighted_harm_wrong"] == pytest.approx(0.05 + 0.06)
    assert "weighted_harm_right" not in harm_shown(values[:2]).to_dict()


def test_who_is_shown_as_what_by_chances_of_cells_against_a_walk_through_all_people() -> None:
    counts, alone = np.array([[3, 0, 1], [0, 2, 0]]), np.array([[0.5, 0.1, 0.0], [0.2, 0.7, 0.1]])
    found = shown_values("abc", np.array([1.0, 0.0, 2.0]), counts, alone)
    right, wrong = np.zeros(3), np.zeros(3)
    for cell, theirs in [(0, 0)] * 3 + [(0, 2)] + [(1, 1)] * 2:
        for k in range(3):
            (right if k == theirs else wrong)[k] += alone[cell, k] / 6
    np.testing.assert_allclose([value.shown_right for value in found], right)
    np.testing.assert_allclose([value.shown_wrong for value in found], wrong)
    assert [(value.value, value.weight) for value in found] == [("a", 1.0), ("b", 0.0), ("c", 2.0)]
