from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.release.fitting import tree as adding_up
from epsilens.release.fitting.tree import check_agreement, consistent, non_negative_top_down
from tests.support.fitted_tables import HOLES, OVERLAPPING, least_squares, measured, universe


@pytest.mark.parametrize(
    ("marginals", "variances"),
    [
        ([("a", "b"), ("y", "b"), ("a",), ("a", "y")], [1.0, 2.0, 3.0, 0.5]),
        ([("a",), ("b", "a"), ("a", "b", "y")], [1.0, 2.0, 3.0]),
        ([(), ("b",), ("a", "b", "y")], [4.0, 2.0, 3.0]),
        ([("a",), ("b",), ("y",)], [1.0, 1.0, 9.0]),
    ],
)
def test_consistent_marginals_are_the_least_squares_ones(
    marginals: list[tuple[str, ...]], variances: list[float]
) -> None:
    universes, matrices, noisy = measured(universe(), marginals)
    counts, spreads = consistent(universe(), universes, noisy, variances)
    expected, expected_spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*counts, *spreads], [*expected, *expected_spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)
    for spread, variance in zip(spreads, variances, strict=True):
        assert (spread <= variance + 1e-12).all()


def test_levels_of_an_incomplete_universe_agree_after_least_squares() -> None:
    holes = universe(structural_zeros=[{"a": "1", "b": ["y", "z"]}, {"b": "x", "y": "n"}])
    assert not holes.complete
    universes, matrices, noisy = measured(holes, [("a",), ("a", "b"), ("a", "b", "y")])
    variances = [1.0, 2.0, 3.0]
    counts, spreads = consistent(holes, universes, noisy, variances)
    expected, expected_spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*counts, *spreads], [*expected, *expected_spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)


def test_sizes_beyond_the_limits_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    holes = universe(structural_zeros=HOLES[0])
    parts = [holes.marginal(columns)[0] for columns in OVERLAPPING[0]]
    check_agreement(holes, parts, True)
    monkeypatch.setattr(adding_up, "MAX_JOINT_CELLS", 10)
    check_agreement(holes, parts, False)
    with pytest.raises(ParameterError, match=r"at most 10 cells of all their columns together, got 20"):
        check_agreement(holes, parts, True)
    monkeypatch.setattr(adding_up, "MAX_COUNTS", 10)
    with pytest.raises(ParameterError, match=r"^consistent is offered for at most 10 counts in all .* structural"):
        check_agreement(holes, parts, False)
    check_agreement(holes, [holes.marginal(columns)[0] for columns in [("a",), ("a", "b")]], True)


def test_top_down_is_non_negative_adds_up_and_keeps_totals() -> None:
    universes, _, noisy = measured(universe(), [("a", "b", "y"), (), ("a", "b")])
    counts, _ = consistent(universe(), universes, [n - 2.0 for n in noisy], [1.0, 1.0, 1.0])
    final = non_negative_top_down(universes, counts)
    fine, total, middle = final
    assert all((table >= 0).all() for table in final)
    assert fine.sum() == pytest.approx(total[0]) == pytest.approx(middle.sum()) == pytest.approx(max(counts[1][0], 0))
    _, group = universes[0].marginal(("a", "b"))
    assert np.bincount(group, weights=fine) == pytest.approx(middle)
