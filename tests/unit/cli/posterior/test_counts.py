from __future__ import annotations

from pathlib import Path

import pytest

from epsilens import posterior
from epsilens.noise import DiscreteLaplaceNoise
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


def test_table_4_in_one_call(run: Run) -> None:
    asked = ("posterior", "single", "--noisy", "1,2,3,4,5", "--prior", "1/2,1/5,1/10,1/50,1/864", "--rho", "0.099226")
    text = run(*asked).out
    for number in ("0.1777", "0.1609", "0.1195", "0.0728", "0.0363", "2.4385", "prior 1/864"):
        assert number in text
    rows = run(*asked, "--json").json["rows"]
    assert [round(row["probability"], 3) for row in rows[::5]] == [0.178, 0.161, 0.119, 0.073, 0.036]


def test_somebody_who_is_not_there(run: Run) -> None:
    wrong = ("--parent", "0", "--absent", "--parent-prior", "point:25", "--siblings", "27", "--rho", RHO)
    assert "a right decision with probability 0.4313" in run("posterior", "two-level", *wrong).out
    rows = run("posterior", "levels", "--preset", "census-2020", "--prior", "1/2", "--absent", "--json").json["rows"]
    assert rows[0]["posterior"] == pytest.approx(1 - 0.523666, abs=1e-6)
    assert "of a person who is not there" in run("posterior", "curve", "--points", "3", "--absent").out
    assert "of a person who is not there" in run("posterior", "sequence", "--rho", "0.1", "--absent").out
    assert "of a person who is not there" in run("posterior", "single", "--rho", "0.1", "--absent").out


def test_decisions_after_a_sequence_are_told(run: Run) -> None:
    text = run("posterior", "sequence", "--rho", "0.1,0.2,0.3,0.4,0.5").out
    assert "right decision with probability 0.8069, after 5 releases." in text


def test_the_posterior_of_the_parent_is_told(run: Run) -> None:
    seen = ("--noisy", "2", "--noisy-parent", "1", "--noisy-siblings", "-1", "--siblings", "27", "--rho", RHO)
    told = run("posterior", "two-level", *seen, "--published").out
    assert "Posterior of the parent's count: 0: 0.11" in told


def test_a_curve_that_falls_says_so(run: Run) -> None:
    text = run("posterior", "curve", "--from", "2.4", "--to", "3.6", "--points", "13", "--prior", "1/864").out
    assert "More budget is not always more risk: at prior 1/864 posterior / prior falls from 53.6" in text


def test_charts_over_rho_and_of_published_values(run: Run, tmp_path: Path) -> None:
    asked = ("posterior", "two-level", "--parent", "1,2", "--siblings", "3", "--rho", "0.1,0.2", "--published")
    assert run(*asked, "--parent-rho", "0.1:1:3", "--axis", "rho", "--plot", "c.svg").code == 0
    drawn = (tmp_path / "c.svg").read_text()
    assert "PUBLISHED values" in drawn
    assert "rho of the parent" in drawn


def test_families_in_every_question(run: Run) -> None:
    one = run("posterior", "single", "--noisy", "3", "--epsilon", "1", "--family", "4", "--json").json
    noise = DiscreteLaplaceNoise(1.0)
    assert one["family"] == 4
    assert one["posterior"] == pytest.approx(posterior.single_level(3, noise=noise, family=4).posterior)
    several = run("posterior", "single", "--noisy", "3,5", "--epsilon", "1", "--family", "1,4", "--plot", "f.svg")
    assert "how often," in several.out
    assert Path("f.svg").exists()
    average = run("posterior", "single", "--epsilon", "1", "--family", "1,4", "--json").json["averages"]
    assert [row.get("family") for row in average] == [None, 4]
    two = run("posterior", "two-level", "--parent", "4", "--siblings", "3", "--rho", "1,1", "--family", "4").out
    assert "a family of 4 who are there" in two
    steps = run("posterior", "sequence", "--rho", "0.1,0.1", "--noisy", "1,2", "--family", "2").out
    assert "of a family of 2" in steps


def test_curves_have_a_line_for_each_family(run: Run) -> None:
    given = ("--prior", "0.5", "--family", "1,4")
    curve = run("posterior", "curve", *given, "--points", "3", "--plot", "c.svg", "--json").json["rows"]
    assert [row.get("family", 1) for row in curve] == [1, 1, 1, 4, 4, 4]
    assert "who share it" in Path("c.svg").read_text()
    levels = run("posterior", "levels", *given, "--rho", "0.1,0.2", "--plot", "l.svg").out
    assert "Families who are unique" in levels
    assert "A family of 4 who are unique" in run("posterior", "levels", "--rho", "0.1", "--family", "4").out
    assert "of a family of 4 who are there" in run("posterior", "curve", "--points", "2", "--family", "4").out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("single", "--epsilon", "1", "--family", "0"), "--family must be >= 1"),
        (("single", "--epsilon", "1", "--family", "1.5"), "--family must be a whole number"),
        (("curve", "--family", "2,4"), "one --prior"),
        (("levels", "--rho", "0.1", "--prior", "0.5", "--family", "2,2"), "names a size twice"),
        (("two-level", "--parent", "3", "--siblings", "3", "--rho", "1,1", "--family", "4"), "--parent must be >= 4"),
    ],
)
def test_families_that_cannot_be_are_refused(run: Run, line: tuple[str, ...], said: str) -> None:
    outcome = run("posterior", *line)
    assert outcome.code == 2
    assert said in outcome.err
