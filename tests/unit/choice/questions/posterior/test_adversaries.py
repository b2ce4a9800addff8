from __future__ import annotations

import pytest

from epsilens.choice.questions.posterior import curve, levels
from epsilens.choice.questions.posterior.adversaries import PANELS, checked_panels
from epsilens.errors import ParameterError
from epsilens.posterior.scenarios import FIVE_PRIORS


def test_the_five_adversaries_are_asked_about_by_default() -> None:
    assert FIVE_PRIORS == (1 / 2, 1 / 5, 1 / 10, 1 / 50, 1 / 864)
    assert curve.Question().priors == levels.Question((0.1,)).priors == FIVE_PRIORS


def test_panels_are_named_once_each_and_known() -> None:
    assert checked_panels(["ratio", "posterior", "ratio"]) == ("ratio", "posterior")
    assert checked_panels(list(PANELS)) == tuple(PANELS)
    with pytest.raises(ParameterError, match=r"chart must be one of .* did you mean 'ratio'"):
        checked_panels(["ratios"])
    with pytest.raises(ParameterError, match="chart needs at least one panel"):
        checked_panels([])
