from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import BOOK, TOTAL, Outcome, Run, arguments


def test_a_table_of_the_data_needs_the_data(run: Run, people: Path, universe: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    outcome = run("card", "verify", "o.card.json", "--table", "t")
    assert (outcome.code, outcome.err) == (
        2,
        "epsilens: --table names a table of the data; say where they are (--data)\n",
    )


def test_a_card_that_does_not_hold(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    (tmp_path / "o.csv").write_text("other")
    outcome: Outcome = run("card", "verify", "o.card.json")
    assert outcome.code == 2
    assert "FAILED  output" in outcome.out
    assert outcome.err.count("\n") == 1


def test_rows_drawn_at_random_are_compared_with_the_ledger_only(run: Run, tmp_path: Path, universe: Path) -> None:
    visits = tmp_path / "visits.csv"
    visits.write_text("who,sex,income\n" + "p,f,low\np,m,high\nq,f,low\nr,m,high\n" * 3)
    person = ("--unit", "who", "--max-rows", "2")
    columns = ("--columns", "sex,income", "--universe", str(universe))
    outcome = run("release", visits, *columns, *BOOK, *TOTAL, *person, "--epsilon", "0.5", "--out", "o.csv")
    assert outcome.code == 0, outcome.err
    assert run("card", "verify", "o.card.json", "--data", visits, "--ledger", "b.db").code == 0
    alone = run("card", "verify", "o.card.json", "--data", visits)
    assert alone.code == 2
    assert "not checked  data: rows of people were drawn at random" in alone.out
    assert alone.err.startswith("epsilens: the data were not compared (--data, --ledger): rows of people were drawn")
    assert "row_salt" not in run("ledger", "show", "b.db", "--json").out


def test_every_check_is_told_in_words_and_in_json(run: Run, people: Path, universe: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    everything = ("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people)
    told, plain = run(*everything), run(*everything, "--json").json
    assert (told.code, told.err) == (0, "")
    assert len(plain["checks"]) == len(told.out.splitlines()) > 3
    for check, line in zip(plain["checks"], told.out.splitlines(), strict=True):
        assert check["holds"] is True
        assert check["check"] in line


def test_an_output_elsewhere_is_named(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    (tmp_path / "o.csv").rename(tmp_path / "moved.csv")
    assert "not checked  output" in run("card", "verify", "o.card.json").out
    assert "ok  output" in run("card", "verify", "o.card.json", "--output", "moved.csv").out
    assert run("card", "verify", "o.card.json", "--output", "u.json").code == 2


def test_what_does_not_hold_is_in_the_json_as_well(run: Run, people: Path, universe: Path, tmp_path: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    people.write_text(people.read_text() + "99,m,low\n")
    outcome = run("card", "verify", "o.card.json", "--ledger", "b.db", "--data", people, "--json")
    assert outcome.code == 2
    assert [check["check"] for check in outcome.json["checks"] if check["holds"] is False] == ["data"]


def test_a_mistyped_path_is_not_a_failed_card(run: Run, people: Path, universe: Path) -> None:
    assert run(*arguments(people, universe)).code == 0
    for options in (("--data", "none.csv"), ("--output", "none.csv"), ("--ledger", "none.db")):
        outcome = run("card", "verify", "o.card.json", *options)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert options[1] in outcome.err
        assert "hold" not in outcome.err
    assert "cannot read the card none.json" in run("card", "verify", "none.json").err
