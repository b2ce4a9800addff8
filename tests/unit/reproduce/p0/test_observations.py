from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity import published
from epsilens.noise import LaplaceNoise
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import observations
from epsilens.reproduce.p0.curves import BANKRUPTCY
from epsilens.reproduce.p0.observations import as_simulated, exact_values, standard_error
from tests.support.judged import CONFIRMED, FALSE, OPEN, OTHER, data_of, departing, rows_of, verdicts, verdicts_anew


def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.observations", data_dir)
    assert verdicts(rows) == {CONFIRMED: 5, OTHER: 3, FALSE: 8}
    assert departing(rows) == {"P0-8": {OTHER, FALSE}, "P0-9": {FALSE}, "P0-10": {FALSE}, "P0-22": {OTHER, FALSE}}
    assert rows["section 5, observation 3, over cells"].verdict == OTHER
    assert rows["section 5, observation 3, over people"].verdict == FALSE
    seen = {
        "section 5, observation 2, near the minimum": "up to 0.174 above it (Adult, pairs, over people, Laplace)",
        "section 5, observation 2, Gaussian maximum": "at epsilon = 10 it is up to 0.242 below it",
        "section 5, observation 4": "the risk differs by up to 0.175",
        "section 5, observation 2, steepest": "that from 3.16 0.495, that from 1 0.399 (Adult, pairs, over cells, ",
        "section 5, observation 4 and section 5.3, epsilon": "it is 0.565 over cells and 0.664 over people",
        "Definition 1, small epsilon": "0.2987 over cells (0.8073 without noise) and 0.4003 over people (0.4040",
        "footnote 7, subset": "0.3910 printed, 0.3422 expected, with a standard error of 0.0024",
    }
    for place, said in seen.items():
        assert said in rows[place].why


def test_believing_a_cell_is_not_being_certain(data_dir: Path) -> None:
    """FINDINGS, P0 item 10."""
    seen = exact_values(data_of(data_dir)).seen
    assert "29.6% of people are shown rightly and 2.0% wrongly: believing is right 94% of the time" in seen
    assert "right 51% of the time; guessing the commoner income is right 75% of the time" in seen


def test_the_standard_error_is_that_of_simulated_releases(data_dir: Path) -> None:
    import numpy as np

    from epsilens.homogeneity import simulate

    data = data_of(data_dir)
    found = simulate(BANKRUPTCY.table(data), LaplaceNoise(1.0), 20_000, np.random.default_rng(3), weighted=True)
    single = standard_error(data, BANKRUPTCY, 1.0, weighted=True) * 500**0.5
    assert found["local"][1] == pytest.approx(single, rel=0.02)
    assert as_simulated(BANKRUPTCY, data).holds


def test_nothing_is_said_without_data() -> None:
    rows = rows_of("p0.observations")
    assert {row.verdict for row in rows.values()} == {OPEN}
    assert {row.needs for row in rows.values()} <= {"adultcount.csv", "bankcount.csv", "FFcount.csv"}


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.9 * right(n, labels, noise))
    place = "footnote 7, Adult and Bankruptcy data"
    assert verdicts_anew("p0.observations", place, data=Data(data_dir)) == {FALSE}


def test_more_noise_makes_a_sentence_about_epsilon_1_right(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    places = ("section 5, observation 4 and section 5.3, epsilon", "section 5, observation 2, steepest")
    monkeypatch.setattr(observations, "LaplaceNoise", lambda scale: LaplaceNoise(10.0 * scale))
    assert verdicts_anew("p0.observations", *places, data=Data(data_dir)) == {CONFIRMED}
    monkeypatch.setattr(observations, "limit", lambda *_: 2.0)
    assert verdicts_anew("p0.observations", "Definition 1, small epsilon", data=Data(data_dir)) == {CONFIRMED}
