from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.errors import ParameterError


def test_scenarios_say_what_the_prior_means() -> None:
    assert set(posterior.SCENARIOS) == {"characteristics", "participation", "misreporting", "unknown-variable"}
    assert "answered" in posterior.scenario("participation").in_words(0.8)
    with pytest.raises(ParameterError, match="did you mean 'participation'"):
        posterior.scenario("participate")
