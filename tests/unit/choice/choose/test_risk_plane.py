from __future__ import annotations

import math

import pytest

import epsilens as el
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.risk_plane import DELTAS, EPSILONS, TILES, risk_plane
from epsilens.errors import ParameterError

TABLE = el.FrequencyTable.from_counts([[3, 0], [0, 5], [1, 0], [2, 2], [7, 1]])


def test_the_plane_has_the_risks_of_its_middles_and_lines_at_the_ceiling() -> None:
    dial = choose_budget(TABLE, "gaussian-probabilistic", 0.45, delta=1e-6, remedies=False).dial
    plane = risk_plane(dial, 0.45, (0.1, 10.0), (1e-4, 0.1))
    assert (plane.epsilon_edges[0], plane.epsilon_edges[-1], len(plane.tiles())) == (0.1, 10.0, TILES[0] * TILES[1])
    plain = plane.to_dict()
    assert plain["risks"][3][5] == dial.at_delta(plain["deltas"][3]).risk(plain["epsilons"][5])
    assert (min(row["delta"] for row in plain["lines"]), plain["max_risk"]) == (1e-4, 0.45)
    row = plain["lines"][0]
    assert dial.at_delta(row["delta"]).risk(row["epsilon"]) == pytest.approx(0.45, abs=1e-9)


def test_the_usual_plane_ends_where_the_mechanism_does() -> None:
    dial = choose_budget(TABLE, "gaussian", 0.45, delta=1e-6, remedies=False).dial
    plane = risk_plane(dial, 0.45)
    assert plane.epsilon_edges[0] == EPSILONS[0]
    assert plane.epsilon_edges[-1] == pytest.approx(0.999)
    assert (plane.delta_edges[0], plane.delta_edges[-1]) == DELTAS
    assert not any(math.isnan(tile["risk"]) for tile in plane.tiles())


def test_one_parameter_makes_no_plane() -> None:
    with pytest.raises(ParameterError, match="needs a mechanism with a delta"):
        risk_plane(choose_budget(TABLE, max_risk=0.45, remedies=False).dial, 0.45)
