from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.utility.complete_grid import grid_distances
from epsilens.utility.marginal_distance import Sanitised, all_marginals, marginal_distances


@pytest.mark.parametrize("sanitised", ["table", "marginals"])
def test_the_shape_alone_gives_what_the_listed_grid_gives(sanitised: Sanitised) -> None:
    cells = {"a": [x for x in "uvw" for _ in range(2)], "b": ["s", "t"] * 3}
    table = el.FrequencyTable.from_counts(np.arange(12).reshape(6, 2), ["no", "yes"], cells)
    noise, marginals = el.LaplaceNoise(1.3), all_marginals(("a", "b", "label"))
    listed = marginal_distances(table, noise, marginals, sanitised)
    found = grid_distances({"a": 3, "b": 2, "label": 2}, table.n_records, noise, marginals, sanitised)
    assert [one.marginal for one in found] == [one.marginal for one in listed]
    assert [one.cells for one in found] == [one.cells for one in listed]
    assert [one.distance for one in found] == pytest.approx([one.distance for one in listed], rel=1e-12)


def test_nobody_is_refused() -> None:
    with pytest.raises(ParameterError, match="people must be at least 1"):
        grid_distances({"a": 3}, 0, el.LaplaceNoise(1.0), [("a",)])
