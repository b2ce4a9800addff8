"""What every fit answers: all of them have the parts of :class:`Fit`, and each count is of one kind."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.release.fitting.fit import Alike
from epsilens.release.fitting.joint import JointFit
from epsilens.release.fitting.nested import NestedFit
from epsilens.release.fitting.products import ProductFit
from epsilens.release.fitting.tree import least_squares
from tests.support.fitted_tables import HOLES, measured, universe


@pytest.mark.parametrize(
    ("zeros", "marginals", "kind"),
    [
        (None, [("a",), ("a", "b")], ProductFit),
        (None, [("a", "y"), ("a", "b")], ProductFit),
        (HOLES[1], [("a",), ("a", "b")], NestedFit),
        (HOLES[0], [("a", "b"), ("a", "y")], JointFit),
    ],
)
def test_the_tables_decide_how_they_are_fitted(zeros: object, marginals: list[tuple[str, ...]], kind: type) -> None:
    whole = universe(structural_zeros=zeros)
    universes, _, noisy = measured(whole, marginals)
    fit = least_squares(whole, universes, [1.0, 2.0])
    assert isinstance(fit, kind)
    found = list(fit.alike())
    assert len(found) == fit.kinds()
    assert all(isinstance(group, Alike) for group in found)
    for table, part in enumerate(universes):
        cells = np.concatenate([group.cells for group in found if group.table == table])
        assert np.sort(cells).tolist() == list(range(part.n_cells))
    many = [np.stack([n, 2.0 * n, -n]) for n in noisy]  # all draws at once, and linear
    for one, all_of_them in zip(fit.fitted(noisy), fit.fitted(many), strict=True):
        assert all_of_them == pytest.approx(np.stack([one, 2.0 * one, -one]))
