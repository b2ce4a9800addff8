"""Measures by name."""

from __future__ import annotations

from epsilens.homogeneity.measures import MEASURES


def test_every_measure_is_prepared_by_name() -> None:
    measures = ("local", "expected", "shrinkage", "marginal", "marginal-shrinkage")
    assert {*measures, *(f"published-{name}" for name in measures)} <= set(MEASURES)
