from __future__ import annotations

from epsilens.homogeneity import PoissonSize
from epsilens.homogeneity.fit import GIVEN, Fit


def test_a_fit_says_what_was_fitted_and_how_well() -> None:
    fit = Fit(PoissonSize(2.0), "moments", -10.0, 1, 7)
    assert fit.aic == 22.0
    assert fit.parameters == {"rate": 2.0}
    assert (fit.on_boundary, fit.message, fit.distance) == (False, "", None)
    assert "method='moments'" in repr(fit)
    assert fit.method != GIVEN
