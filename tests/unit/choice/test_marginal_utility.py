from __future__ import annotations

import epsilens as el
from epsilens.choice.marginal_utility import BudgetUtility, MarginalUtility

MARGINALS = (
    MarginalUtility(("a",), 2, 0.5, 0.1, 0.01, 0.1, 0.05, 0.2),
    MarginalUtility(("b",), 2, 0.7, 0.3, 0.02, 0.2, 0.1, 0.4),
    MarginalUtility(("a", "b"), 4, 0.9),
)


def test_marginals_are_summed_up_by_how_many_columns_they_cross() -> None:
    line = BudgetUtility(
        "y", "laplace", el.PureDP(1.0), el.LaplaceNoise(1.0), 1.0, None, None, None, MARGINALS, {1: (0.1, 0.3)}
    )
    one, two = line.by_ways
    assert (one.marginals, one.lowest, one.median, one.highest) == (2, 0.1, 0.2, 0.3)
    assert (one.largest_standard_error, one.expected_median, one.release_low, one.release_high) == (0.02, 0.6, 0.1, 0.3)
    assert (two.median, two.largest_standard_error, two.release_low) == (0.9, None, None)  # not simulated: exact
    plain = line.to_dict()
    assert (plain["epsilon"], line.delta) == (1.0, None)
    assert (plain["marginals"][2]["marginal"], plain["marginals"][2]["mean"]) == (["a", "b"], None)
