from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.beside.frontier import at_matched_risk, lever_effects
from epsilens.choice.beside.profiles import capped_profile, profile_budget
from epsilens.choice.beside.worst_case import worst_case_of
from epsilens.choice.choose.budget_choice import PUBLIC_GRID
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.two_parameters import choose_delta
from epsilens.report.words.choose import choice_sentences, rounded_to_safety
from tests.unit.cli.conftest import Run

ROLES = ("--qid", "age,sex", "--bins", "age=10", "--sensitive", "income")
KINDS = [(20, "f", 5, 0), (20, "m", 3, 0), (30, "f", 0, 2), (30, "m", 8, 0), (40, "f", 10, 6), (40, "m", 0, 1)]
KINDS += [(50, "f", 4, 0), (50, "m", 3, 3)]
ROWS = [
    (a + i % 10, s, label) for a, s, *n in KINDS for label, m in zip(("low", "high"), n, strict=True) for i in range(m)
]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    path.write_text("age,sex,income\n" + "".join(f"{a},{s},{i}\n" for a, s, i in ROWS))
    return path


def table_of(path: Path) -> el.FrequencyTable:
    return el.read_table(path, el.Schema(["age", "sex"], "income", bins={"age": 10}))


def numbers(text: str) -> list[float]:
    return [float(part) for part in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)", text.replace(",", ""))]


def test_json_is_what_the_library_computes(run: Run, survey: Path) -> None:
    answer = run(
        "choose", survey, *ROLES, "--max-risk", "0.4", "--profile", "max(0.25/p,3)", "--against", "discrete-laplace",
        "--levers", "--json",
    ).json  # fmt: skip
    table = table_of(survey)
    choice = choose_budget(table, max_risk=0.4)
    allowed = profile_budget(capped_profile(0.25, 3.0))
    plain = json.loads(json.dumps(choice.to_dict())) | {"public_budget": choice.public_budget_within(allowed.epsilon)}
    assert {name: answer[name] for name in plain} == plain
    assert answer["public_budget"] <= allowed.epsilon  # never a value that the profile forbids
    assert answer["profile"] == allowed.to_dict()
    assert answer["combined_budget"] == choice.capped(allowed.epsilon)
    # the worst case is that of the budget to take, which the profile limits here
    assert answer["worst_case_at"] == answer["combined_budget"] < answer["budget"]
    assert answer["worst_case"] == worst_case_of(choice.dial.noise(answer["combined_budget"])).to_dict()
    assert f"In the worst case at epsilon = {answer['combined_budget']:.4g}"[:-1] in " ".join(answer["sentences"])
    other = at_matched_risk(choice.dial, risk_dial(table, "discrete-laplace", choice.dial.aggregate), 0.4)
    assert answer["matched_risk"] == (None if other is None else other.to_dict())
    assert choice.budget is not None
    assert answer["levers"] == [effect.to_dict() for effect in lever_effects(table, choice.budget)]


CASES: dict[str, tuple[str, ...]] = {
    "plain": ("--max-risk", "0.4"),
    "everything": (
        "--max-risk", "0.4", "--profile", "max(0.25/p,3)", "--against", "discrete-laplace", "--levers",
        "--max-error", "5",
    ),
    "torn": ("--max-risk", "0.4", "--max-error", "0.05"),
    "nothing": ("--max-risk", "0.01"),
    "people": ("--max-risk", "0.6", "--max-people", "9"),
    "nobody": ("--max-risk", "0.8", "--max-people", "0"),
    "one person": ("--max-risk", "0.8", "--max-people", "1"),
    "everybody": ("--max-risk", "1", "--max-people", "0"),
    "odd ceiling": ("--max-risk", "0.4321"),
    "gaussian profile": (
        "--max-risk", "0.4", "--mechanism", "gaussian-analytic", "--delta", "1e-5", "--profile", "max(0.25/p,3)",
    ),
    "matched ratio": (
        "--max-risk", "1.5", "--measure", "posterior-ratio", "--against", "gaussian-analytic", "--delta", "1e-5",
    ),
    "no match": ("--max-risk", "1", "--against", "discrete-laplace", "--levers"),
    "no noise": ("--max-risk", "1"),
    "gaussian": ("--max-risk", "0.4", "--mechanism", "gaussian-analytic", "--delta", "1e-5"),
    "rho": ("--max-risk", "0.4", "--mechanism", "discrete-gaussian", "--rho"),
    "ratio": ("--max-risk", "1.5", "--measure", "posterior-ratio"),
    "maximum": ("--max-risk", "0.7", "--aggregate", "max", "--neighbours", "substitute"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_number_in_words_is_a_number_of_the_json(run: Run, survey: Path, case: str) -> None:
    answer = run("choose", survey, *ROLES, *CASES[case], "--json").json
    assert answer["sentences"] == choice_sentences(answer)  # words need nothing but the JSON
    stated = _values(answer)
    texts = list(_texts(answer))
    for sentence in answer["sentences"]:
        for text in sorted(texts, key=len, reverse=True):  # names of levers and profiles have numbers of their own
            sentence = sentence.replace(text, "")
        sentence = sentence.replace("1, 2, 5, 10, ...", "")
        for value in numbers(sentence):
            assert any(_is_said(value, number) for number in stated), f"{value} in {sentence!r}"


@pytest.mark.parametrize("case", CASES)
def test_every_statement_is_recomputed_from_the_json(run: Run, survey: Path, case: str) -> None:
    answer = run("choose", survey, *ROLES, *CASES[case], "--json").json
    text, name = " ".join(answer["sentences"]), answer["parameter"]
    ratio = answer["measure"] == "posterior-ratio"

    def risk(value: float) -> str:
        if ratio:
            return f"{value:.4g}"
        ceiling = 100 * answer["max_risk"]
        odd = math.isclose(100 * value, ceiling, rel_tol=1e-9) and not math.isclose(ceiling, round(ceiling, 1))
        return f"{ceiling:.10g} %" if odd else f"{100 * value:.1f} %"  # what equals the ceiling looks like it

    if not answer["safe_set"]:
        assert answer["floor"] > answer["max_risk"] or answer["floor_at"] == 0
        assert f"No {name} keeps" in text
        assert f"the least possible risk is {risk(answer['floor'])}" in text
        enough = [r for r in answer["remedies"] if r["reaches_the_ceiling"]]
        assert text.count("What would do") == min(3, len(enough))
        assert all(r["floor"] <= answer["max_risk"] for r in enough)
    elif answer["budget"] is None:
        assert "no noise is needed" in text
        assert answer["unprotected"] <= answer["max_risk"]
    else:
        low, high = answer["safe_set"][0]["low"], answer["safe_set"][0]["high"]
        assert answer["budget"] == high
        assert answer["risk"] <= answer["max_risk"]
        what = "risk" if answer["max_people"] is None else answer["aggregate_words"]
        assert f"{name} = {rounded_to_safety(high)}: the {what} is {risk(answer['risk'])} there" in text
        assert float(rounded_to_safety(high)) <= high < float(rounded_to_safety(high)) * 1.001
        assert f"off by {answer['error']:.3g} people" in text
        assert ("Smaller is not safer" in text) == (low > 0) == answer["smaller_is_unsafe"]
        if answer["public_budget"] is not None:
            assert low <= answer["public_budget"] <= high
            assert answer["public_budget"] in PUBLIC_GRID
            assert f"round it down to {answer['public_budget']:g}" in text
    if answer["people_above"] is not None:
        count = answer["people_above"]
        said = {0: "Nobody exceeds", 1: "1 person exceeds"}.get(count, f"{count} people exceed")
        assert said.lower() in text.lower()
        assert answer["people_above"] <= answer["max_people"]
    if answer["meets_both"] is False:
        near = answer["nearest_pair"]
        assert near["risk"] > answer["max_risk"] or near["error"] > answer["max_error"]
        assert f"the nearest is {name} = {near[name]:.4g}" in text
    elif answer["meets_both"]:
        assert f"is kept from {name} = {rounded_to_safety(answer['error_floor'], up=True)} on" in text
    if "profile" in answer:
        assert f"allows epsilon up to {rounded_to_safety(answer['profile']['epsilon'])}" in text
        assert answer["combined_budget"] == min(answer["budget"], answer["profile"]["epsilon"])
        how_many = "Both" if answer["meets_both"] is None else "All"
        assert f"{how_many} together: {name} = {rounded_to_safety(answer['combined_budget'])}" in text
    if answer.get("worst_case"):
        assert f"advantage of {100 * answer['worst_case']['advantage']:.1f} %" in text
    if match := answer.get("matched_risk"):
        assert match["saving"] == pytest.approx(1 - match["better_error"] / match["worse_error"])
        assert f"{match['better']} has {100 * match['saving']:.1f} % less error than {match['worse']}" in text
    if levers := answer.get("levers"):
        half = next(x for x in levers if x["kind"] == "budget")
        best = min((x for x in levers if x["kind"] == "coarsen"), key=lambda x: x["risk"])
        word = "more" if best["risk"] < half["risk"] else "less"
        assert f"To {best['name']} buys {word} than that: {100 * best['risk']:.1f} %" in text


def _values(answer: Any) -> list[float]:
    if isinstance(answer, dict):
        return [number for value in answer.values() for number in _values(value)] + [float(_levers(answer))]
    if isinstance(answer, list):
        return [number for value in answer for number in _values(value)]
    return [float(answer)] if isinstance(answer, (int, float)) and not isinstance(answer, bool) else []


def _levers(answer: dict[str, Any]) -> int:
    return len(answer.get("remedies", []))


def _texts(answer: Any) -> list[str]:
    if isinstance(answer, dict):
        return [t for key, value in answer.items() if key != "sentences" for t in _texts(value)]
    if isinstance(answer, list):
        return [t for value in answer for t in _texts(value)]
    return [answer] if isinstance(answer, str) and len(answer) > 3 else []


def _is_said(value: float, number: float) -> bool:
    """``value`` is ``number``, plainly or in per cent, within the rounding of the words."""
    return any(
        abs(value - x) <= max(0.0051 * abs(x), 0.051 if x is not number else 0.0) for x in (number, 100 * number)
    )


def test_paragraph(run: Run, survey: Path) -> None:
    outcome = run("choose", survey, *ROLES, "--max-risk", "0.4")
    assert (outcome.code, outcome.err) == (0, "")
    assert "INTERNAL" in outcome.out
    assert "To keep the average risk over people (local) at or below 40.0 % with laplace noise" in outcome.out


@pytest.mark.parametrize("kind", ["risk", "frontier", "marginals", "trade-off", "levers", "iso-risk"])
def test_charts(run: Run, survey: Path, kind: str) -> None:
    noise = ("--mechanism", "gaussian-analytic", "--delta", "1e-5") if kind == "iso-risk" else ()
    outcome = run("choose", survey, *ROLES, "--max-risk", "0.4", "--chart", kind, "--plot", "c.svg", *noise)
    assert outcome.code == 0, outcome.err
    assert Path("c.svg").read_text().startswith("<svg")


def test_iso_risk_chart_needs_a_delta(run: Run, survey: Path) -> None:
    outcome = run("choose", survey, *ROLES, "--max-risk", "0.4", "--chart", "iso-risk", "--plot", "c.svg")
    assert outcome.code == 2
    assert "needs a mechanism with a delta" in outcome.err


@pytest.mark.parametrize("mechanism", ["laplace", "discrete-laplace", "gaussian-analytic", "discrete-gaussian"])
def test_exported_script_releases_the_table(run: Run, survey: Path, mechanism: str) -> None:
    delta = () if "laplace" in mechanism else ("--delta", "1e-5")
    # a generous ceiling: little noise, so that the release can be recognised
    outcome = run(
        "choose", survey, *ROLES, "--max-risk", "0.45", "--mechanism", mechanism, *delta, "--export", "opendp", "--json"
    )
    assert outcome.code == 0, outcome.err
    script = Path("release_opendp.py")
    assert "CHECK FIRST: the levels of age, sex, income were read from the data" in script.read_text()
    if mechanism == "laplace":  # one in a process of its own, as its user runs it
        done = subprocess.run(
            [sys.executable, "-W", "error", script], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        said = done.stdout
    else:
        said = run_here(script)
    price = float(re.search(r"spent: ([\d.e-]+)", said)[1])  # type: ignore[index]
    if delta == ():
        assert price <= outcome.json["budget"] * (1 + 1e-6)
    with Path("released.csv").open() as file:
        rows = list(csv.DictReader(file))
    table = table_of(survey)
    cells = table.cells()
    truth = {
        (a, s, label): n
        for a, s, counts in zip(cells["age"], cells["sex"], table.counts.tolist(), strict=True)
        for label, n in zip(table.labels, counts, strict=True)
    }
    assert len(rows) == len(set(cells["age"])) * 2 * 2
    reach = 40.0 * outcome.json["error"] + 3.0
    for row in rows:
        published = int(row["published"])
        assert abs(published - truth.get((row["age"], row["sex"], row["income"]), 0)) <= reach
        assert published >= 0
    again = run("choose", survey, *ROLES, "--max-risk", "0.45", "--export", "opendp")
    assert again.code == 2
    assert "exists" in again.err


def run_here(script: Path) -> str:
    """What a script prints, without the time it takes to start Python and load OpenDP."""
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(io.StringIO()) as heard:
        patched.setattr(sys, "argv", [str(script)])
        runpy.run_path(str(script), run_name="__main__")
    return heard.getvalue()


def test_a_script_keeps_both_ceilings_or_is_refused(run: Run, survey: Path) -> None:
    alone = run("choose", survey, *ROLES, "--max-risk", "0.4", "--json").json
    bound = f"{1.02 * alone['error']:.12g}"
    both = ("--max-risk", "0.4", "--max-error", bound, "--export", "opendp")
    found = run("choose", survey, *ROLES, *both, "--round-down", "--script", "round.py", "--json")
    assert found.code == 0, found.err
    offered = found.json["public_budget"]
    assert found.json["error_floor"] <= offered <= found.json["budget"]
    assert f"LIMIT = {offered}" in Path("round.py").read_text()
    torn = run("choose", survey, *ROLES, "--max-risk", "0.4", "--max-error", "0.01", "--export", "opendp")
    assert (torn.code, Path("release_opendp.py").exists()) == (3, False)
    assert "there is no budget to export: no epsilon meets both the risk ceiling and an error of 0.01" in torn.err


def test_script_for_counts_edges_units_and_a_universe(run: Run, tmp_path: Path) -> None:
    (tmp_path / "u.json").write_text('{"sex": ["f", "m"], "income": ["low", "high"]}')
    (tmp_path / "people.csv").write_text(
        "id,age,sex,income\n1,17,f,low\n1,17,f,low\n1,17,f,low\n2,18,m,high\n3,64, f ,low\n4,65,m,low\n5,,m,high\n"
    )
    outcome = run(
        "choose", "people.csv", "--qid", "age,sex", "--sensitive", "income", "--bins", "age=18|65", "--unit", "id",
        "--max-rows", "2", "--universe", "u.json", "--max-risk", "0.9", "--round-down", "--export", "opendp",
        "--script", "s.py", "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert outcome.json["worst_case"]["odds_factor"] == pytest.approx(math.exp(outcome.json["budget"]))
    assert "an advantage of at most" in " ".join(outcome.json["sentences"])
    script = Path("s.py").read_text()
    assert f"LIMIT = {outcome.json['public_budget']}" in script
    assert "'< 18'" in script
    # with hardly any noise the script must count as Epsilens does, missing age included
    loud = re.sub(r"^SCALE = .*$", "SCALE = 1e-9", script, flags=re.M)
    loud = re.sub(r"^LIMIT = .*$", "LIMIT = 1e300", loud, flags=re.M)
    loud = loud.replace("'>= 65']", "'>= 65', '(missing)']")
    Path("loud.py").write_text(loud)
    run_here(Path("loud.py"))
    with Path("released.csv").open() as file:
        counts = {(r["age"], r["sex"], r["income"]): int(r["published"]) for r in csv.DictReader(file)}
    schema = el.Schema(
        ["age", "sex"], "income", bins={"age": [18, 65]}, unit="id", max_rows_per_unit=2,
        universe={"sex": ["f", "m"], "income": ["low", "high"]},
    )  # fmt: skip
    table = el.read_table("people.csv", schema)
    cells = table.cells()
    for a, s, found in zip(cells["age"], cells["sex"], table.counts.tolist(), strict=True):
        for label, n in zip(table.labels, found, strict=True):
            assert counts.pop((a, s, label)) == n
    assert not any(counts.values())


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ((), "--max-risk is missing"),
        (("--max-risk", "1.5"), "must lie in (0, 1]"),
        (("--max-risk", "0"), "must lie in (0, 1]"),
        (("--max-risk", "abc"), "--max-risk must be a number, got 'abc'"),
        (("--max-risk", "nan"), "must be finite"),
        (("--max-risk", ".3", "--max-people", "-1"), "--max-people must be >= 0, got -1"),
        (("--max-risk", ".3", "--max-people", "2.5"), "--max-people must be a whole number, got 2.5"),
        (("--max-risk", ".3", "--max-error", "0"), "--max-error must be > 0"),
        (("--max-risk", ".3", "--aggregate", "maximum"), "did you mean 'max'"),
        (("--max-risk", ".3", "--aggregate", "max", "--measure", "marginal-shrinkage"), "has no aggregate 'max'"),
        (("--max-risk", ".3", "--mechanism", "gaussian"), "needs a --delta"),
        (("--max-risk", ".3", "--mechanism", "gausian"), "did you mean"),
        (("--max-risk", ".3", "--profile", "foo"), "must read like"),
        (("--max-risk", ".3", "--profile", "1"), "must be > 1"),
        (("--max-risk", ".3", "--profile", "3", "--rho", "--mechanism", "discrete-gaussian"), "stated in epsilon"),
        (("--max-risk", ".3", "--rho"), "has no rho"),
        (("--max-risk", ".3", "--measure", "locale"), "did you mean 'local'"),
        (
            ("--max-risk", ".3", "--size-model", "poisson"),
            "has no option --size-model; it takes --match",
        ),
        (("--max-risk", ".3", "--plot", "x.pdf"), "a chart is written as"),
        (("--max-risk", ".3", "--chart", "pie"), "--chart must be one of"),
        (("--max-risk", ".3", "--chart", "levers"), "--chart needs --plot FILE"),
        (("--max-risk", ".3", "--delta", "1e-6"), "mechanism 'laplace' has no delta"),
        (("--max-risk", ".3", "--delta", "0", "--mechanism", "gaussian"), "--delta must lie strictly between"),
        (("--max-risk", ".3", "--delta", "1e-6", "--mechanism", "discrete-gaussian", "--rho"), "--rho needs none"),
        (("--max-risk", ".3", "--prior", "0.2"), "--prior is for posterior measures"),
        (("--max-risk", ".7", "--prior", "2", "--measure", "posterior"), "--prior must lie strictly between"),
        (("--max-risk", ".3", "--aggregate", "max", "--max-people", "3"), "leave out --aggregate, or --max-people"),
        (("--max-risk", ".3", "--script", "s.py"), "--script needs --export opendp"),
        (("--max-risk", ".3", "--round-down"), "--round-down needs --export opendp"),
        (("--max-risk", ".3", "--against", "laplace"), "--against names the mechanism itself"),
        (("--max-risk", ".3", "--against", "laplac"), "--against must be one of"),
        (("--max-risk", ".7", "--measure", "posterior", "--levers"), "--levers change nothing"),
        (("--max-risk", ".7", "--measure", "posterior", "--match", "any"), "has no option --match; it takes --prior"),
        (("--max-risk", ".7", "--measure", "posterior", "--max-people", "3"), "use --aggregate mean"),
        (("--max-risk", ".3", "--attributes", "max"), "needs several --sensitive"),
        (("--max-risk", ".3", "--attributes", "all"), "--attributes must be one of"),
        (("--max-risk", ".3", "--attack", "single"), "--attack belongs to a hierarchy"),
        (("--max-risk", ".3", "--by", "age"), "--by belongs to a hierarchy"),
        (("--max-risk", ".3", "--match", "all"), "--match must be one of"),
        (("--max-risk", ".3", "--max-people", "x"), "--max-people must be a number"),
        (("--max-risk", ".3", "--export", "spark"), "--export must be one of opendp"),
        (("--max-risk", "1", "--export", "opendp"), "there is no budget to export"),
        (("--max-risk", ".3", "--max-wrong", "0"), "--max-wrong must lie in (0, 1], got 0"),
        (("--max-risk", ".6", "--measure", "posterior", "--max-wrong", ".1"), "--max-wrong is about the values"),
        (("--max-risk", ".3", "--neighbours", "twins"), "--neighbours must be one of"),
        (("--max-risk", "3", "--measure", "posterior-ratio"), "must lie in (1, 2]"),
    ],
)
def test_bad_input_is_one_line(run: Run, survey: Path, extra: tuple[str, ...], problem: str) -> None:
    outcome = run("choose", survey, *ROLES, *extra)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err


def test_quantile_bins_cannot_be_exported(run: Run, survey: Path) -> None:
    outcome = run(
        "choose", survey, "--qid", "age,sex", "--bins", "age=q3", "--sensitive", "income", "--max-risk", "0.45",
        "--export", "opendp",
    )  # fmt: skip
    assert outcome.code == 2
    assert "read from the data" in outcome.err


# -- a fixed epsilon, and the plane of both parameters -----------------------------------------------------------------

WITH_DELTA = ("--mechanism", "gaussian-probabilistic", "--max-risk", "0.45")


@pytest.mark.parametrize("asked", [
    ("--max-risk", "0.01"),
    ("--max-risk", "0.4", "--max-error", "0.01"),
    ("--max-risk", "0.4", "--max-wrong", "0.00001"),
    ("--max-risk", "0.36", "--profile", "1.01", "--max-error", "2"),
    ("--max-risk", "0.01", "--mechanism", "gaussian-analytic", "--epsilon", "1"),
])  # fmt: skip
def test_no_budget_has_an_exit_code_of_its_own(run: Run, survey: Path, asked: tuple[str, ...]) -> None:
    told, plain = (run("choose", survey, *ROLES, *asked, *face) for face in ((), ("--json",)))
    assert (told.code, plain.code) == (3, 3)
    assert told.err == plain.err == ""
    short = plain.json["answer"]
    assert (short["exists"], short["budget"], short["risk"], short["price"]) == (False, None, None, None)
    first = told.out.splitlines()[2]
    assert first.startswith(f"No {plain.json['parameter']} ")
    assert len(plain.json["table"]) >= 3


def test_what_was_to_be_written_for_a_budget_that_is_not_there(run: Run, survey: Path) -> None:
    asked = ("--max-risk", ".01", "--export", "opendp", "--chart", "trade-off", "--plot", "t.svg")
    done = run("choose", survey, *ROLES, *asked)
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "epsilens: there is no budget to export: no epsilon keeps the average risk" in done.err
    assert "no chart was drawn: there is no budget" in done.err
    assert "No epsilon keeps" in done.out
    assert not Path("release_opendp.py").exists()
    assert not Path("t.svg").exists()


def test_the_short_answer_stands_first(run: Run, survey: Path) -> None:
    asked = ("choose", survey, *ROLES, "--harmful", "income=high", "--max-risk", "0.06")
    told, plain = run(*asked), run(*asked, "--json").json
    lines = told.out.splitlines()
    assert lines[2] == f"Take epsilon = {rounded_to_safety(plain['budget'])} (laplace noise, add-remove neighbours)."
    assert lines[3].startswith("  Risk:  6.0 %, the average risk over people (local). Worst off: ")
    assert lines[4].startswith(f"  Price: a count is off by {plain['error']:.3g} people on average, and ")
    assert "Counted as harmful: income=high, as declared. Being shown as income=low is not counted." in told.out
    assert plain["harmful"] == {
        "declared": True,
        "values": [{"attribute": "income", "value": "high", "weight": 1.0}],
        "others": [{"attribute": "income", "value": "low", "weight": 0.0}],
    }
    high = next(value for value in plain["by_value"] if value["value"] == "high")
    assert plain["answer"]["harmful_right"] == pytest.approx(high["shown_right"])
    assert plain["answer"]["harmful_wrong"] == pytest.approx(high["shown_wrong"])
    assert plain["spread"]["worst"] == plain["answer"]["worst"]
    budgets = [row["epsilon"] for row in plain["table"]]
    assert budgets[-1] is None
    assert budgets[:-1] == sorted(budgets[:-1])
    assert plain["budget"] in budgets


def test_a_fixed_epsilon_asks_for_delta(run: Run, survey: Path) -> None:
    arguments = ("choose", survey, *ROLES, *WITH_DELTA, "--epsilon", "1")
    plain = run(*arguments, "--json").json
    own = choose_delta(table_of(survey), 1.0, "gaussian-probabilistic", 0.45)
    assert plain["delta"] == own.delta
    assert [(safe["low"], safe["high"]) for safe in plain["safe_set"]] == [(s.low, s.high) for s in own.safe_set]
    told = run(*arguments, "--plot", "d.svg")
    assert (told.code, told.err) == (0, "")
    assert "INTERNAL" in told.out
    assert plain["sentences"][0] in told.out
    assert Path("d.svg").exists()


def test_the_plane_has_ranges_and_numbers(run: Run, survey: Path) -> None:
    plane = ("--chart", "iso-risk", "--plot", "p.svg", "--epsilon-range", "0.1:10", "--delta-range", "1e-4:0.1")
    plain = run("choose", survey, *ROLES, *WITH_DELTA, "--delta", "0.01", *plane, "--json").json["plane"]
    assert 0.1 < plain["epsilons"][0] < plain["epsilons"][-1] < 10
    assert len(plain["risks"]) == len(plain["deltas"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*WITH_DELTA, "--epsilon", "1", "--delta", "0.1"), "--delta says nothing where --epsilon is fixed"),
        ((*WITH_DELTA, "--epsilon", "1", "--chart", "risk"), "--chart says nothing where --epsilon is fixed"),
        ((*WITH_DELTA, "--epsilon", "0"), "--epsilon must be > 0"),
        (("--mechanism", "gaussian-analytic", "--epsilon", "1"), "--max-risk is missing"),
        (("--max-risk", "0.3", "--epsilon", "1"), "mechanism 'laplace' has none; take --mechanism gaussian or"),
        (("--max-risk", "0.3", "--epsilon-range", "0.1:1"), "--epsilon-range belongs to --chart iso-risk"),
    ],
)
def test_options_that_do_not_suit_a_fixed_epsilon_or_no_plane(
    run: Run, survey: Path, options: tuple[str, ...], said: str
) -> None:
    done = run("choose", survey, *ROLES, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_a_point_above_a_prior_that_is_a_fraction(run: Run, survey: Path) -> None:
    # the ratio falls and rises again, so that the ceiling allows two ranges
    asked = ("choose", survey, *ROLES, "--measure", "posterior-ratio", "--mechanism", "discrete-gaussian", "--rho")
    text = run(*asked, "--prior", "1/864", "--max-gain", "0.06065").out
    assert "at or below 53.4 (0.06065 above the prior of 1/864)" in text
    assert "take rho up to 2.679 or rho from 2.942 to 3.405." in text
    assert "Risk:  53.4, the average risk over people (posterior-ratio)" in text
    missing = run(*asked)
    assert (missing.code, missing.out) == (2, "")
    assert "--max-risk is missing" in missing.err
