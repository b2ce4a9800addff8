from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import BOOK, PERSON, TOTAL, Run, arguments

PYTHON = re.compile(r"`|PureDP|ApproxDP|ZCDP|[a-z]+_(?:rows?|delta|epsilon|values?|zeros|continuous)\b")
"""What belongs to readers of Python, not to those of the command line."""


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_the_line_of_the_design(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    outcome = run(*arguments(people, universe))
    assert outcome.code == 0, outcome.err
    assert "6 counts written to o.csv" in outcome.out
    assert "account 'survey' has epsilon 1.5 left (pure)" in outcome.out
    assert "INTERNAL: not for publication" in outcome.out
    assert len(rows(tmp_path / "o.csv")) == 6
    shown = run("ledger", "show", "b.db", "--json").json
    assert [entry["kind"] for entry in shown["entries"]] == ["open", "reserve", "commit"]
    assert "salt" not in json.dumps(shown)
    assert "epsilon 0.5 spent of epsilon 2" in run("ledger", "show", "b.db").out
    assert "3 entries, every hash holds" in run("ledger", "verify", "b.db").out
    assert run("ledger", "verify", "b.db", "--card", "o.card.json", "--json").json["ok"] is True
    verified = run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people, "--json")
    assert verified.code == 0
    assert all(check["holds"] for check in verified.json["checks"])


def test_everything_else_in_one_go(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    outcome = run(
        "release", people, "--columns", "age,sex,income", "--bins", "age=20", "--universe", universe, "--hierarchy",
        "sex,age", "--consistent", "--non-negative", "--shares", "1,3", "--mechanism", "discrete-gaussian", "--rho",
        "0.1", *BOOK, "--total-epsilon", "3", "--total-delta", "1e-6", "--composition", "zcdp", *PERSON, "--neighbours",
        "substitute", "--confidence", "0.9", "--out", "o.parquet", "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    card = outcome.json["card"]
    assert [table["name"] for table in card["mechanism"]["tables"]] == ["sex x income", "sex x age x income"]
    assert card["composition"]["composition"] == "zcdp"
    assert card["intervals"]["confidence"] == 0.9
    assert Path(outcome.json["files"]["output"]).name == "o.parquet"
    assert run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people).code == 0


def test_marginals_single_columns_and_a_threshold(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    assert run(*arguments(people, universe, "--marginal", "income", "--marginal", "total")).code == 0
    assert [row["table"] for row in rows(tmp_path / "o.csv")] == ["income", "income", "(total)"]
    one = run("release", people, "--columns", "income", "--universe", universe, *BOOK, *PERSON, "--epsilon", "0.1",
              "--out", "one.csv")  # fmt: skip
    assert one.code == 0, one.err
    assert [row["income"] for row in rows(tmp_path / "one.csv")] == ["low", "high"]
    total = ("--total-epsilon", "2", "--total-delta", "1e-5", "--threshold-delta", "1e-6", "--epsilon", "1")
    ledger = ("--ledger", "c.db", "--account", "s")
    rare = run("release", people, "--columns", "sex,income", *ledger, *PERSON, *total, "--out", "t.csv")
    assert rare.code == 0, rare.err
    assert rows(tmp_path / "t.csv") == []  # nobody of six people reaches the threshold


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["--epsilon", "1.6"], None),
        (["--epsilon", "3"], "epsilon 2 left of 2, this release asks for 3"),
        (["--epsilon", "-1"], "epsilon must be > 0, got -1"),
        (["--epsilon", "much"], "'much' is not a valid float"),
        (["--columns", "sx,income"], "does not declare the levels of 'sx'"),
        (["--columns", ""], "--columns is missing"),
        (["--out", ""], "--out is missing"),
        (["--out", "nowhere/o.csv"], "cannot write nowhere/o.csv: No such file or directory; nothing was spent"),
        (["--out", "o.txt"], "must end in .csv or .parquet"),
        (["--universe", "none.json"], "cannot read the universe 'none.json': No such file"),
        (["--mechanism", "laplace"], "must be allowed explicitly (--allow-continuous)"),
        (["--epsilon", "1e-300"], "epsilon 1e-300 for table 'sex x income' needs noise of scale 1e+300, and at most"),
        (
            ["--delta", "1e-6"],
            "--mechanism discrete-laplace takes --epsilon without --delta, got --epsilon and --delta",
        ),
        (["--consistent"], "needs several tables (--consistent); name --marginal, or --levels that nest"),
        (["--composition", "pld"], "--composition pld needs --total-epsilon with --total-delta; got --total-epsilon"),
        (
            ["--composition", "pld", "--total-delta", "1e-6"],
            "declare them with --plan, such as --plan 12 for twelve releases priced like this one; or choose each "
            "release as you go, with --composition approx-zcdp",
        ),
        (
            ["--composition", "pld", "--total-delta", "1e-6", "--plan", "12"],
            "does not fit its total: 12 x epsilon 0.5 (discrete-laplace 2) cost epsilon",
        ),
        (
            ["--composition", "pld", "--total-delta", "1e-6", "--plan", "discrete-laplace epsilon=0.4"],
            "this one, epsilon 0.5 (discrete-laplace 2), has no place left",
        ),
        (["--plan", "2"], "--composition pure needs no --plan"),
        (["--plan", "two"], "--plan cannot hold 'two': it needs a budget, as in '3 x discrete-gaussian rho=0.05'"),
        (["--mechanism", "discrete-gaussian"], "--mechanism discrete-gaussian takes --rho, or --epsilon with --delta"),
        (["--rho", "1"], "give --rho, or --epsilon and --delta, not both"),
        (
            ["--total-delta", "1e-6", "--composition", "pure"],
            "--composition pure needs --total-epsilon without --total-delta; got",
        ),
        (["--bins", "income=q4"], "declare edges with --bins instead, such as 0, 18 and 65"),
        (["--sensitive", "age"], "which is not among --columns"),
        (["--unit", "age"], "--unit 'age' names people, so do not declare --one-row-per-person as well"),
        (["--neighbours", "both"], "neighbours must be one of"),
        (["--structural-zeros", "u.json"], "must be a JSON file with a list"),
        (["--threshold-delta", "1e-6"], "no threshold is needed"),
        (["--total-epsilon", "0"], "--total-epsilon must be > 0, got 0"),
        (["--total-rho", "1"], "give --total-rho, or --total-epsilon and --total-delta, not both"),
        (["--levels", "sex,town"], "--levels names 'town', which is not released"),
        (["--levels", "sex", "--hierarchy", "sex"], "give only one of --marginal, --levels and --hierarchy"),
        (["--shares", "0"], "--shares must be > 0, got 0"),
        (["--wait", "soon"], "'soon' is not a valid float"),
        (["--wait", "-1"], "--wait must be a number of seconds >= 0, got -1"),
        (["--wait", "nan"], "--wait must be a number of seconds >= 0, got nan"),
        (["--max-rows", "3"], "can be bounded only where a column names the person; name it with --unit"),
    ],
)
def test_bad_input_is_one_line_exit_2_and_nothing_written(
    run: Run, people: Path, universe: Path, tmp_path: Path, changes: list[str], said: str | None
) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    outcome = run(*arguments(people, universe, *changes))
    if said is None:  # a request within the total
        assert outcome.code == 0
        again = run(*arguments(people, universe, "--out", "p.csv"))
        assert again.err.endswith("epsilon 0.4 left of 2, this release asks for 0.5\n")
        assert (again.code, (tmp_path / "p.csv").exists()) == (2, False)
        return
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert said in outcome.err
    assert not PYTHON.search(outcome.err)
    assert {path.name for path in tmp_path.iterdir()} == before


def test_levels_come_lowest_first_and_the_older_hierarchy_coarsest_first(
    run: Run, people: Path, universe: Path, tmp_path: Path
) -> None:
    columns = ("--columns", "age,sex,income", "--bins", "age=20", "--consistent", "--shares", "3,1")
    lowest = run(*arguments(people, universe, *columns, "--levels", "age,sex", "--json"))
    assert lowest.code == 0, lowest.err
    tables = lowest.json["card"]["mechanism"]["tables"]
    assert [(table["name"], table["share"]) for table in tables] == [
        ("sex x age x income", "0.75"),
        ("sex x income", "0.25"),
    ]
    coarsest = run(*arguments(people, universe, *columns, "--hierarchy", "sex,age", "--out", "p.csv", "--json"))
    tables = coarsest.json["card"]["mechanism"]["tables"]
    assert [table["name"] for table in tables] == ["sex x income", "sex x age x income"]
    text = " ".join(run("release", "--help").out.split())
    assert "columns that nest, lowest first: tract,county" in text
    assert "older way to name levels, coarsest first: county,tract" in text


def test_a_ledger_that_is_missing_is_opened_by_a_total(run: Run, people: Path, universe: Path) -> None:
    given = [part for part in arguments(people, universe) if part not in TOTAL]
    outcome = run(*given)
    assert outcome.code == 2
    assert outcome.err == (
        "epsilens: there is no ledger b.db; to open one for account 'survey', declare its --total-epsilon or "
        "--total-rho\n"
    )


def test_an_output_that_exists(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("precious")
    outcome = run(*arguments(people, universe))
    assert (outcome.code, (tmp_path / "o.csv").read_text()) == (2, "precious")
    assert "o.csv exists; name another file, or use --force to replace it" in outcome.err
    assert run(*arguments(people, universe, "--force")).code == 0
    assert len(rows(tmp_path / "o.csv")) == 6


def test_the_ledger_of_another_data_set(run: Run, people: Path, universe: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    other = run("release", people, "--columns", "sex,income", "--universe", universe, "--ledger", "b.db", "--account",
                "census", *PERSON, "--epsilon", "0.1", "--out", "p.csv")  # fmt: skip
    assert other.code == 2
    assert "has no account 'census' (it has: 'survey')" in other.err


TOKEN = "TOKEN8f3a"


@pytest.fixture
def attempts(tmp_path: Path, universe: Path) -> list[list[str]]:
    """Releases of data full of tokens, some that work and some that fail in the depths."""
    data, broken = tmp_path / "marked.csv", tmp_path / "broken.csv"
    people = "".join(f"{i},f,low\n" for i in range(30))
    data.write_text(f"person,sex,income\n{people}{TOKEN}p,{TOKEN}s,{TOKEN}i\n")
    broken.write_text(f'person,sex,income\n1,f,low\n2,{TOKEN}\n3,"{TOKEN},m,low\n')
    common = ["--ledger", "b.db", "--account", "s", "--one-row-per-person", "--epsilon", "1"]
    approx = ["--total-epsilon", "9", "--total-delta", "1e-3", "--threshold-delta", "1e-6"]
    declared = ["--columns", "sex,income", "--universe", str(universe), "--total-epsilon", "2"]
    return [
        ["release", str(data), *declared, *common, "--ledger", "c.db", "--out", "o0.csv"],
        ["release", str(data), "--columns", "sex,income", *common, *approx, "--out", "o1.csv"],
        ["release", str(data), "--columns", "sex,person", *common, *approx, "--out", "o2.csv"],
        ["release", str(data), "--columns", "sex,person", *common, *approx, "--count", "income", "--out", "o3.csv"],
        ["release", str(broken), *declared, *common, "--out", "o4.csv"],
    ]


@pytest.mark.parametrize("debug", [False, True])
def test_no_data_value_on_any_stream_even_with_tracebacks(
    run: Run, tmp_path: Path, attempts: list[list[str]], debug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if debug:
        monkeypatch.setenv("EPSILENS_DEBUG", "1")
    codes = []
    for attempt in attempts:
        outcome = run(*attempt)
        assert TOKEN not in outcome.out + outcome.err
        codes.append(outcome.code)
    assert codes == [0, 0, 0, 0, 2]
    for path in tmp_path.iterdir():
        assert path.name in {"marked.csv", "broken.csv"} or TOKEN not in path.read_text("latin-1"), path.name


def test_no_data_value_on_the_streams_of_a_process_of_its_own(tmp_path: Path, attempts: list[list[str]]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "epsilens", *attempts[4]],
        cwd=tmp_path,
        env={**os.environ, "EPSILENS_DEBUG": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert TOKEN not in done.stdout + done.stderr


def test_the_data_themselves_are_never_replaced(run: Run, people: Path, universe: Path) -> None:
    before = people.read_text()
    outcome = run(*arguments(people, universe, "--out", str(people), "--force"))
    assert (outcome.code, people.read_text()) == (2, before)
    assert "holds the data themselves" in outcome.err


def test_a_ragged_file_is_named_with_its_line_also_for_a_single_column(run: Run, tmp_path: Path) -> None:
    ragged, levels = tmp_path / "ragged.csv", tmp_path / "levels.json"
    ragged.write_text("a,b\nx,1\ny,2\nx,y,z\n", encoding="utf-8")
    levels.write_text('{"a": ["x", "y"]}', encoding="utf-8")
    done = run(
        "release", ragged, "--columns", "a", "--universe", levels, "--epsilon", "1", "--ledger", tmp_path / "b.db",
        "--account", "s", "--total-epsilon", "2", "--one-row-per-person", "--out", tmp_path / "out.csv",
    )  # fmt: skip
    assert done.code == 2
    assert "ragged.csv line 4: expected 2 fields, found 3" in done.err
    assert not (tmp_path / "out.csv").exists()


def test_a_single_column_needs_no_other(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    release = ("release", people, "--universe", universe, *BOOK, *PERSON, *TOTAL, "--epsilon", "0.5")
    done = run(*release, "--columns", "sex", "--out", "o.csv")
    assert done.code == 0, done.err
    assert [row["sex"] for row in rows(tmp_path / "o.csv")] == ["f", "m", "x"]
    card = json.loads((tmp_path / "o.card.json").read_text())
    assert (card["schema"]["quasi_identifiers"], card["schema"]["sensitive"]) == (["sex"], [])
    assert list(card["universe"]["levels"]) == ["sex"]
    assert json.loads((tmp_path / "o.internal.json").read_text())["disclosure"] == []
    verified = run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people, "--json")
    assert all(check["holds"] for check in verified.json["checks"])
    same = run(*release, "--columns", "sex", "--sensitive", "sex", "--marginal", "total", "--out", "p.csv")
    assert same.code == 0, same.err
    assert len(rows(tmp_path / "p.csv")) == 1
    both = run(*release, "--columns", "sex,income", "--sensitive", "sex,income", "--out", "q.csv")
    assert (both.code, both.err) == (2, "epsilens: at least one of --columns must not be sensitive\n")


def test_a_plan_is_declared_shown_kept_and_verified(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    opening = ("--composition", "pld", "--total-delta", "1e-6", "--plan", "1", "--plan")
    first = run(*arguments(people, universe, *opening, "discrete-laplace epsilon=0.2 statistics=2"))
    assert first.code == 0, first.err
    assert "account 'survey' has 1 of 2 planned releases left (pld)" in first.out
    again = run(*arguments(people, universe, "--composition", "pld", "--total-delta", "1e-6", "--out", "p.csv"))
    assert (again.code, again.err.count("\n")) == (2, 1)
    assert "1 x epsilon 0.5 (discrete-laplace 2) (0 left)" in again.err
    statistics = ("-s", "mean age=0:100", "-s", "proportion sex=f", "--n", "2", "--epsilon", "0.2", "--out", "s.csv")
    planned = run("release-statistics", people, *statistics, *BOOK, *PERSON)
    assert planned.code == 0, planned.err
    assert "account 'survey' has 0 of 2 planned releases left (pld)" in planned.out
    shown = run("ledger", "show", "b.db").out
    assert "1 x epsilon 0.2 (epsilon 0.1, 2 times): 1 used, 0 left" in shown
    (account,) = run("ledger", "show", "b.db", "--json").json["accounts"]
    assert [row["used"] for row in account["plan"]] == [1, 1]
    for card in ("o.card.json", "s.card.json"):
        assert run("card", "verify", card, "--ledger", "b.db", "--data", people).code == 0
    assert run("ledger", "verify", "b.db", "--card", "s.card.json").code == 0
    assert "- 1 x epsilon 0.2 (epsilon 0.1, 2 times): 0 used, 1 left" in (tmp_path / "o.card.md").read_text()


def test_a_thresholded_release_has_a_price_in_approximate_zcdp(run: Run, people: Path, tmp_path: Path) -> None:
    account = ("--composition", "approx-zcdp", "--total-epsilon", "1", "--total-delta", "1e-5")
    one = run("release", people, "--columns", "sex,income", *BOOK, *PERSON, *account, "--threshold-delta", "1e-6",
              "--epsilon", "0.1", "--out", "o.csv")  # fmt: skip
    assert one.code == 0, one.err
    assert "account 'survey' has rho 0.0233967" in one.out
    assert "delta 0.000004 left (approx-zcdp)" in one.out
    assert run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people).code == 0


def test_a_mistyped_column_is_told_the_nearest_one(run: Run, people: Path, universe: Path) -> None:
    outcome = run(*(part.replace("sex", "sxe") for part in map(str, arguments(people, universe))))
    assert outcome.code == 2
    said = "the --universe does not declare the levels of 'sxe', a name in --columns; did you mean 'sex'?"
    assert outcome.err == f"epsilens: {said}\n"


def test_a_marginal_of_nothing_is_not_everybody(run: Run, people: Path, universe: Path) -> None:
    outcome = run(*arguments(people, universe), "--marginal", ",")
    assert outcome.err == "epsilens: --marginal names no column; for everybody say 'total'\n"


def test_a_check_publishes_and_spends_nothing_and_is_internal(
    run: Run, people: Path, universe: Path, tmp_path: Path
) -> None:
    people.write_text(people.read_text() + "30,unknown,low\n31,f,\n")
    found = run(*arguments(people, universe, "--check"))
    assert (found.code, found.err) == (0, "")
    assert "internal" in found.out.splitlines()[0].lower()
    assert "would be released; nothing was published, nothing was spent" in found.out
    assert "8 rows read, 6 would be counted." in found.out
    assert "It would cost epsilon 0.5, rho 0.125." in found.out
    assert "unknown" not in found.out
    plain = run(*arguments(people, universe, "--check", "--json")).json
    assert (plain["label"], plain["would_be_released"]) == ("internal", True)
    assert plain["findings"]["left_out"]["rows_left_out"] == 2
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "u.json"}
    done = run(*arguments(people, universe))
    assert (done.code, done.err) == (0, "")
    internal = json.loads((tmp_path / "o.internal.json").read_text())
    assert internal["left_out"] == plain["findings"]["left_out"]
    refused = run(*arguments(people, universe, "--check"))
    assert "would be refused\n    o.csv exists; name another file, or use --force to replace it\n" in refused.out
    why = "epsilens: o.csv exists; name another file, or use --force to replace it\n"
    assert (refused.code, refused.err) == (2, why)
    machine = run(*arguments(people, universe, "--check", "--json"))
    assert (machine.code, machine.err, machine.json["would_be_released"]) == (2, why, False)


def test_how_many_cells_are_occupied_is_not_told_while_noise_is_drawn(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epsilens.cli import terminal

    told: list[object] = []

    @contextlib.contextmanager
    def working(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        told.append((what, total))
        yield told.append

    monkeypatch.setattr(terminal, "working", working)
    approx = ("--total-epsilon", "2", "--total-delta", "1e-3", "--threshold-delta", "1e-6", "--epsilon", "1")
    done = run("release", people, "--columns", "sex,income", *BOOK, *PERSON, *approx, "--out", "o.csv")
    assert done.code == 0, done.err
    assert told == [("Counting people", None)]


def test_rows_are_chosen_by_declared_conditions_which_the_card_states(
    run: Run, people: Path, universe: Path, tmp_path: Path
) -> None:
    people.write_text(people.read_text() + "30,f,\nold,m,low\n")
    chosen = ("--where", "age>=24", "--where", "sex!=x", "--missing", "income=high", "--copy", "known=sex")
    columns = ("--columns", "sex,known,income", "--bins", "known=1]")
    refused = run(*arguments(people, universe, *chosen, *columns))
    assert "does not declare the levels of 'known'" in refused.err
    done = run(*arguments(people, universe, *chosen[:-2], "--json"))
    assert (done.code, done.err) == (0, ""), done.err
    card = done.json["card"]
    assert card["schema"]["where"][0] == {"column": "age", "operator": ">=", "values": ["24"]}
    rules = card["rules"]["rows"]
    assert rules[0].startswith("Only rows for which 'age>=24' and 'sex!=x' hold are read, as was declared")
    assert "A missing value in 'income' counts as 'high'." in rules
    left_out = json.loads((tmp_path / "o.internal.json").read_text())["left_out"]
    assert (left_out["rows_read"], left_out["rows_not_selected"], left_out["rows_left_out"]) == (8, 2, 0)
    assert "rows_not_selected" not in json.dumps(card)
    assert run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people).code == 0
    refuse = run(*arguments(people, universe, "--missing", "refuse"))
    assert "--missing must be level, drop or a value: to refuse would tell" in refuse.err
    lone = run(*arguments(people, universe, "--where", "age>=25", "--check", "--out", "p.csv"))
    assert "2 rows would not be read, by the conditions on rows." not in lone.out
    assert "3 rows would not be read, by the conditions on rows." in lone.out
    assert "1 row would be left out because it does not fit." in lone.out


def test_a_tree_over_bins_and_a_public_total(run: Run, people: Path, tmp_path: Path) -> None:
    (tmp_path / "u.json").write_text(json.dumps({"age": {"from": 0, "to": 80}, "sex": ["f", "m"]}))
    asked = (
        "release", people, "--columns", "age", "--universe", "u.json", "--bins", "age=20", "--tree", "age",
        "--one-row-per-person", "--epsilon", "1", "--ledger", "t.db", "--account", "ages", "--total-epsilon", "3",
        "--neighbours", "substitute",
    )  # fmt: skip
    outcome = run(*asked, "--public-total", "60", "--out", "t.csv", "--json")
    assert outcome.code == 0, outcome.err
    card = outcome.json["card"]
    assert (card["tree"], card["public_total"]) == ({"column": "age", "branching": 2, "parts": [2, 4]}, 60)
    halves = [row for row in rows(tmp_path / "t.csv") if row["table"] == "age in 2 parts"]
    assert [row["age"] for row in halves] == ["[0, 40)", "[40, 80)"]
    assert sum(float(row["count"]) for row in halves) == pytest.approx(60)
    assert run("card", "verify", "t.card.json", "--ledger", "t.db", "--data", people).code == 0
    told = run(*asked, "--public-total", "61", "--out", "u.csv", "--check")
    assert "made to add up to the declared public total of 61" in told.out
    assert run(*asked, "--out", "u.csv").err.startswith("epsilens: --public-total is missing: under substitute")
    without = [word for word in asked if word != "--tree"]
    del without[without.index("age=20") + 1]  # the column of the tree
    assert "--fan-out is about a --tree" in run(*without, "--fan-out", "3", "--out", "u.csv").err
