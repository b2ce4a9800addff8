from __future__ import annotations

from pathlib import Path

import pytest

from epsilens import posterior
from tests.unit.cli.conftest import Run

RHO = "0.099226,0.246485"


def test_single_matches_the_library(run: Run) -> None:
    result = run("posterior", "single", "--noisy", "2", "--rho", "0.099", "--json").json
    assert result["posterior"] == pytest.approx(posterior.single_level(noisy=2, known=0, rho=0.099).posterior)
    expected = posterior.expected_single_level(rho=0.099, prior=0.5)
    assert result["expected"]["correct_decision"] == pytest.approx(expected.correct_decision)
    assert result["label"] == "publishable"
    text = run("posterior", "single", "--noisy", "2", "--rho", "0.099", "--scenario", "participation").out
    assert "Did this person answer" in text
    assert f"{result['posterior']:.4f}" in text


def test_single_takes_any_mechanism(run: Run) -> None:
    result = run("posterior", "single", "--noisy", "1", "--epsilon", "1", "--mechanism", "laplace", "--json").json
    assert 0.5 < result["posterior"] < 0.74


def test_two_level_is_exact_by_default_and_published_on_request(run: Run) -> None:
    observed = ("--noisy", "2", "--noisy-parent", "1", "--noisy-siblings", "-1", "--siblings", "27", "--rho", RHO)
    assert run("posterior", "two-level", *observed, "--json").json["posterior"] == pytest.approx(0.5033, abs=5e-5)
    published = run("posterior", "two-level", *observed, "--published", "--json").json
    assert published["posterior"] == pytest.approx(0.5777, abs=5e-5)
    rows = run("posterior", "two-level", "--parent", "1,10", "--siblings", "27", "--rho", RHO, "--json").json["rows"]
    assert [round(row["correct_decision"], 4) for row in rows] == [0.3182, 0.5897]


def test_levels_of_the_census(run: Run) -> None:
    rows = run("posterior", "levels", "--preset", "census-2020", "--prior", "0.5", "--json").json["rows"]
    assert [round(row["posterior"], 6) for row in rows] == [0.523666, 0.574547, 0.583846, 0.592996, 0.601687, 0.610173]


def test_the_decision_map_is_drawn(run: Run, tmp_path: Path) -> None:
    outcome = run("posterior", "two-level", "--parent", "1", "--siblings", "27", "--rho", RHO, "--map", "map.svg")
    assert outcome.code == 0
    assert "noisy child 2" in (tmp_path / "map.svg").read_text()


def test_the_chart_takes_the_parent_s_prior_that_was_asked_for(run: Run, tmp_path: Path) -> None:
    arguments = ("posterior", "two-level", "--parent", "1,2", "--siblings", "3", "--rho", "0.1,0.2", "--plot", "c.html")
    run(*arguments)
    anyhow = (tmp_path / "c.html").read_text()
    run(*arguments, "--parent-prior", "uniform:2")
    assert (tmp_path / "c.html").read_text() != anyhow


def test_much_budget_ends_in_certainty_not_in_nonsense(run: Run) -> None:
    rows = run("posterior", "two-level", "--siblings", "27", "--rho", "1e3,1e3", "--parent", "5", "--json").json["rows"]
    assert (rows[0]["posterior"], rows[0]["correct_decision"]) == pytest.approx((1.0, 1.0))


def test_every_chart_that_was_written_is_named(run: Run, tmp_path: Path) -> None:
    asked = ("posterior", "two-level", "--parent", "1,2", "--siblings", "3", "--rho", "0.1,0.2")
    both = ("--plot", "right.svg", "--map", "map.svg")
    told = run(*asked, *both)
    assert told.code == 0
    for name in ("right.svg", "map.svg"):
        assert f"Chart written to {name}" in told.out
        assert (tmp_path / name).exists()
    assert run(*asked, *both, "--json").json["charts"] == ["right.svg", "map.svg"]
    assert "charts" not in run(*asked, "--json").json
