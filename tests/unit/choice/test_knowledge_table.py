"""``el.knowledge``: a table in, what its columns disclose out."""

from __future__ import annotations

import pytest

import epsilens as el
from epsilens.errors import ParameterError

TABLE = el.FrequencyTable.from_counts([[4, 0], [1, 2]], cells={"age": ["20", "30"]})


def test_one_or_several_of_everything() -> None:
    assert len(el.knowledge(TABLE).budgets) == 5
    found = el.knowledge(TABLE, ["laplace", "gaussian-analytic"], 0.5, delta=[1e-6, 1e-3])
    assert [(one.mechanism, one.epsilon, one.delta) for one in found.budgets] == [
        ("laplace", 0.5, None),
        ("gaussian-analytic", 0.5, 1e-6),
        ("gaussian-analytic", 0.5, 1e-3),
    ]
    assert found.everything.disclosed_today == 4


def test_what_is_not_a_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be a frequency table"):
        el.knowledge([[1, 2]])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="names no quasi-identifiers"):
        el.knowledge(el.FrequencyTable.from_counts([[1, 2]]))
