from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.posterior import CENSUS_2020, conversions, converted


def test_shares_add_up_from_the_lowest_level_to_the_highest() -> None:
    assert (CENSUS_2020.level_names[0], CENSUS_2020.level_names[-1]) == ("block", "nation")
    assert sum(level.share_of_total for level in CENSUS_2020.levels) == 1
    assert sum(map(CENSUS_2020.level_rho, CENSUS_2020.level_names)) == pytest.approx(CENSUS_2020.total_rho)
    assert CENSUS_2020.histogram_rhos[0] == CENSUS_2020.histogram_rho("block") < CENSUS_2020.level_rho("block")


def test_the_best_conversion_is_never_dearer_than_the_simple_theorem() -> None:
    for conversion in conversions((0.01, 0.5, 2.56), 1e-10):
        assert 0 < conversion.epsilon < conversion.published_epsilon
        assert conversion == converted(conversion.rho, 1e-10)
    assert CENSUS_2020.conversion() == converted(2.56, 1e-10)


def test_unknown_levels_are_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'block'"):
        CENSUS_2020.level_rho("blok")
