"""``epsilens utility`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.conftest import Run

ROLES = ("--qid", "age,sex", "--sensitive", "income", "--bins", "age=20", "--epsilon", "1,2", "--repetitions", "3")


def test_text_json_and_chart(run: Run, people: Path, tmp_path: Path) -> None:
    done = run("utility", people, *ROLES)
    assert (done.code, done.err) == (0, "")
    for word in ("INTERNAL", "No universe is declared", "Marginals: total variation distance", "largest"):
        assert word in done.out
    drawn = run("utility", people, *ROLES, "--json", "--plot", tmp_path / "c.svg").json
    assert (drawn["label"], drawn["charts"]) == ("internal", [str(tmp_path / "c.svg")])
    assert [row["epsilon"] for row in drawn["budgets"]] == [1.0, 2.0]
    assert len(drawn["budgets"][0]["marginals"]) == 7
    assert (tmp_path / "c.svg").read_text().startswith("<svg")


def test_the_declared_universe_gets_noise_and_structural_zeros_do_not(run: Run, people: Path, tmp_path: Path) -> None:
    universe, zeros = tmp_path / "u.json", tmp_path / "z.json"
    universe.write_text(json.dumps({"age": {"from": 20, "to": 80}, "sex": ["f", "m", "x"], "income": ["low", "high"]}))
    zeros.write_text(json.dumps([{"sex": "x", "income": "high"}]))
    whole = run("utility", people, *ROLES, "--universe", universe, "--json").json["universe"]
    assert (whole["cells"], whole["counts"], whole["further_cells"]) == (9, 18, 6)
    less = run("utility", people, *ROLES, "--universe", universe, "--structural-zeros", zeros, "--json").json
    assert (less["universe"]["cells"], less["universe"]["counts"]) == (9, 15)
    told = run("assess", people, *ROLES[:-4], "--epsilon", "1", "--universe", universe, "--structural-zeros", zeros)
    assert "The declared universe has 9 cells with 15 counts, which all get noise; in 6" in told.out


def test_joint_and_separate_tables_of_several_attributes(run: Run, people: Path) -> None:
    several = ("--qid", "age", "--sensitive", "sex,income", "--bins", "age=20")
    told = run("assess", people, *several, "--epsilon", "1", "--publish", "separate", "--budget", "all")
    assert (told.code, told.err) == (0, "")
    assert "epsilon is the budget of the 2 together, evenly divided" in told.out
    assert "All attributes, separate tables, laplace noise" in told.out
    chosen = run("choose", people, *several, "--max-risk", "0.5", "--publish", "separate", "--json").json
    assert (chosen["publish"], chosen["attributes"], chosen["budget_of"]) == ("separate", "max", "each")
    looked = run("utility", people, *several, "--publish", "separate", "--epsilon", "1", "--repetitions", "2", "--json")
    assert [row["table"] for row in looked.json["budgets"]] == ["sex", "income"]


def test_harm_is_about_risks(run: Run, people: Path) -> None:
    refused = run("utility", people, *ROLES, "--harmful", "income=high")
    assert refused.code == 2
    assert "--harmful is about risks, and what a table is good for does not depend on it; leave it out" in refused.err
