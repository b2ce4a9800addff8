from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epsilens.homogeneity import published, simulate
from epsilens.noise import LaplaceNoise
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.curves import BANKRUPTCY
from epsilens.reproduce.p1.curves import ADULT, APPLICATIONS, knee, law_of_release, one_epsilon
from tests.support.judged import CONFIRMED, FALSE, OPEN, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


@pytest.mark.slow
def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p1.curves", data_dir)
    assert verdicts(rows) == {CONFIRMED: 16, OTHER: 8, FALSE: 4, OPEN: 4}
    assert departing(rows) == {"P0-8": {OTHER}, "P0-22": {FALSE}}
    assert "0.667825 here" in rows["section 4, choice for the Adult data"].why


def test_without_data() -> None:
    rows = rows_of("p1.curves")
    assert verdicts(rows) == {OPEN: 32}
    assert {row.needs for row in rows.values()} == {"adultcount.csv", "bankcount.csv", None}


def test_a_level_of_risk_has_one_epsilon_where_scenario_8_has_none(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    """Definition 3.3 counts scenario 1 alone; with scenario 8, as in P0, the risk of the same table falls first."""
    found = one_epsilon(data_of(data_dir))
    assert found.holds
    assert (
        "of the Adult data over sets from 0.2024 to 0.8073, of the Adult data over people from 0.1029 to 0.4040"
        in found.seen
    )
    with_scenario_8 = replace(ADULT, measure="published-local")
    monkeypatch.setitem(APPLICATIONS, "Adult", (with_scenario_8, with_scenario_8))
    assert not one_epsilon(data_of(data_dir)).holds


def test_the_law_of_a_release_is_that_of_simulated_ones(data_dir: Path) -> None:
    data = data_of(data_dir)
    found = simulate(BANKRUPTCY.table(data), LaplaceNoise(1.0), 20_000, np.random.default_rng(5), weighted=False)
    mean, deviation, error = found["local"]
    law = law_of_release(data, BANKRUPTCY, "laplace", None, [1.0])
    assert law.mean[0] == pytest.approx(mean, abs=4 * error)
    assert law.deviation[0] == pytest.approx(deviation, rel=0.02)
    assert law.standard_error[0] == pytest.approx(law.deviation[0] / 500**0.5)


def test_heterogeneous_sets_have_no_risk_by_definition(data_dir: Path) -> None:
    data = data_of(data_dir)
    law = law_of_release(data, ADULT, "laplace", None, [0.5])
    assert law.mean[0] == pytest.approx(ADULT.at(data, LaplaceNoise(2.0), weighted=False), rel=1e-12)
    assert knee(BANKRUPTCY, data) == pytest.approx(0.446, abs=5e-4)


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.9 * right(n, labels, noise))
    data = Data(data_dir)
    assert verdicts_anew("p1.curves", "Figure 3, Laplace noise of the Bankruptcy data", data=data) == {FALSE}
    low = "section 4, lower asymptote of the Bankruptcy data with Laplace noise"
    assert verdicts_anew("p1.curves", low, data=data) == {FALSE}
