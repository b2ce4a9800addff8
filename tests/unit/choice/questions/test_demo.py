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
