"""Measures by name."""

from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import GROUPS, MEASURES, measures_named


def test_every_measure_is_prepared_by_name() -> None:
    measures = ("local", "expected", "shrinkage", "marginal", "marginal-shrinkage")
    assert {*measures, *(f"published-{name}" for name in measures)} <= set(MEASURES)


def test_a_group_stands_for_its_measures_each_once() -> None:
    assert measures_named(["hard", "all"])[0] == "hard"
    assert set(measures_named(["all", "published"])) == set(MEASURES)
    assert len(measures_named(["all", "local", "published"])) == len(MEASURES)
    assert all(name.startswith("published-") for name in GROUPS["published"])
    with pytest.raises(ParameterError, match="did you mean 'published'"):
        measures_named(["publishd"])
