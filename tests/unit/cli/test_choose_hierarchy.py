"""``epsilens choose`` of a hierarchy, and of several sensitive attributes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.choice import BudgetChoice, choose_budget, worst_case_of
from epsilens.choice.aggregates import PeopleAbove, aggregate
from epsilens.choice.beside.profile_mechanisms import profile_cap
from epsilens.choice.beside.profiles import parse_profile
from epsilens.choice.choose import choosing
from epsilens.choice.choose.choosing import chosen_budget
from epsilens.choice.choose.dials import risk_dial
from epsilens.posterior import release_risk
from epsilens.report.words.choose import choice_sentences, rounded_to_safety
from epsilens.table import Hierarchy
from tests.unit.cli.conftest import Run

LEVELS = ("--levels", "block,tract,county", "--by", "age,sex")
NOISE = ("--mechanism", "discrete-gaussian", "--rho")


@pytest.fixture
def town(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    path = tmp_path / "town.csv"
    rows = [(b, b // 4, b // 8, rng.integers(0, 12), rng.choice(["f", "m"])) for b in rng.integers(0, 16, 90)]
    path.write_text("block,tract,county,age,sex\n" + "".join(f"{b},{t},{c},{a},{s}\n" for b, t, c, a, s in rows))
    return path


@pytest.mark.parametrize(
    "extra",
    [
        ("--measure", "posterior-ratio", "--attack", "two-level", "--max-risk", "1.1"),
        (
            "--measure",
            "posterior-ratio",
            "--max-risk",
            "1.3",
            "--max-people",
            "10",
            "--shares",
            "0.5,0.3,0.2",
            "--attack",
            "two-level",
        ),
        ("--measure", "posterior-decision", "--attack", "single", "--max-risk", "0.7", "--aggregate", "max"),
        ("--measure", "posterior", "--max-risk", "0.6", "--rare", "3", "--aggregate", "q90", "--prior", "0.4"),
    ],
)
def test_answer_words_and_library_agree(
    run: Run, town: Path, extra: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[BudgetChoice] = []

    def recorded(*asked: Any, **options: Any) -> BudgetChoice:
        made.append(chosen_budget(*asked, **options))
        return made[-1]

    monkeypatch.setattr(choosing, "chosen_budget", recorded)
    answer = run("choose", town, *LEVELS, *NOISE, *extra, "--json").json
    given = dict(zip(extra[::2], extra[1::2], strict=True))
    rare, prior = int(given.get("--rare", "1")), float(given.get("--prior", "0.5"))
    situations = Hierarchy.read(town, ("block", "tract", "county"), ("age", "sex")).situations(rare)
    shares = [float(s) for s in given.get("--shares", "0.3333333333333333," * 2 + "0.3333333333333333").split(",")]
    attack = given.get("--attack", "unique-levels")
    people = int(given["--max-people"]) if "--max-people" in given else None
    (choice,) = made
    by = PeopleAbove(people) if people is not None else aggregate(given.get("--aggregate", "mean"))
    asked: dict[str, Any] = {"attack": attack, "rare": rare, "prior": prior, "shares": shares}
    dial = risk_dial(situations, "discrete-gaussian", by, given["--measure"], None, "add-remove", "rho", **asked)
    assert (choice.max_risk, choice.max_people) == (float(given["--max-risk"]), people)
    for budget in (0.7, answer["budget"]):
        assert choice.dial.risk(budget) == dial.risk(budget)
    for name in ("mechanism", "parameter", "delta", "neighbours", "measure", "aggregate", "shares", "attack", "limits"):
        assert getattr(choice.dial, name) == getattr(dial, name)
    plain = json.loads(json.dumps(choice.to_dict()))
    assert {name: answer[name] for name in plain} == plain
    risk = release_risk(situations, [s * answer["budget"] for s in shares], prior, attack, rare)
    field = {"posterior": "posterior", "posterior-ratio": "risk_ratio", "posterior-decision": "correct_decision"}
    values = np.sort(np.repeat(getattr(risk, field[given["--measure"]]), risk.people))
    assert answer["people"] == len(values)
    ceiling = answer["max_risk"]
    if people is not None:
        # whoever is at the ceiling to the last digit is not above it
        assert answer["people_above"] == (values > ceiling + 1e-9).sum() <= people
        assert (
            f"at most {people} people at a posterior-ratio, two-level attack risk above 1.3" in answer["sentences"][0]
        )
    elif "--aggregate" not in given:
        assert values.mean() == pytest.approx(answer["risk"], abs=1e-12)
    assert answer["sentences"] == choice_sentences(answer)
    text = " ".join(answer["sentences"])
    assert f"rho = {rounded_to_safety(answer['budget'])}" in text
    assert f"a count of the lowest level is off by {answer['error']:.3g} people" in text
    for level, share, error in zip(answer["levels"], answer["shares"], answer["errors"], strict=True):
        assert f"{level} {100 * share:.1f} % ({error:.3g} people off)" in text
    assert f"{len(values)} people are at stake" in text
    assert f"{answer['budgets_scanned']} budgets were looked at" in text
    worst = worst_case_of(
        [el.calibrate("discrete-gaussian", el.ZCDP(s * answer["budget"])) for s in shares], prior=prior
    )
    assert answer["worst_case"] == pytest.approx(worst.to_dict())
    assert f"tells it from all 3 levels with an advantage of {100 * worst.advantage:.1f} % over guessing" in text


def test_paragraph_and_charts(run: Run, town: Path) -> None:
    request = ("choose", town, *LEVELS, "--measure", "posterior-ratio", "--attack", "single", "--max-risk", "1.2")
    outcome = run(*request, "--plot", "c.svg", "--against", "discrete-laplace")
    assert (outcome.code, outcome.err) == (0, "")
    text = re.sub(r"\s+", " ", outcome.out)
    assert "To keep the average risk over people (posterior-ratio, single attack) at or below 1.2" in text
    assert "less error than" in text
    assert "At matched risk (1.2)" in text
    assert "single attack" in Path("c.svg").read_text()


def test_worst_case_chart_and_a_profile_with_gaussian_noise(run: Run, town: Path) -> None:
    request = ("choose", town, *LEVELS, "--measure", "posterior-ratio", "--attack", "single", "--max-risk", "1.2")
    gaussian = ("--mechanism", "gaussian-analytic", "--delta", "1e-6", "--profile", "max(0.25/p,3)", "--json")
    answer = run(*request, *gaussian, "--plot", "t.svg", "--chart", "trade-off").json
    assert "over all 3 levels" in Path("t.svg").read_text()
    profile = answer["profile"]
    assert profile["failure"] <= 1e-6
    assert answer["combined_budget"] == min(answer["budget"], profile["epsilon"])
    # wide Gaussian noises of three levels are, together, one Gaussian noise of a table, but for the steps of its losses
    table = el.FrequencyTable.from_counts([[3, 1], [0, 2]])
    one = risk_dial(table, "gaussian-analytic", aggregate("mean"), "local", 1e-6)
    assert profile["epsilon"] == pytest.approx(profile_cap(parse_profile("max(0.25/p,3)"), one)[0], rel=0.015)


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        (("--levels", "block,tract"), "--levels needs --by"),
        (
            (*LEVELS, "--measure", "local"),
            "posterior-decision; take --measure posterior-ratio",
        ),
        ((*LEVELS, "--qid", "age"), "--qid belongs to a table"),
        ((*LEVELS, "--sensitive", "age"), "--sensitive belongs to a table"),
        ((*LEVELS, "--levers"), "--levers change nothing"),
        ((*LEVELS, "--export", "opendp"), "--export belongs to a table"),
        ((*LEVELS, "--plot", "c.svg", "--chart", "marginals"), "--chart must be one of risk, iso-risk, trade-off"),
        ((*LEVELS, "--attack", "triple"), "--attack must be one of"),
        ((*LEVELS, "--rare", "0"), "--rare must be >= 1, got 0"),
        ((*LEVELS, "--shares", "0.5,0.5"), "--shares needs one number per level (3), got 2"),
        ((*LEVELS, "--shares", "0.5,0,0.5"), "a share of the budget must be > 0"),
        ((*LEVELS, "--codes", "odd"), "--codes must be one of"),
        (
            (*LEVELS, "--match", "any"),
            "has no option --match; it takes --attack, --prior, --family, --rare and --shares",
        ),
        (("--levels", "county,tract,block", "--by", "age"), "is not nested in"),
        ((*LEVELS, "--max-risk", "0.5000000001"), "raise --max-risk"),
    ],
)
def test_bad_input_is_one_line(run: Run, town: Path, extra: tuple[str, ...], problem: str) -> None:
    start = ("choose", town, "--measure", "posterior", "--max-risk", "0.7")
    outcome = run(*start, *extra)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err


def test_several_attributes(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [(rng.integers(0, 6), rng.choice(["a", "b"]), rng.choice(["x", "y"])) for _ in range(40)]
    path = tmp_path / "two.csv"
    path.write_text("q,first,second\n" + "".join(f"{q},{a},{b}\n" for q, a, b in rows))
    table = el.read_table(path, el.Schema(["q"], ["first", "second"]))
    roles = ("choose", path, "--qid", "q", "--sensitive", "first,second", "--max-risk", "0.2", "--json")
    for kind, words in (("joint", "(local)"), ("max", "largest of the attributes"), ("sum", "sum of the attributes")):
        answer = run(*roles, "--attributes", kind).json
        choice = choose_budget(table, max_risk=0.2, attributes=kind)
        assert answer["safe_set"] == choice.to_dict()["safe_set"]
        assert answer["attributes"] == kind
        assert words in answer["sentences"][0]
    outcome = run(*roles[:-3], "--max-risk", "2.5", "--attributes", "sum")
    assert (outcome.code, "must lie in (0, 2]" in outcome.err) == (2, True)
    outcome = run(*roles, "--attributes", "max", "--measure", "hard")
    assert (outcome.code, "--attributes max is known for measure 'local' only" in outcome.err) == (2, True)


VISITS = "who,block,tract,age\n1,b1,t,31\n1,b1,t,32\n2,b1,t,34\n3,b2,t,?\n4,b2,t,52\n"
ROLES = ("--bins", "age=10", "--unit", "who", "--missing-value", "?")


def test_a_hierarchy_is_read_with_bins_units_and_missing_values(run: Run, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "people.csv").write_text("block,tract,age\nb1,t,30s\nb1,t,30s\nb2,t,none\nb2,t,50s\n")
    levels = ("--levels", "block,tract", "--by", "age")
    asked = ("--measure", "posterior-ratio", "--max-risk", "1.2", "--rare", "2", "--json")
    found, same = run("choose", "visits.csv", *levels, *ROLES, *asked), run("choose", "people.csv", *levels, *asked)
    assert (found.code, found.err, found.json) == (0, "", same.json)
    risk = ("--rho", "0.1,0.2", "--rare", "2", "--json")
    found = run("posterior", "release", "visits.csv", *levels, *ROLES, *risk)
    assert found.json == run("posterior", "release", "people.csv", *levels, *risk).json
    assert found.json["people"] == 4


@pytest.mark.parametrize(
    "command", [("choose", "--measure", "posterior", "--max-risk", "0.6"), ("posterior", "release")]
)
def test_several_rows_of_a_person_in_groups_are_refused(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    noise = ("--rho", "0.1,0.2") if command[0] == "posterior" else ()
    roles = ("--levels", "block,tract", "--by", "age", "--unit", "who", "--max-rows", "2")
    assert run(*command, "visits.csv", *roles, *noise).err == (
        "epsilens: the adversary's risks are those of one row per person, and these groups keep up to 2; "
        "read them with a --max-rows of 1\n"
    )
    assert run(*command, "visits.csv", *roles, "--missing", "refuse", "--max-rows", "1", *noise).code == 0
    refused = run(
        *command, "visits.csv", *roles, "--missing", "refuse", "--missing-value", "?", "--max-rows", "1", *noise
    )
    assert "column 'age' is missing in 1 row" in refused.err


def test_a_budget_for_a_family(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    rows = [f"{block},{block // 2},f" for block in range(4) for _ in range(2)]
    path.write_text("block,tract,sex\n" + "\n".join(rows) + "\n")
    given = ("--levels", "block,tract", "--by", "sex", "--measure", "posterior", "--max-risk", "0.7")
    noise = ("--mechanism", "discrete-gaussian", "--rho", "--attack", "single")
    found = run("choose", path, *given, *noise, "--family", "2", "--json").json
    assert (found["family"], found["people"]) == (2, 8)
    risk = el.posterior.expected_single_level(found["budget"] / 2, family=2)  # half of it for each level
    assert risk.posterior == pytest.approx(0.7, abs=1e-3)
    refused = run("choose", path, *given, *noise, "--family", "3", "--rare", "2")
    assert (refused.code, "--rare must be >= 3" in refused.err) == (2, True)
    table = ("--qid", "sex", "--sensitive", "tract", "--max-risk", "0.5")
    assert "posterior measures" in run("choose", path, *table, "--family", "2").err
