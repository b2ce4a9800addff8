from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.comparison import Comparison, compare
from epsilens.report.words.common import Grid, Note, Text
from epsilens.report.words.compare_values import (
    ALONE,
    about_worst_off,
    better_for_the_worst_off,
    drawn_values,
    left_without_noise,
    share_text,
    short,
    shown_values,
    without_protection,
)

TABLE = el.FrequencyTable.from_counts(
    [[5, 1, 0], [3, 2, 2], [4, 0, 0], [7, 6, 1]],
    ["well", "ill", "(missing)"],
    {"town": ["a", "a", "b", "b"], "sex": ["f", "m"] * 2},
).with_harm("label=ill*2")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(TABLE, ["laplace", "dp-k-anonymity", "suppression"], [1.0], 4, k=2, classify=False)


def test_who_is_shown_as_what(comparison: Comparison) -> None:
    grid, *notes = shown_values(comparison)
    assert isinstance(grid, Grid)
    assert grid.headings[:4] == ("system", "epsilon", "right", "wrong")
    assert grid.headings[4:6] == ("ill,\nright", "ill,\nwrong")  # the harmful one first
    shown = next(entry for entry in comparison.rows[0]["by_value"] if entry["value"] == "ill")
    assert grid.rows[0][4:6] == (share_text(shown["shown_right"]), share_text(shown["shown_wrong"]))
    assert len(notes) == 2
    assert without_protection(comparison) == " (12.9 % as well)"


def test_totals_of_harmful_values_where_several_are_and_some_are_not() -> None:
    counts = [[1, 2, 3, 1, 0, 2], [2, 0, 1, 4, 1, 0]]
    many = el.FrequencyTable.from_counts(counts, list("abcdef"), {"town": ["a", "b"]}).with_harm("label=b", "label=d")
    found = compare(many, ["laplace"], [1.0], 2, k=2, classify=False)
    grid, *notes = shown_values(found)
    assert isinstance(grid, Grid)
    assert grid.headings[4:6] == ("right,\nharmful", "wrong,\nharmful")
    assert drawn_values(found)[:2] == ["b", "d"]
    assert notes[-1] == Note("2 further values are in the JSON.")
    assert without_protection(found) == ""


def test_what_is_left_to_chance_is_said(comparison: Comparison) -> None:
    certain, simulated = (block.text for block in about_worst_off(comparison) if isinstance(block, Note))
    assert certain.startswith("suppression: nothing is left to chance here")
    assert simulated.startswith("dp-k-anonymity: a person's risk is the share of 4 releases that show them")


def test_what_keeps_a_risk_without_noise_is_not_a_guarantee(comparison: Comparison) -> None:
    assert left_without_noise(comparison) == []
    easy = compare(TABLE, ["laplace", "suppression"], repetitions=2, k=2, equal_risk=("homogeneity", 0.999))
    notes = [block.text for block in left_without_noise(easy) if isinstance(block, Note)]
    assert notes == [
        f"Without an epsilon, suppression keeps it: {ALONE}.",
        f"Of laplace hardly any noise is asked: {ALONE}.",
    ]


def test_dominance_by_averages_does_not_hide_the_worst_off(comparison: Comparison) -> None:
    assert better_for_the_worst_off(Comparison([], [], {})) == []
    row = {"label": "swapping", "worst_off_better": True}
    (said,) = better_for_the_worst_off(Comparison([], [], {}, dominated=[row]))
    assert isinstance(said, Text)
    assert said.text.startswith("By averages swapping is dominated")


def test_long_values_are_cut() -> None:
    assert short(" well ") == "well"
    assert len(short("a very long value indeed")) == 16
    assert [share_text(share) for share in (0.0, 1e-6, 0.25, 0.99999, 1.0)] == [
        "0.000", "<.001", "0.250", ">.999", "1.000",
    ]  # fmt: skip
