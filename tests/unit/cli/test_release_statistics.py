"""``epsilens release-statistics`` as a user meets it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from epsilens.release.ledger.ledger import Ledger
from tests.unit.cli.conftest import Run

BOOK = ("--ledger", "b.db", "--account", "survey", "--total-epsilon", "2", "--one-row-per-person", "--out", "o.csv")
EVERYTHING = (
    *("-s", "mean age=0:100"),
    *("-s", "proportion sex=f"),
    *("-s", "proportions income=low|high"),
    *("-s", "variance age=0:100"),
    *("-s", "pooled-variance age=0:100 by sex=f|m"),
)


def test_everything_in_one_go(run: Run, people: Path, tmp_path: Path) -> None:
    outcome = run("release-statistics", people, *EVERYTHING, "--epsilon", "0.5", "--n", "5", *BOOK)
    assert outcome.code == 0, outcome.err
    assert "6 numbers written to o.csv" in outcome.out
    assert "pooled-variance(age by sex)" in outcome.out
    assert "Cost epsilon 0.5; account 'survey' has epsilon 1.5 left (pure)." in outcome.out
    assert "o.internal.json (INTERNAL: not for publication)" in outcome.out
    assert "proportions(income): simplex, moved by" in outcome.out
    assert len(list(csv.DictReader((tmp_path / "o.csv").read_text().splitlines()))) == 6
    assert "3 entries, every hash holds" in run("ledger", "verify", "b.db").out
    assert "epsilon 0.5 spent of epsilon 2" in run("ledger", "show", "b.db").out


def test_shares_are_rescaled_on_request_and_the_card_says_so(run: Run, people: Path, tmp_path: Path) -> None:
    asked = ("release-statistics", people, "--epsilon", "0.5", "--n", "5", *BOOK, "--adding-up", "rescale")
    outcome = run(*asked, "-s", "proportions income=low|high")
    assert outcome.code == 0, outcome.err
    assert "proportions(income): rescaling, moved by" in outcome.out
    rows = list(csv.DictReader((tmp_path / "o.csv").read_text().splitlines()))
    assert sum(float(row["value"]) for row in rows) == pytest.approx(1.0)
    assert all(float(row["lower"]) <= float(row["value"]) <= float(row["upper"]) for row in rows)
    assert "**rescaling**: clamped to shares between 0 and 1" in (tmp_path / "o.card.md").read_text()
    assert run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people).code == 0
    none = run(*asked, "-s", "mean age=0:100", "--force")
    assert none.err == "epsilens: --adding-up is about proportions, and none are released\n"
    unbounded = run(*asked, "-s", "proportions income=low|high", "--bounding", "none", "--force")
    assert unbounded.err.endswith("do not add up; use --bounding clamped to rescale them\n")


def test_json_a_file_of_statistics_and_shares(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('"a, b",c,d\n' + "".join(f"{i % 7},{i % 5},{i % 3}\n" for i in range(60)))
    listed = [{"kind": "covariance", "columns": ["a, b", "c"], "lower": [0, 0], "upper": [6, 4]}]
    (tmp_path / "s.json").write_text(json.dumps(listed))
    outcome = run(
        *("release-statistics", "p.csv", "-s", "covariance-matrix c=0:4,d=0:2", "--statistics", "s.json"),
        *("--shares", "3,1", "--epsilon", "1", "--neighbours", "substitute", *BOOK, "--json"),
    )
    assert outcome.code == 0, outcome.err
    card = outcome.json["card"]
    first, second = card["mechanism"]["statistics"]
    assert (first["share"], second["share"]) == ("0.75", "0.25")
    assert first["post_processing"][0]["step"] == "positive semidefinite"
    assert second["name"] == "covariance(a, b, c)"
    assert card["mechanism"]["records"]["n"] == 60
    assert card["label"] == "publishable"
    assert outcome.json["files"]["internal"] == "o.internal.json"


def test_missing_values_and_truncation(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("a,s\n1,x\n?,y\n3,\n5,x\n")
    start = ("release-statistics", "p.csv", "-s", "mean a=0:9", "-s", "proportion s=x", "--epsilon", "0.1", *BOOK)
    by_rule = run(*start, "--n", "2")
    assert (by_rule.code, by_rule.err) == (0, "")
    refused = run(*start, "--n", "2", "--missing", "refuse", "--force")
    assert (refused.code, refused.out) == (2, "")
    assert "look for missing values beforehand with --check, which publishes nothing" in refused.err
    for name in ("o.csv", "b.db"):
        (tmp_path / name).unlink()
    replaced = run(
        *(*start, "--n", "4", "--missing-value", "?", "--missing", "a=4", "--missing", "s=x"),
        *("--bounding", "truncated", "--force"),
    )
    assert replaced.code == 0, replaced.err
    left_out = run(*start, "--n", "2", "--missing-value", "?", "--missing", "exclude", "--force")
    assert left_out.code == 0, left_out.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-s", "mean age=100:0"), "the lower bound of 'age' must be below its upper bound, got 100 and 0"),
        (("-s", "mean age=nan:1"), "the lower bound of 'age' must be finite"),
        (("-s", "mean age=low:1"), "the lower bound of 'age' must be a number"),
        (("-s", "mean age"), "a mean needs public bounds, as in 'mean age=0:100'; got 'age'"),
        (("-s", "mean age=0:9,sex=0:1"), "a mean is of one column, got 2"),
        (("-s", "meen age=0:9"), "did you mean 'mean'?"),
        (("-s", "mean agee=0:9"), "no column 'agee'; its first line has 3 columns"),
        (("-s", "proportion sex"), "a proportion needs a column and its levels"),
        (("-s", "pooled-variance age=0:9"), "is pooled over declared groups: 'pooled-variance x=0:1 by site=a|b'"),
        (("-s", "covariance age=0:9"), "a covariance needs two columns, got 1"),
        (("-s", "variance age=0:9", "--n", "2"), "n must be >= 3 (a variance needs 2 records"),
        (("-s", "mean age=0:9", "--epsilon", "3"), "epsilon 2 left of 2, this release asks for 3"),
        (("-s", "mean age=0:9", "--epsilon", "-1"), "epsilon must be > 0"),
        (("-s", "mean age=0:9", "--missing", "age"), "--missing must be 'exclude' or COL=VALUE"),
        (("--statistics", "none.json"), "cannot read the list of statistics 'none.json'"),
        (("--statistics", "people.csv"), "the list of statistics 'people.csv' must be JSON"),
        ((), "--statistic is missing; name what to publish, such as --statistic 'mean age=0:100'"),
    ],
)
def test_bad_input_is_one_line_writes_nothing_and_spends_nothing(
    run: Run, people: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = run("release-statistics", people, "--epsilon", "1", "--n", "5", *BOOK, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("epsilens: ")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert not list(tmp_path.glob("o.*"))
    if (tmp_path / "b.db").exists():
        assert not Ledger(tmp_path / "b.db").chain().costs("survey")


def test_what_must_be_said(run: Run, people: Path) -> None:
    mean = ("release-statistics", people, "-s", "mean age=0:100")
    assert "--ledger is missing" in run(*mean).err
    assert "--epsilon is missing" in run(*mean, *BOOK).err
    private = run(*mean, *BOOK, "--epsilon", "1").err
    assert "the number of records is private: give --n, a public lower bound of it" in private
    assert private.endswith("; or use --neighbours substitute\n")
    total = run(*mean, *BOOK, "--epsilon", "1", "--n", "5", "--total-epsilon", "0")
    assert total.err == "epsilens: --total-epsilon must be > 0, got 0\n"
    person = run(*mean, *(part for part in BOOK if part != "--one-row-per-person"), "--epsilon", "1", "--n", "5")
    assert "the column that names people (--unit), or that each person has one row (--one-row-per-person)" in person.err
    assert "release-statistics" in run("--help").out
    assert "pooled-covariance age=0:100,income=0:200000 by region=north|south|west" in run(*mean[:1], "--help").out


def test_bins_of_levels(run: Run, people: Path) -> None:
    arguments = ("release-statistics", people, *BOOK, "--epsilon", "1", "--neighbours", "substitute")
    levels = ("-s", "proportions age=< 30|[30, 50)|>= 50")
    card = run(*arguments, *levels, "--bins", "age=30|50", "--json").json["card"]
    assert card["bins"] == {"age": "30|50"}
    assert [row["entry"] for row in card["released"]] == ["< 30", "[30, 50)", ">= 50"]
    assert run("card", "verify", "o.card.json", "--data", people, "--ledger", "b.db").code == 0
    refused = run(*arguments, *levels, "--bins", "age=q3")
    assert refused.err.startswith("epsilens: the quantile bins of 'age' are read from the data")


def test_a_check_publishes_and_spends_nothing(run: Run, people: Path, tmp_path: Path) -> None:
    start = ("release-statistics", people, "-s", "mean sex=0:9", "--epsilon", "0.1", "--n", "5", *BOOK)
    found = run(*start, "--check")
    assert (found.code, found.err) == (0, "")
    assert "6 rows would be left out because they do not fit." in found.out
    assert "There are fewer records than the declared n" in found.out
    plain = run(*start, "--check", "--json").json
    assert plain["findings"]["left_out"]["by_rule"] == [{"column": "sex", "why": "not a number in range", "rows": 6}]
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_records_are_chosen_by_declared_conditions(run: Run, people: Path, tmp_path: Path) -> None:
    start = ("release-statistics", people, "-s", "mean age=0:100", "--epsilon", "1", *BOOK)
    done = run(*start, "--n", "3", "--where", "sex=m", "--missing", "drop", "--json")
    assert (done.code, done.err) == (0, "")
    card = done.json["card"]
    assert card["where"] == [{"column": "sex", "operator": "=", "values": ["m"]}]
    assert card["rules"]["rows"][0].startswith("Only rows for which 'sex=m' holds are read")
    internal = json.loads((tmp_path / "o.internal.json").read_text())
    assert (internal["records"], internal["left_out"]["rows_not_selected"]) == (3, 3)
    assert run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people).code == 0
    refused = run(*start, "--where", "sex=m", "--neighbours", "substitute", "--force")
    assert "--where chooses rows by what is in them, which makes the number of records private" in refused.err
