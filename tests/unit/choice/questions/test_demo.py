from __future__ import annotations

import pytest

from epsilens.choice.questions.demo import QUASI_IDENTIFIERS, Question
from epsilens.errors import ParameterError


def test_the_same_people_every_time() -> None:
    first, again, other = (Question(500, seed).read() for seed in (1, 1, 2))
    assert first.quasi_identifiers == QUASI_IDENTIFIERS
    assert first.n_records == 500
    assert (first.counts == again.counts).all()
    assert first.cells() != other.cells()
    with pytest.raises(ParameterError, match="rows must be"):
        Question(0).read()


def test_some_diseases_may_be_declared_harmful() -> None:
    table = Question(500, harmful=("disease=cancer", "disease=asthma*2")).read()
    weights = dict(zip(table.labels, table.label_weights.tolist(), strict=True))
    assert {value: weight for value, weight in weights.items() if weight} == {"cancer": 1.0, "asthma": 2.0}
    with pytest.raises(ParameterError, match="names column 'sex', which is not sensitive here"):
        Question(500, harmful="sex=f")
