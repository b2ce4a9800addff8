"""People in rows: columns, levels, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.records import Column, Records, span_text
from epsilens.errors import DataError, ParameterError
from tests.support.avoidance import people


def test_records_write_levels_as_everybody_does() -> None:
    records = av.Records.of(
        {"smoker": [True, False], "age": [1234567.0, 1234568.0], "kind": [39.0, 40.5]}, ["age"], numeric=["age"]
    )
    assert records.domain.levels == (("false", "true"), ("1234567", "1234568"), ("39", "40.5"))
    assert records.histogram().domain == records.domain


def test_neighbouring_levels_have_a_name() -> None:
    assert span_text("[20, 30)", "[30, 40)") == "[20, 40)"
    assert span_text("[20, 30)", "[20, 30)") == "[20, 30)"
    assert span_text("low", "high") == "low to high"
    assert av.Column.numeric("age", [3, 1, 2]).has_own_numbers
    assert not av.Column.categorical(["a", "b"]).has_own_numbers


def test_bad_records() -> None:
    with pytest.raises(ParameterError, match="at least one quasi-identifier"):
        Records.of({"a": [1]}, [])
    with pytest.raises(DataError, match="did you mean 'town'"):
        Records.of({"town": ["x"]}, ["twon"])
    with pytest.raises(DataError, match="not numbers"):
        Records.of({"age": ["old"]}, ["age"], numeric=["age"])
    with pytest.raises(DataError, match="1 missing"):
        Column.numeric("age", [1.0, np.nan])
    with pytest.raises(ParameterError, match="got k = 101 for 100 people"):
        av.KAnonymity(101).release(people(100), np.random.default_rng(1))
    with pytest.raises(ParameterError, match="did you mean 'town'"):
        av.KAnonymity(2, columns=("toun",)).anonymised(people(10))
    assert "10 rows" in repr(people(10))
    assert set(people(10).to_dict()) == {"age", "town", "sex", "ill"}
