from __future__ import annotations

from typing import Any

import pytest

from epsilens.report.words.choose_terms import exceed, goal, noise_text, risk_text, rounded_to_safety, why_it_falls

PLAIN: dict[str, Any] = {
    "measure": "local", "max_risk": 0.3, "max_people": None, "aggregate_words": "average risk over people",
    "attributes": "joint", "delta": None, "mechanism": "laplace", "neighbours": "add-remove",
}  # fmt: skip


def test_what_is_to_be_kept() -> None:
    assert goal(PLAIN) == "the average risk over people (local) at or below 30.0 %"
    assert goal(PLAIN | {"max_people": 0}) == "everybody's local risk at or below 30.0 %"
    assert goal(PLAIN | {"max_people": 1}) == "at most 1 person at a local risk above 30.0 %"
    assert noise_text(PLAIN | {"delta": 1e-6}) == "laplace noise and delta = 1e-06, add-remove neighbours"


def test_a_risk_stands_on_the_right_side_of_its_ceiling() -> None:
    assert risk_text(PLAIN, 0.30004) == "30.004 %"
    assert risk_text(PLAIN | {"measure": "posterior-ratio", "max_risk": 1.5}, 1.25) == "1.25"
    assert [exceed(count) for count in (0, 1, 2000)] == ["Nobody exceeds", "1 person exceeds", "2,000 people exceed"]
    assert rounded_to_safety(0.84045) == "0.8404"


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("local", "look as if all of them had the same value, and some do have it"),
        ("posterior-ratio", "a noisy count that is stronger evidence becomes rarer with less noise"),
        ("hard", "rarer values come out on top more often, and some do have them"),
    ],
)
def test_why_a_risk_falls(measure: str, why: str) -> None:
    assert why_it_falls(PLAIN | {"measure": measure}).endswith(why)
    assert why_it_falls(PLAIN | {"measure": measure, "attack": "two-level"}) == ""  # nobody knows
