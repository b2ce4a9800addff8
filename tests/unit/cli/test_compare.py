"""``epsilens compare`` as a user meets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.cli.conftest import Run

ROLES = ("--qid", "town,age", "--sensitive", "ill")
FEW = ("--repetitions", "3", "--k", "3")
QUICK = (*FEW, "--epsilon", "1")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    lines = [f"{rng.choice(['ash', 'elm'])},{rng.choice([20, 30, 40])},{rng.choice(['no', 'yes'])}" for _ in range(120)]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(["town,age,ill", *lines]) + "\n")
    return path


def test_all_systems_side_by_side(run: Run, patients: Path) -> None:
    done = run("compare", patients, *ROLES, *QUICK, "--swap", "town", "--group", "town", "--audit")
    assert (done.code, done.err) == (0, "")
    for word in ("INTERNAL", "dp-suppression-one-threshold", "k-anonymity-relaxed", "FALSE", "Bias per cell, by town"):
        assert word in done.out
    assert "…" not in done.out


def test_json_has_rows_groups_and_audits(run: Run, patients: Path) -> None:
    done = run("compare", patients, *ROLES, *QUICK, "--systems", "published", "--audit", "--json", "--no-classify")
    result = done.json
    assert result["label"] == "internal"
    assert result["rows"][0]["system"] == "laplace"
    assert {audit["verdict"] for audit in result["audits"]} == {"valid", "false"}
    assert result["baseline"]["accuracy"] is None
    assert result["settings"]["attributes"] == {"town": 2, "age": 3, "ill": 2}


def test_a_universe_adds_empty_cells(run: Run, patients: Path, tmp_path: Path) -> None:
    universe = tmp_path / "u.json"
    universe.write_text(json.dumps({"town": ["ash", "elm", "oak"], "age": [20, 30, 40, 50]}))
    done = run(
        "compare",
        patients,
        *ROLES,
        *QUICK,
        "--systems",
        "laplace",
        "--universe",
        universe,
        "--json",
        "--ordered",
        "age",
    )
    assert done.json["baseline"]["cells"] == 24
    universe.write_text(json.dumps({"town": ["ash"]}))
    refused = run("compare", patients, *ROLES, *QUICK, "--universe", universe)
    assert refused.code == 2
    assert "column 'town' has 1 value " in refused.err


def test_equal_risk_and_charts(run: Run, patients: Path, tmp_path: Path) -> None:
    done = run(
        "compare", patients, *ROLES, *FEW, "--systems", "laplace,swapping", "--equal-risk", "posterior=0.7",
        "--plot", tmp_path / "c.svg",
    )  # fmt: skip
    assert done.code == 0
    assert "No epsilon keeps posterior risk <= 0.7 for: swapping." in done.out
    assert (tmp_path / "c-rmse.svg").exists()


def test_lists_theorems_and_lines(run: Run, patients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: dict[str, Any] = {}
    monkeypatch.setattr(
        "epsilens.report.charts.compare.save_chart", lambda chart, path: drawn.update({path.name: chart})
    )
    asked = (*ROLES, "--systems", "suppression,dp-suppression,laplace,dp-swapping", "--repetitions", "2")
    more = ("--k", "2,4", "--epsilon", "0.5,1", "--theorems", "--audit", "--bound", "200", "--no-classify")
    done = run("compare", patients, *asked, *more, "--plot", "c.svg", "--axis", "k")
    assert (done.code, done.err) == (0, "")
    for text in (
        "dp-suppression k=4", "B = 200, as declared", "Theorems 1 to 10", "false as printed", "the counts 3 and 10,000",
        "Without epsilon: suppression", "Dominated:", "gains no privacy", "clips them at zero",
    ):  # fmt: skip
        assert text in " ".join(done.out.split()), text
    assert "laplace, epsilon 0.5 *" in str(drawn["c-l1_error.svg"].to_dict())
    plain = run("compare", patients, *asked, *more, "--json").json
    assert [row["k"] for row in plain["rows"]] == [2, 4, 2, 2, 4, 4, None, None, None, None]
    assert all(row["l1_error"] >= row["bias_l1"] - 1e-9 for row in plain["rows"])
    assert {check["theorem"] for check in plain["theorems"]} == {*range(1, 11)}
    assert plain["settings"]["bound"] == 200


def test_a_setting_that_does_nothing_is_warned_of(run: Run, patients: Path) -> None:
    few = ("--systems", "swapping", "--repetitions", "2", "--swapped-share", "0.01", "--no-classify")
    done = run("compare", patients, *ROLES, *few)
    assert "warning  swapping: does nothing here: 1 % of 120 people is not one pair" in done.out


def test_a_setting_that_no_system_depends_on_is_named(run: Run, patients: Path) -> None:
    asked = ("--systems", "rounding", "--repetitions", "2", "--k", "4", "--epsilon", "1", "--no-classify")
    done = run("compare", patients, *ROLES, *asked)
    assert done.code == 0
    for name in ("epsilon", "k"):
        assert f"warning  {name} is ignored: no chosen system depends on it." in done.out
    assert run("compare", patients, *ROLES, *asked, "--json").json["settings"]["ignored"] == ["epsilon", "k"]
    assert "is ignored" not in run("compare", patients, *ROLES, *asked, "--theorems").out


def test_harmful_values_and_the_worst_off(run: Run, patients: Path) -> None:
    asked = ("--systems", "laplace,suppression", "--no-classify", "--harmful", "ill=yes*2")
    done = run("compare", patients, *ROLES, *QUICK, *asked)
    assert "Counted as harmful: yes (2 times), as declared. Being shown as no is not counted." in done.out
    assert "Who is shown as what, shares of people, at equal epsilon" in done.out
    for row in run("compare", patients, *ROLES, *QUICK, *asked, "--json").json["rows"]:
        shown = {entry["value"]: entry for entry in row["by_value"]}
        assert row["homogeneity_risk"] == pytest.approx(2.0 * shown["yes"]["shown_right"])
        assert row["harmful_wrong"] == pytest.approx(shown["yes"]["shown_wrong"])
        assert row["shown_right"] == pytest.approx(sum(entry["shown_right"] for entry in row["by_value"]))
        assert row["worst_risk"] == row["spread"]["worst"]
        assert row["people_above_half"] == row["spread"]["above_half"]
    refused = run("compare", patients, *ROLES, *QUICK, "--harmful", "ill=yse")
    assert "did you mean 'yes'" in refused.err


def test_nobody_keeps_the_risk(run: Run, patients: Path) -> None:
    done = run("compare", patients, *ROLES, *FEW, "--systems", "swapping", "--equal-risk", "posterior=0.7")
    assert done.code == 0
    assert "No epsilon keeps" in done.out


def test_hierarchies(run: Run, patients: Path, tmp_path: Path) -> None:
    tree = tmp_path / "h.json"
    tree.write_text(json.dumps({"ash": "*", "elm": "*"}))
    options = (*ROLES, *QUICK, "--systems", "k-anonymity", "--hierarchy", f"town={tree}")
    assert run("compare", patients, *options).code == 0
    tree.write_text(json.dumps({"ash": "*"}))
    orphan = run("compare", patients, *options)
    assert orphan.code == 2
    assert "no place for 1 of the 2 values" in orphan.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--systems", "laplas"), "did you mean 'laplace'"),
        (("--k", "0"), "--k must be >= 1, got 0"),
        (("--k", "500"), "--k must not exceed the number of people, 120, got 500"),
        (("--epsilon", "0"), "epsilon must be > 0"),
        (("--epsilon", ","), "--epsilon needs at least one number"),
        (("--repetitions", "1"), "--repetitions must be >= 2"),
        (("--jobs", "0"), "--jobs must be >= 1"),
        (("--swap", "twon"), "did you mean 'town'"),
        (("--group", "tonw"), "did you mean 'town'"),
        (("--equal-risk", "homogeneity"), "must be KIND=RISK"),
        (("--equal-risk", "luck=0.1"), "homogeneity or posterior"),
        (("--equal-risk", "homogenety=0.1"), "got 'homogenety'; did you mean 'homogeneity'?"),
        (("--hierarchy", "town"), "must be COL=FILE.json"),
        (("--hierarchy", "town=none.json"), "cannot read the hierarchy"),
        (("--plot", "c.jpg"), "a chart is written as"),
        (("--swapped-share", "2"), "share of rows"),
        (("--swapped-share", "nan"), "--swapped-share must be finite"),
        (("--seed", "-1"), "--seed must be >= 0"),
        (("--equal-risk", "homogeneity=0.1"), "leave out --epsilon"),
        (("--k", "3,x"), "--k must be a number"),
        (("--k", ","), "--k needs at least one number"),
        (("--base", "1"), "--base must be >= 2"),
        (("--bound", "3"), "--bound must be at least the largest count of the table, got 3"),
        (("--systems", "laplace", "--k", "2,3"), "--k has several values, but no chosen system depends on it"),
        (("--systems", "laplace", "--base", "3"), "--base plays no part in any of the systems chosen; leave it out"),
        (("--prior", "3/2"), "--prior must lie strictly between 0 and 1, got 1.5"),
        (("--axis", "k"), "--axis is for charts; say in --plot where to write them"),
        (("--axis", "k", "--plot", "c.svg"), "at two values or more, got 'k'; list them in --k"),
        (("--axis", "share", "--plot", "c.svg"), "list them in --swapped-share"),
        (("--axis", "q", "--plot", "c.svg"), "--axis must be one of"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run: Run, patients: Path, options: tuple[str, ...], message: str) -> None:
    pairs = (("--repetitions", "3"), ("--k", "3"), ("--epsilon", "1"))
    quick = [word for pair in pairs if pair[0] not in options for word in pair]
    refused = run("compare", patients, *ROLES, *quick, *options)
    assert refused.code == 2
    assert message in refused.err
    assert refused.err.count("\n") == 1
    assert "Traceback" not in refused.err


def test_no_quasi_identifiers(run: Run, patients: Path) -> None:
    refused = run("compare", patients, "--sensitive", "ill")
    assert refused.code == 2
    assert "--qid is missing" in refused.err


@pytest.fixture
def plain_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-learn, which is an extra."""
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)


@pytest.mark.usefixtures("plain_install")
def test_a_plain_install_compares_classifiers_too(run: Run, patients: Path) -> None:
    few = ("--systems", "laplace", "--json")
    done = run("compare", patients, *ROLES, *QUICK, *few)
    assert (done.code, done.err) == (0, "")
    assert 0.5 < done.json["baseline"]["accuracy"] <= 1.0
    assert 0.0 < done.json["rows"][0]["accuracy"] <= 1.0
    asked = run("compare", patients, *ROLES, *QUICK, *few, "--no-classify")
    assert (asked.code, asked.err) == (0, "")
    assert asked.json["baseline"]["accuracy"] is None
    without = [{k: v for k, v in row.items() if not k.startswith("accuracy")} for row in done.json["rows"]]
    assert asked.json["rows"] == without


def test_every_chart_that_was_written_is_named(run: Run, patients: Path, tmp_path: Path) -> None:
    quick = ("compare", patients, *ROLES, *QUICK, "--systems", "laplace", "--no-classify", "--plot", "c.svg")
    told, plain = run(*quick).out, run(*quick, "--json").json
    assert plain["charts"] == sorted(plain["charts"], key=plain["charts"].index) != []
    for path in tmp_path.glob("c-*.svg"):
        assert path.name in told
        assert path.name in plain["charts"]
