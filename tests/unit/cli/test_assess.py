from __future__ import annotations

import gzip
import importlib.util
import re
from pathlib import Path

import pytest

import epsilens as el
from tests.unit.cli.conftest import PEOPLE, Run

ROLES = ("--qid", "age,sex", "--bins", "age=10", "--sensitive", "income")


def test_readable_summary(run: Run, people: Path) -> None:
    outcome = run("assess", people, *ROLES)
    assert outcome.code == 0
    assert outcome.err == ""
    assert "INTERNAL" in outcome.out
    assert "6 people in 3 cells of 2 quasi-identifiers; income has 2 values." in outcome.out
    assert "2 cells show a single income: 3 of 6 people (50.0 %)" in outcome.out
    assert "At epsilon = 1, " in outcome.out


def test_json_is_what_the_library_computes(run: Run, people: Path) -> None:
    result = run(
        "assess", people, *ROLES, "--epsilon", "0.5,2", "--mechanism", "laplace,discrete-laplace", "--json"
    ).json
    table = el.read_table(people, el.Schema(["age", "sex"], "income", bins={"age": 10}))
    assert (result["label"], result["people"], result["cells"]) == ("internal", 6, 3)
    assert [(row["mechanism"], row["epsilon"]) for row in result["budgets"]] == [
        ("laplace", 0.5),
        ("laplace", 2.0),
        ("discrete-laplace", 0.5),
        ("discrete-laplace", 2.0),
    ]
    for row in result["budgets"]:
        noise = el.calibrate(row["mechanism"], el.PureDP(row["epsilon"]))
        belief = el.homogeneity.belief(table, noise)
        assert row["risks"]["local"] == pytest.approx(el.average(el.homogeneity.local(table, noise), table), abs=1e-14)
        assert (row["right"], row["wrong"]) == pytest.approx((belief.right, belief.wrong), abs=1e-14)
        right, wrong, precision, guessing = re.findall(r"([\d.]+) %", row["sentence"])
        assert float(right) == pytest.approx(100 * row["right"], abs=0.05)
        assert float(wrong) == pytest.approx(100 * row["wrong"], abs=0.05)
        assert float(precision) == pytest.approx(100 * row["precision"], abs=0.5)
        assert float(guessing) == pytest.approx(100 * row["guessing"], abs=0.5)


def test_unweighted_and_share(run: Run, people: Path) -> None:
    rows = run("assess", people, *ROLES, "--epsilon", "1", "--unweighted", "--match", "share", "--json").json
    table = el.read_table(people, el.Schema(["age", "sex"], "income", bins={"age": 10}))
    expected = el.average(el.homogeneity.local(table, el.LaplaceNoise(1.0), "share"), table, weighted=False)
    assert rows["budgets"][0]["risks"]["local"] == pytest.approx(expected, abs=1e-14)
    assert rows["average"] == "cells"


def test_sentence_of_the_adult_table(run: Run, data_dir: Path) -> None:
    outcome = run(
        "assess", data_dir / "adultcount.csv", "--count", "income", "--sensitive", "income", "--epsilon", "1", "--qid",
        "age,relationship,education,race,sex,hours-per-week",
    )  # fmt: skip
    assert (
        "At epsilon = 1, 29.6 % of people are in cells that show a single income and it is theirs, 2.0 % in cells that "
        "show a wrong one; believing such cells is right 93.6 % of the time, against 74.6 % by guessing" in outcome.out
    )


@pytest.mark.parametrize("suffix", [".svg", ".png", ".html"])
def test_plot(run: Run, people: Path, suffix: str) -> None:
    outcome = run(
        "assess", people, *ROLES, "--mechanism", "laplace,gaussian", "--delta", "1e-5", "--plot", f"curve{suffix}"
    )
    assert outcome.code == 0, outcome.err
    content = (people.parent / f"curve{suffix}").read_bytes()
    start = {".svg": b"<svg", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>"}[suffix]
    assert content.startswith(start)
    if suffix == ".svg":
        assert b"gaussian" in content
        assert b"without noise" in content
    if suffix == ".html":  # nothing is fetched when the page is opened
        markup = re.sub(rb"<script[^>]*>.*?</script>", b"<script>", content, flags=re.DOTALL)
        assert not re.search(rb"<(script|link|img)[^>]*(src|href)=", markup)
    assert sorted(path.name for path in people.parent.iterdir()) == sorted([f"curve{suffix}", "people.csv"])


def test_several_sensitive_attributes(run: Run, people: Path) -> None:
    result = run("assess", people, "--qid", "age", "--bins", "age=10", "--sensitive", "sex,income", "--json").json
    assert result["sensitive"] == ["sex", "income", "sex x income"]


def test_unit_bounds_rows_and_scales_the_noise(run: Run, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("who,sex,drug\n1,f,x\n1,f,x\n1,f,y\n2,m,y\n3,f,x\n")
    arguments = (
        "assess",
        "visits.csv",
        "--qid",
        "sex",
        "--sensitive",
        "drug",
        "--epsilon",
        "1",
        "--json",
        "--unit",
        "who",
    )
    result = run(*arguments, "--max-rows", "2").json
    assert (result["people"], result["dropped_rows"]) == (4, 1)
    assert result["budgets"][0]["noise"]["scale"] == 2.0


BAD_OPTIONS = [
    (("--qid", "agee,sex", "--sensitive", "income"), "agee", "did you mean 'age'"),
    (("--qid", "age,income", "--sensitive", "income"), "income", "both a quasi-identifier and sensitive"),
    (("--qid", "", "--sensitive", "income"), "--qid", "at least one column"),
    (("--qid", "age", "--sensitive", ""), "--sensitive", "at least one column"),
    ((*ROLES, "--epsilon", "0"), "epsilon must be > 0, got 0", ""),
    ((*ROLES, "--epsilon", "-1"), "epsilon must be > 0, got -1", ""),
    ((*ROLES, "--epsilon", "nan"), "epsilon must be finite", ""),
    ((*ROLES, "--epsilon", "inf"), "epsilon must be finite", ""),
    ((*ROLES, "--epsilon", "one"), "epsilon must be a number", ""),
    ((*ROLES, "--mechanism", "gaussian", "--delta", "0"), "delta must", ""),
    ((*ROLES, "--mechanism", "gaussian", "--delta", "1"), "delta must", ""),
    ((*ROLES, "--mechanism", "gaussian", "--delta", "nan"), "delta must", ""),
    ((*ROLES, "--mechanism", "gaussian", "--delta", "0.1", "--epsilon", "1"), "epsilon < 1", "gaussian-analytic"),
    ((*ROLES, "--mechanism", "gaussian"), "needs a --delta", ""),
    ((*ROLES, "--mechanism", "laplase"), "laplase", "did you mean 'laplace'"),
    ((*ROLES, "--measure", "locall"), "locall", "did you mean 'local'"),
    ((*ROLES, "--match", "all"), "match must be one of", ""),
    ((*ROLES, "--neighbours", "swap"), "neighbours must be one of", ""),
    ((*ROLES, "--plot", "curve.jpg"), ".svg, .png, .html", ""),
    ((*ROLES, "--plot", "nowhere/curve.svg"), "does not exist", ""),
    ((*ROLES, "--bins", "age=0"), "age", ""),
    ((*ROLES, "--count", "n"), "n", ""),
    ((*ROLES, "--missing", "forget"), "missing must be one of", ""),
    ((*ROLES, "--universe", "nowhere.json"), "cannot read the universe", ""),
    ((*ROLES, "--no-such-option"), "--no-such-option", ""),
    ((*ROLES, "--delta", "7"), "delta must", ""),
    ((*ROLES, "--delta", "1e-6"), "mechanism 'laplace' has no delta: --epsilon alone", "leave --delta out"),
    ((*ROLES, "--max-rows", "2"), "--max-rows", "--unit"),
    ((*ROLES, "--size-model", "foo"), "--size-model must be one of", ""),
    ((*ROLES, "--simulate", "1"), "--simulate must be >= 2", ""),
    ((*ROLES, "--measure", "shrinkage", "--alpha", "1,2,3"), "one number per label", ""),
    ((*ROLES, "--measure", "marginal", "--size-model", "poisson=1,2"), "is written poisson=MEAN", ""),
    (
        (*ROLES, "--measure", "marginal", "--size-model", "poisson=3", "--size-fit", "bayes"),
        "leave one of the two out",
        "",
    ),
    ((*ROLES, "--measure", "marginal", "--size-fit", "guess"), "--size-fit must be one of ml, moments, bayes", ""),
    ((*ROLES, "--size-fit", "ml"), "--size-fit belongs to the marginal measures: add --measure marginal", ""),
    ((*ROLES, "--cells", "0"), "--cells must be >= 1, got 0", ""),
    ((*ROLES, "--cells", "1.5"), "--cells must be a whole number, got 1.5", ""),
    ((*ROLES, "--cells", "cells.txt"), "--cells takes a number of cells to show, or a file", ""),
    ((*ROLES, "--cells", "people.csv"), "'people.csv' exists", "replace it with --force"),
    ((*ROLES, "--cells", "a.csv,b.parquet"), "--cells writes to one file, and these are several", "name one of them"),
    ((*ROLES, "--cells", "3", "--measure", "marginal-shrinkage"), "one risk for the whole table", "--measure local"),
    ((*ROLES, "--force"), "--force replaces a file that --cells names; name one", ""),
    ((*ROLES, "--chart", "sizes"), "--chart needs --plot FILE, where to draw it", ""),
    ((*ROLES, "--chart", "size", "--plot", "c.svg"), "--chart must be one of risk, scenarios, sizes", "'sizes'"),
    ((*ROLES, "--alpha", "1,2"), "--alpha belongs to the shrinkage measures: add --measure shrinkage", ""),
]


@pytest.mark.parametrize(("options", "problem", "remedy"), BAD_OPTIONS, ids=lambda value: str(value)[:40])
def test_bad_options_get_one_line_and_exit_2(
    run: Run, people: Path, options: tuple[str, ...], problem: str, remedy: str
) -> None:
    outcome = run("assess", people, *options)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err
    assert remedy in outcome.err
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


UNREACHABLE = "127.0.0.1" if importlib.util.find_spec("psycopg") else "epsilens[postgres]"
BAD_FILES = {
    "empty": (b"", "empty"),
    "header only": (b"age,sex,income\n", "no "),
    "ragged": (b"age,sex,income\n23,f,low\n24,SECRET,low,more\n", "line 3"),
    "one value": (b"age,sex,income\n23,f,SECRET\n24,m,SECRET\n", "income"),
    "not text": (b"age,sex,income\n\xff\xfe\xfa,f,SECRET\n2,f,g\n", "UTF-8"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_get_one_line_without_their_values(run: Run, tmp_path: Path, name: str) -> None:
    content, problem = BAD_FILES[name]
    (tmp_path / "bad.csv").write_bytes(content)
    outcome = run("assess", "bad.csv", *ROLES, "--plot", "curve.svg")
    assert outcome.code == 2, outcome
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err
    assert "SECRET" not in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize(
    ("counts", "problem"), [("2,-1", "negative"), ("2,1.5", "fractional"), ("2,", "missing"), ("2,x", "")]
)
def test_bad_counts(run: Run, tmp_path: Path, counts: str, problem: str) -> None:
    first, second = counts.split(",")
    (tmp_path / "counts.csv").write_text(f"sex,income,n\nf,low,{first}\nm,high,{second}\n")
    outcome = run("assess", "counts.csv", "--qid", "sex", "--sensitive", "income", "--count", "n")
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err


def test_missing_file_folder_and_database(run: Run, tmp_path: Path) -> None:
    for source, problem in (
        ("nowhere.csv", "nowhere.csv"),
        (str(tmp_path), ""),
        ("part-*.csv", "part-*.csv"),
        ("postgres://nobody:hunter2@127.0.0.1:9/none", UNREACHABLE),
    ):
        outcome = run("assess", source, *ROLES, "--table", "t") if "://" in source else run("assess", source, *ROLES)
        assert outcome.code == 2
        assert outcome.err.count("\n") == 1
        assert problem in outcome.err
        assert "hunter2" not in outcome.err


def test_a_continuous_quasi_identifier_is_warned_about_with_its_cardinality(run: Run, tmp_path: Path) -> None:
    rows = "\n".join(f"{i / 7:.4f},{'f' if i % 2 else 'm'},{'low' if i % 3 else 'high'}" for i in range(150))
    (tmp_path / "wages.csv").write_text(f"wage,sex,income\n{rows}\n")
    outcome = run("assess", "wages.csv", "--qid", "wage,sex", "--sensitive", "income")
    assert outcome.code == 0
    (warning,) = outcome.err.splitlines()
    assert "warning" in warning
    assert "wage" in warning
    assert "150" in warning


def test_a_repeated_option_adds_up(run: Run, people: Path) -> None:
    once = run("assess", people, *ROLES, "--epsilon", "1,2", "--json").json
    repeated = (
        "--qid",
        "age",
        "--qid",
        "sex",
        "--bins",
        "age=10",
        "--sensitive",
        "income",
        "--epsilon",
        "1",
        "--epsilon",
        "2",
    )
    assert run("assess", people, *repeated, "--json").json == once


def test_simulation_stands_beside_the_exact_risk(run: Run, people: Path) -> None:
    for match, name in (("any", "local"), ("share", "local-share")):
        arguments = ("assess", people, *ROLES, "--epsilon", "1", "--simulate", "400", "--match", match)
        (row,) = run(*arguments, "--json").json["budgets"]
        drawn = row["simulation"][name]
        assert abs(drawn["mean"] - row["risks"]["local"]) <= 5 * drawn["standard_error"]
        assert f"{name}," in (told := run(*arguments).out)
        assert "simulated" in told


def test_rows_are_not_called_people(run: Run, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("who,sex,drug\n1,f,x\n1,f,y\n2,m,y\n3,f,x\n")
    arguments = ("assess", "visits.csv", "--qid", "sex", "--sensitive", "drug", "--unit", "who", "--max-rows", "2")
    out = run(*arguments).out
    assert "4 rows in 2 cells" in out
    assert " people are in cells" not in out


def test_gzip_and_pipe(run: Run, tmp_path: Path) -> None:
    with gzip.open(tmp_path / "people.csv.gz", "wt") as out:
        out.write(PEOPLE)
    assert run("assess", "people.csv.gz", *ROLES, "--json").json["people"] == 6


def test_where_no_cell_shows_a_single_value_there_is_nothing_to_believe(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mixed.csv").write_text("a,y,n\nx,u,5\nx,v,5\n", encoding="utf-8")
    roles = ("--qid", "a", "--sensitive", "y", "--count", "n")
    outcome = run("assess", tmp_path / "mixed.csv", *roles, "--epsilon", "1000")
    row, _, _ = [line for line in outcome.out.splitlines() if line.split()[:1] == ["1000"]]
    assert row.split()[-1] == "-"


# -- declared levels, and errors in the words of the command line ------------------------------------------------------


def test_a_range_in_a_universe(run: Run, people: Path, tmp_path: Path) -> None:
    universe = tmp_path / "u.json"
    universe.write_text('{"age": {"from": 20, "to": 60}, "income": ["low", "high", "none"]}')
    for command, more in (("assess", ()), ("choose", ("--max-risk", "0.9")), ("compare", ("--repetitions", "2"))):
        done = run(command, people, *ROLES, "--universe", universe, *more, "--json")
        assert done.code == 0, done.err
    compared = run("compare", people, *ROLES, "--universe", universe, "--repetitions", "2", "--json").json
    assert compared["settings"]["attributes"] == {"age": 4, "sex": 2, "income": 3}
    universe.write_text('{"age": {"from": 40, "to": 60}}')
    outside = run("assess", people, *ROLES, "--universe", universe)
    assert outside.code == 2
    assert "column 'age' has" in outside.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--qid", "age,sex,age"), "--qid names column 'age' twice"),
        (("--missing", "refuse", "--missing-value", "f"), "use --missing level"),
        (("--bins", "sex=5"), "(1.5 and not 1,5), drop its --bins, or declare texts that mean missing in "),
        (("--table", "people"), "--table belongs to a database URL"),
        (("--max-rows", "0", "--unit", "income"), "the --unit 'income' names people"),
        (("--max-rows", "0", "--unit", "person"), "--max-rows must be a whole number >= 1, got 0"),
        (("--count", "income"), "cannot hold the counts"),
        (("--unit", "person", "--count", "n"), "a table of counts (--count) has no rows of single people"),
    ],
)
def test_errors_speak_of_options(run: Run, people: Path, options: tuple[str, ...], said: str) -> None:
    done = run("assess", people, *ROLES, *options)
    assert done.code == 2
    assert said in done.err
    for name in ("missing_values", "quasi_identifiers", "table=", "max_rows_per_unit", "`"):
        assert name not in done.err


def test_a_warning_speaks_of_options(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("weight,ill\n" + "".join(f"{i},{'yes' if i % 2 else 'no'}\n" for i in range(300)))
    done = run("assess", path, "--qid", "weight", "--sensitive", "ill")
    assert done.code == 0
    assert "consider --bins for 'weight'" in done.err


def test_rows_are_chosen_by_conditions(run: Run, people: Path) -> None:
    done = run("assess", people, *ROLES, "--where", "age>=24", "--where", "sex=m|f", "--epsilon", "1")
    assert (done.code, done.err) == (0, "")
    assert "1 row was left out: by a condition on rows, or for a missing value." in done.out
    assert "5 people in 3 cells" in done.out
    machine = run("assess", people, *ROLES, "--where", "age>=24", "--epsilon", "1", "--json").json
    assert (machine["people"], machine["rows_not_selected"]) == (5, 1)
    dropped = run("assess", people, *ROLES, "--missing-value", "23", "--missing", "drop", "--epsilon", "1", "--json")
    assert dropped.json["people"] == 5
    instead = ("--missing-value", "23", "--missing", "age=52", "--epsilon", "1", "--json")
    assert (run("assess", people, *ROLES, *instead).json["people"], instead[3]) == (6, "age=52")


def test_a_column_may_be_known_and_sensitive_only_as_a_copy(run: Run, people: Path) -> None:
    both = ("assess", people, "--qid", "sex,income", "--sensitive", "income", "--epsilon", "1")
    assert "read the column twice with --copy known-income=income and name that copy among --qid" in run(*both).err
    done = run("assess", people, "--qid", "sex,known", "--copy", "known=income", "--sensitive", "income", "--json",
               "--epsilon", "1")  # fmt: skip
    assert (done.code, done.json["today"][0]["homogeneous_cells"], done.json["cells"]) == (0, 4, 4)
    assert done.err.startswith("epsilens: warning: quasi-identifier 'known' is a copy of the sensitive 'income', so")
    assert "leave 'known' out of --qid for the risk of people" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--where", "agee>=18"), "has no column 'agee'; did you mean 'age'?"),
        (("--where", "sex=x"), "passes sex=x; check the values in --where"),
        (("--where", "sex"), "--where must read like age>=18, country=Chile|Peru or job!=none, got 'sex'"),
        (("--where", "sex<m"), "--where compares 'sex' by <, which needs one number behind it, got 'm'"),
        (("--copy", "decade"), "--copy must read like decade=age, the new name first, got 'decade'"),
        (("--missing", "person=drop"), "--missing names column 'person', which has no role"),
        (("--missing", "age=much"), "the value in place of a missing 'age' must be a number, got 'much'"),
    ],
)
def test_conditions_copies_and_gaps_that_cannot_be(run: Run, people: Path, options: tuple[str, ...], said: str) -> None:
    done = run("assess", people, *ROLES, *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


# -- scenarios, cells, laws --------------------------------------------------------------------------------------------


def test_scenarios_are_exact_in_text_and_json(run: Run, people: Path) -> None:
    arguments = ("assess", people, *ROLES, "--epsilon", "1", "--scenarios")
    (row,) = run(*arguments, "--json").json["budgets"]
    assert sum(row["scenarios"].values()) == pytest.approx(1.0, abs=1e-12)
    shares = list(row["scenarios"].values())
    assert shares[0] + shares[7] == pytest.approx(row["risks"]["local"], abs=1e-12)
    told = run(*arguments).out
    assert "1  all have one value, and it alone is shown: disclosed" in told
    assert "scenarios" not in run("assess", people, *ROLES, "--epsilon", "1", "--json").json["budgets"][0]


def test_the_riskiest_cells_and_all_of_them(run: Run, people: Path) -> None:
    arguments = ("assess", people, *ROLES, "--epsilon", "1,2", "--cells", "2,cells.csv")
    done = run(*arguments)
    assert done.code == 0, done.err
    assert "The 2 riskiest cells of income, by local risk with laplace noise of epsilon = 1" in done.out
    assert "3 cells with all risks written to cells.csv (internal: true counts of people)." in done.out
    header, *rows = (people.parent / "cells.csv").read_text().splitlines()
    assert header.startswith('"INTERNAL","sensitive","age","sex","size","counts","local laplace, epsilon=1"')
    assert len(rows) == 3
    assert run(*arguments).code == 2
    told = run(*arguments, "--force", "--json").json
    assert told["cells_file"] == "cells.csv"
    assert told["riskiest"][0]["cell"] == {"age": "[20, 30)", "sex": "f"}


@pytest.mark.parametrize("kind", ["scenarios", "sizes"])
def test_other_charts(run: Run, people: Path, kind: str) -> None:
    done = run("assess", people, *ROLES, "--epsilon", "1", "--plot", "c.svg", "--chart", kind)
    assert done.code == 0, done.err
    assert (people.parent / "c.svg").read_text().startswith("<svg")


def test_axes_are_those_of_curves(run: Run, people: Path) -> None:
    done = run("assess", people, *ROLES, "--plot", "c.svg", "--chart", "sizes", "--epsilon-range", "1:3")
    assert (done.code, done.out) == (2, "")
    assert "--epsilon-range is that of curves, which --chart sizes does not draw" in done.err


def test_laws_bounds_sizes_and_classes_are_told(run: Run, people: Path) -> None:
    measures = "marginal,published-marginal-shrinkage,published-p1-shrinkage"
    arguments = ("assess", people, *ROLES, "--epsilon", "1", "--measure", measures)
    found = run(*arguments, "--json").json
    assert [(law["of"], law["law"], law["method"]) for law in found["laws"]] == [
        ("sizes", "poisson", "maximum likelihood, truncated to n >= 1"),
        ("sizes", "poisson", "maximum likelihood, plain law"),
        ("shares", "dirichlet", "maximum likelihood"),
    ]
    assert list(found["budgets"][0]["bounds"]) == ["published-marginal-shrinkage"]
    assert found["cell_sizes"]["histogram"] == {"1": 1, "2": 1, "3": 1}
    assert found["homogeneity"]["every"] == {"cells": 2, "people": 3}
    out = run(*arguments, "--size-fit", "bayes").out
    assert "posterior mean, prior rate^(-1/2), plain law" in out
    assert "Dirichlet with alpha" in out
    given = run("assess", people, *ROLES, "--measure", "marginal", "--size-model", "poisson=3.21", "--json").json
    assert given["laws"][0]["parameters"] == {"mean": 3.21}


def test_the_demo_has_the_same_options(run: Run, tmp_path: Path) -> None:
    arguments = ("demo", "--rows", "200", "--epsilon", "1", "--cells", "1,cells.parquet", "--scenarios")
    assert run(*arguments).code == 0
    assert run(*arguments).code == 2
    assert run(*arguments, "--force").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["cells.parquet"]


# -- several deltas and averages, axes and knees -----------------------------------------------------------------------

GAUSSIAN = ("--mechanism", "gaussian-probabilistic", "--epsilon", "0.5,1")


def test_several_deltas_add_up_and_none_is_lost(run: Run, people: Path) -> None:
    once = run("assess", people, *ROLES, *GAUSSIAN, "--delta", "0.004,0.1", "--json")
    again = run("assess", people, *ROLES, *GAUSSIAN, "--delta", "0.004", "--delta", "0.1", "--json")
    assert once.out == again.out
    assert [(row["delta"], row["epsilon"]) for row in once.json["budgets"]] == [
        (0.004, 0.5), (0.004, 1.0), (0.1, 0.5), (0.1, 1.0),
    ]  # fmt: skip


def test_both_averages_a_knee_and_a_chart_with_its_numbers(run: Run, people: Path) -> None:
    arguments = ("assess", people, *ROLES, "--epsilon", "1", "--weighting", "people,cells", "--knee")
    told = run(*arguments)
    assert "Risk, average over people" in told.out
    assert "Risk, average over cells" in told.out
    assert "The local risk (over cells) starts to rise faster at epsilon = " in told.out
    plain = run(*arguments, "--plot", "c.svg", "--json").json
    assert [knee["average"] for knee in plain["knees"]] == ["people", "cells"]
    assert [curve["average"] for curve in plain["curves"]] == ["people", "cells"]
    assert len(plain["curves"][0]["epsilon"]) == len(plain["curves"][0]["risk"]) == 101
    assert plain["charts"] == ["c.svg"]


def test_delta_on_the_axis_and_a_range_of_ones_own(run: Run, people: Path) -> None:
    arguments = ("assess", people, *ROLES, *GAUSSIAN, "--axis", "delta", "--delta-range", "1e-4:0.1")
    assert "local risk against delta, average over people" in run(*arguments).out
    curves = run(*arguments, "--json").json["curves"]
    assert [set(curve["epsilon"]) for curve in curves] == [{0.5}, {1.0}]
    assert (curves[0]["delta"][0], curves[0]["delta"][-1]) == (1e-4, 0.1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--axis", "delta"), "--axis delta needs a delta, and mechanism 'laplace' has none"),
        (("--axis", "rho"), "--axis must be one of epsilon, delta, both"),
        (("--delta-range", "0.01:0.1"), "--delta-range belongs to --axis delta or --axis both"),
        (("--epsilon-range", "0.01:1"), "--epsilon-range is that of a curve: add --plot FILE or --json"),
        (("--epsilon-range", "1:0.1", "--json"), "--epsilon-range must ascend"),
        (("--epsilon-range", "1"), "--epsilon-range must be FROM:TO, such as 0.01:10, got '1'"),
        (("--simulate-seed", "3"), "--simulate-seed is that of a simulation: say how often in --simulate"),
        (("--cells", "people.csv", "--force"), "holds the data themselves; name another output (--cells)"),
        (("--weighting", "rows"), "--weighting must be one of people, cells"),
        (("--weighting", "cells", "--unweighted"), "--weighting says how to average already; leave out --unweighted"),
        ((*GAUSSIAN, "--delta", "0.1,2"), "--delta must lie strictly between 0 and 1, got 2"),
    ],
)
def test_axes_and_averages_that_make_no_sense_are_one_line(
    run: Run, people: Path, options: tuple[str, ...], said: str
) -> None:
    done = run("assess", people, *ROLES, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_households_are_attacked_beside_persons(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "homes.csv"
    path.write_text("age,home,ill\na,1,yes\na,2,no\nb,1,yes\nb,2,no\nc,3,no\nc,3,no\nc,4,yes\nc,4,no\n")
    roles = ("--qid", "age", "--sensitive", "ill", "--household", "home", "--epsilon", "1")
    outcome = run("assess", path, *roles, "--plot", "h.svg", "--chart", "households")
    assert outcome.code == 0
    assert "1 household with 2 people is mixed" in outcome.out
    assert "protects persons, not families" in outcome.out
    assert Path("h.svg").exists()
    found = run("assess", path, *roles, "--json").json["households"]
    law = el.calibrate("laplace", el.PureDP(1.0))
    homes = el.table.read_households(path, el.Schema("age", "ill"), "home")
    assert found["budgets"][0]["persons"] == pytest.approx(el.homogeneity.households(homes, law).persons)
    for bad in (("--household", "age"), ("--household", "hme"), ("--household", "home", "--unit", "home")):
        refused = run("assess", path, *roles[:4], *bad)
        assert refused.code == 2
        assert len(refused.err.splitlines()) == 1
    assert "needs --household" in run("assess", path, *roles[:4], "--chart", "households", "--plot", "x.svg").err


def test_a_sample_stands_for_a_population(run: Run, people: Path) -> None:
    outcome = run("assess", people, *ROLES, "--sampling-fraction", "1/10", "--epsilon", "1")
    assert outcome.code == 0
    assert "INTERNAL" in outcome.out
    assert "6 people stand for 60 of the population by its sampling fraction, 10.0 % of it." in outcome.out
    found = run("assess", people, *ROLES, "--sampling-fraction", "0.1", "--epsilon", "1", "--json").json["population"]
    table = el.read_table(people, el.Schema(["age", "sex"], "income", bins={"age": 10}))
    risk = el.homogeneity.population_risk(table, el.LaplaceNoise(1.0), sampling_fraction=0.1)
    assert found["budgets"][0]["risks"]["local"] == risk.to_dict()
    assert found["uniques"]["sample_uniques"] == 1
    assert found["attackers"]["prosecutor"]["average"] == 0.5


def test_survey_weights_stand_for_a_population(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("sex,ill,w\nf,y,2\nf,n,3.5\nm,y,4\nm,y,1\n")
    roles = (tmp_path / "w.csv", "--qid", "sex", "--sensitive", "ill", "--weight", "w", "--epsilon", "1")
    found = run("assess", *roles, "--json", "--alpha", "1,1").json["population"]
    assert (found["people"], found["known_by"]) == (10.5, "weights")
    chart = tmp_path / "population.svg"
    assert run("assess", *roles, "--plot", chart, "--chart", "population").code == 0
    assert "In the sample or not: ill" in chart.read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sampling-fraction", "0"), "--sampling-fraction must be > 0 and at most 1"),
        (("--sampling-fraction", "0.5", "--weight", "sex"), "--weight says already how many a person stands for"),
        (("--weight", "sexx"), "has no column 'sexx'"),
        (("--weight", "income"), "column 'income' is sensitive, so it cannot hold survey weights"),
        (("--sampling-fraction", "0.5", "--measure", "published"), "says nothing of others"),
        (("--chart", "population", "--plot", "c.svg"), "--chart is that of a sample: say --sampling-fraction"),
    ],
)
def test_samples_that_cannot_be_are_one_line(run: Run, people: Path, options: tuple[str, ...], said: str) -> None:
    outcome = run("assess", people, *ROLES, *options)
    assert outcome.code == 2
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


# -- which values are harmful --------------------------------------------------------------------------------------

HOSPITAL = """ward,sex,stroke
a,f,0
a,f,0
a,m,0
b,f,0
b,f,1
b,m,0
b,m,?
c,f,?
"""


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    path = tmp_path / "hospital.csv"
    path.write_text(HOSPITAL, encoding="utf-8")
    return path


STROKE = ("--qid", "ward,sex", "--sensitive", "stroke", "--missing-value", "?", "--epsilon", "1")


def test_people_who_are_all_shown_as_healthy_are_not_called_disclosed(run: Run, hospital: Path) -> None:
    out = run("assess", hospital, *STROKE, "--harmful", "stroke=1").out
    assert "3 cells show a single stroke: that of 4 of 8 people (50.0 %) is plain to anyone" in out
    assert "nobody is shown with a harmful value (stroke=1)." in out
    assert "4 people are shown with a value that is not counted as harmful: 3 are shown as stroke=0 and 1 as (" in out
    assert "Counted as harmful: stroke=1, as declared. Being shown as stroke=0 is not counted." in out
    assert "(missing) is a level that discloses nothing, unless you declare it harmful." in out
    assert re.search(r"harmful one +harmful one +believing *\n epsilon +shown, theirs +shown, wrong +is right", out)
    assert re.search(
        r"At epsilon = 1, .* % of people are shown as stroke=1 and have it .*; .* % are shown so wrongly", out
    )
    assert "worst off: 2 people, at" in out


def test_missing_values_disclose_nothing_unless_declared(run: Run, hospital: Path) -> None:
    plain = run("assess", hospital, *STROKE, "--json").json
    weights = {value["value"]: value["weight"] for value in plain["today"][0]["by_value"]}
    assert weights == {"(missing)": 0.0, "0": 1.0, "1": 1.0}
    assert (plain["today"][0]["harmful_people"], plain["today"][0]["people_in_homogeneous_cells"]) == (3, 4)
    declared = run(
        "assess", hospital, *STROKE, "--harmful", "stroke=(missing)", "--harmful", "stroke=1*2", "--json"
    ).json
    (line,) = declared["budgets"]
    by_value = {value["value"]: value for value in line["by_value"]}
    assert {value: entry["weight"] for value, entry in by_value.items()} == {"(missing)": 1.0, "0": 0.0, "1": 2.0}
    harmful = [by_value["1"], by_value["(missing)"]]
    assert line["harmful_right"] == pytest.approx(sum(entry["shown_right"] for entry in harmful))
    assert line["weighted_harm_wrong"] == pytest.approx(sum(e["weight"] * e["shown_wrong"] for e in harmful))


@pytest.mark.parametrize(
    ("harmful", "why"),
    [
        ("stroke=11", "names '11', which does not occur in column 'stroke'; did you mean '1'?"),
        ("stroke=1*0.9", "a weight must be at least 1: leave out values that harm nobody, got 0.9"),
        ("strok=1", "names column 'strok', which is not sensitive here; did you mean 'stroke'?"),
        ("ward=a", "names column 'ward', which is not sensitive here"),
        ("stroke", "must read like COL=VALUE, or COL=VALUE*3 for a weight"),
    ],
)
def test_what_cannot_be_harmful_is_refused_in_one_line(run: Run, hospital: Path, harmful: str, why: str) -> None:
    outcome = run("assess", hospital, *STROKE, "--harmful", harmful)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"epsilens: --harmful {why}\n")


def test_charts_of_values_and_of_people(run: Run, hospital: Path) -> None:
    outcome = run("assess", hospital, *STROKE, "--harmful", "stroke=1", "--plot", "c.svg", "--chart", "values")
    assert (outcome.code, outcome.err) == (0, "")
    assert (hospital.parent / "c.svg").read_text().startswith("<svg")
    refused = run(
        "assess", hospital, *STROKE, "--measure", "marginal-shrinkage", "--plot", "c.svg", "--chart", "people"
    )
    assert refused.err == (
        "epsilens: --chart people needs a measure that has a risk for each cell: marginal-shrinkage is one risk for "
        "the whole table; add --measure local\n"
    )


def test_several_measures_each_say_who_is_shown_as_what(run: Run, hospital: Path) -> None:
    (line,) = run("assess", hospital, *STROKE, "--measure", "expected,hard,published-local", "--json").json["budgets"]
    assert list(line["by_value_of"]) == ["expected", "hard"]
    assert (line["by_value_measure"], line["by_value"]) == ("expected", line["by_value_of"]["expected"])
    assert list(line["spread"]) == ["expected", "hard", "published-local"]
    out = run("assess", hospital, *STROKE, "--measure", "hard,local", "--unweighted").out
    assert "in cells where it has the largest noisy count" in out
