"""Standard errors and half widths of fitted counts, at any budget."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, Noise
from epsilens.noise.combinations import Part, combined_half_width
from epsilens.release.fitting import errors
from epsilens.release.fitting.errors import (
    fitted_errors,
    fitted_half_widths,
    law_is_computed,
    relative_variances,
    rounding,
)
from epsilens.release.fitting.tree import least_squares
from tests.support.fitted_tables import HOLES, measured, universe


def test_a_total_beside_its_parts_by_hand() -> None:
    """A total and two counts of equal variance: the total is 2/3 of its own and 1/3 of each part."""
    universes, _, _ = measured(universe(), [(), ("a",)])
    law = DiscreteLaplaceNoise(0.5)
    fit = least_squares(universe(), universes, [1.0, 1.0])
    total, part = fitted_half_widths(fit, [law, law], math.log(law.variance), 0.95)
    assert total[0] == combined_half_width([Part.of(law, [2 / 3]), Part.of(law, [1 / 3, 1 / 3])], 0.95)
    assert part[0] == part[1] == combined_half_width([Part.of(law, [1 / 3]), Part.of(law, [2 / 3, 1 / 3])], 0.95)
    errors_of_total, _ = fitted_errors(fit, math.log(law.variance))
    assert errors_of_total[0] == pytest.approx(math.sqrt(2 / 3 * law.variance))


@pytest.mark.parametrize("zeros", [None, *HOLES])
@pytest.mark.parametrize("marginals", [[("a",), ("a", "b")], [("a", "b"), ("b", "y")]])
@pytest.mark.parametrize(
    "laws",
    [
        (DiscreteLaplaceNoise(1 / 800), DiscreteLaplaceNoise(1 / 800)),
        (DiscreteLaplaceNoise(1 / 5000), DiscreteLaplaceNoise(10.0)),
        (DiscreteLaplaceNoise(1e12), DiscreteLaplaceNoise(1 / 800)),
        (DiscreteGaussianNoise(0.005), DiscreteGaussianNoise(0.02)),
        (DiscreteGaussianNoise(1e11), DiscreteGaussianNoise(1e-3)),
    ],
    ids=repr,
)
def test_no_budget_is_too_large_or_too_small(
    laws: tuple[Noise, Noise], marginals: list[tuple[str, ...]], zeros: object
) -> None:
    whole = universe(structural_zeros=zeros)
    universes, _, noisy = measured(whole, marginals)
    ratios, log_unit = relative_variances(laws)
    assert min(ratios) == 1.0
    fit = least_squares(whole, universes, ratios)
    fitted = fit.fitted(noisy)
    widths = fitted_half_widths(fit, laws, log_unit, 0.95)
    found = fitted_errors(fit, log_unit)
    for table in (*fitted, *widths, *found):
        assert np.isfinite(table).all()
    before = [math.sqrt(law.variance) for law in laws]
    for error, own in zip(found, before, strict=True):  # joint fits weight no table by less than 1e-10
        assert (error <= own + 1e-9 * max(before) + 1e-50).all()
    if before[1] > 1e-50 + before[0]:  # the table that the other one says least about
        assert found[1].max() >= 0.3 * before[1]
    assert fitted[0].sum() == pytest.approx(fitted[1].sum(), rel=1e-6, abs=1e-6)


def test_of_too_many_kinds_the_half_width_is_that_of_chebyshev(monkeypatch: pytest.MonkeyPatch) -> None:
    universes, _, _ = measured(universe(), [(), ("a",)])
    law = DiscreteLaplaceNoise(0.5)
    fit = least_squares(universe(), universes, [1.0, 1.0])
    assert law_is_computed(fit)
    known = fitted_half_widths(fit, [law, law], math.log(law.variance), 0.95)
    monkeypatch.setattr(errors, "MOST_KINDS", 1)
    assert not law_is_computed(fit)
    bounds = fitted_half_widths(fit, [law, law], math.log(law.variance), 0.95)
    assert bounds[0][0] == pytest.approx(math.sqrt(2 / 3 * law.variance / 0.05))
    assert all((bound >= width).all() for bound, width in zip(bounds, known, strict=True))


def test_rounding_is_relative_to_the_largest_count() -> None:
    assert rounding(np.array([-4.0, 1.0])) == 4.0 * 2.0**-36
    assert rounding(np.empty(0)) == 0.0
