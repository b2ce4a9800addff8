"""The charts of ``evaluate``."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.report.charts.evaluate import CHARTS, MOST_LEVELS, check_kind, draw

COUNTS = np.random.default_rng(5).poisson(1.5, (40, 2))
TABLE = el.FrequencyTable.from_counts(COUNTS, ["no", "yes"], {"a": [str(a) for a in range(40)]})
PUBLISHED = COUNTS + el.DiscreteLaplaceNoise(1.0).sample((40, 2), np.random.default_rng(6))
CLAIMED = el.evaluate(PUBLISHED, TABLE, claimed="discrete-laplace", epsilon=1.0)


def test_noise_against_the_claim() -> None:
    plain = draw("noise", CLAIMED).to_dict()
    (rows,) = plain["datasets"].values()
    assert sum(row["found"] for row in rows) == 80
    assert sum(row["expected"] for row in rows) == pytest.approx(80, rel=0.01)
    assert plain["title"]["text"] == "Is the noise what is claimed?"
    assert "Internal" in str(plain["title"]["subtitle"])


def test_groups() -> None:
    plain = draw("groups", CLAIMED).to_dict()
    (panel,) = plain["vconcat"]
    (rows,) = plain["datasets"].values()
    assert len(rows) == 3 * MOST_LEVELS
    assert "15 of 35 levels" in panel["title"]["text"]


def test_what_cannot_be_drawn() -> None:
    unclaimed = el.evaluate(PUBLISHED, TABLE)
    with pytest.raises(ParameterError, match="no noise was tested"):
        draw("noise", unclaimed)
    halves = el.evaluate(PUBLISHED + 0.5, TABLE, claimed="discrete-laplace", epsilon=1.0)
    with pytest.raises(ParameterError, match="not of the claimed law"):
        draw("noise", halves)
    with pytest.raises(ParameterError, match="did you mean 'groups'"):
        check_kind("group")
    assert set(CHARTS) == {"noise", "groups"}
