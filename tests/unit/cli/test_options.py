from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from epsilens.cli import options
from epsilens.errors import ParameterError
from epsilens.table import Schema
from tests.unit.cli.conftest import Run

CONTEXT = click.Context(click.Command("x"))
OPTION = click.Option(["--epsilon", "epsilons"])


def test_lists_of_names_add_up_and_lose_their_blanks() -> None:
    assert options.names(CONTEXT, OPTION, "a, b,,c ") == ("a", "b", "c")
    assert options.names(CONTEXT, OPTION, ["a,b", "c"]) == ("a", "b", "c")
    assert options.names(CONTEXT, OPTION, None) == ()


def test_numbers_are_finite_and_blamed_on_their_parameter() -> None:
    assert options.numbers(CONTEXT, OPTION, ["0.5,1", "2e-3"]) == (0.5, 1.0, 0.002)
    assert options.number(CONTEXT, OPTION, "0.5") == 0.5
    assert options.whole_number(CONTEXT, OPTION, "2e3") == 2000
    assert (options.number(CONTEXT, OPTION, None), options.whole_number(CONTEXT, OPTION, None)) == (None, None)
    for read, text in ((options.numbers, "1,x"), (options.number, "inf"), (options.whole_number, "1.5")):
        with pytest.raises(ParameterError, match=r"^epsilons must be"):
            read(CONTEXT, OPTION, text)


def test_a_word_stays_a_word_where_numbers_may_stand() -> None:
    assert options.numbers_or_name(CONTEXT, OPTION, "moments") == "moments"
    assert options.numbers_or_name(CONTEXT, OPTION, "1,2") == (1.0, 2.0)
    with pytest.raises(ParameterError, match="must be a number, got 'b2'"):
        options.numbers_or_name(CONTEXT, OPTION, "1,b2")


def test_what_was_not_given_is_left_to_its_default() -> None:
    def asked(a: int = 1, b: tuple[str, ...] = ("x",), c: bool = True, d: float = 0.5) -> None:
        """Takes four."""

    assert options.taken({"a": None, "b": (), "c": False, "d": 0.0, "e": 5}, asked) == {"c": False, "d": 0.0}


def test_was_given_tells_a_default_from_the_same_value_typed() -> None:
    seen: list[bool] = []

    @click.command()
    @options.NEIGHBOURS
    def command(neighbours: str) -> None:
        assert neighbours == "add-remove"
        seen.append(options.was_given("neighbours"))

    command.main([], standalone_mode=False)
    command.main(["--neighbours", "add-remove"], standalone_mode=False)
    assert seen == [False, True]


def test_options_come_in_the_order_of_a_first_reading() -> None:
    @click.command()
    @options.with_options(options.SOURCE)
    @options.JSON
    def command(**_: Any) -> None:
        """Reads."""

    assert [parameter.name for parameter in command.params][:4] == ["source", "table", "quasi_identifiers", "sensitive"]
    assert command.params[-1].name == "as_json"


def test_a_table_to_read_is_what_the_options_describe(tmp_path: Path) -> None:
    universe = tmp_path / "u.json"
    universe.write_text('{"sex": ["f", "m"]}')
    given: dict[str, Any] = {
        "source": "p.csv", "table": None, "quasi_identifiers": ("age", "sex"), "sensitive": ("ill",),
        "bins": ("age=5",), "count": None, "universe": str(universe), "missing": "refuse", "missing_values": ("?",),
        "unit": "who", "max_rows_per_unit": 3, "as_json": True,
    }  # fmt: skip
    found = options.table_to_read(given)
    assert (found.source, found.table, found.count) == ("p.csv", None, None)
    assert found.schema == Schema(
        ("age", "sex"), "ill", bins={"age": 5}, universe={"sex": ["f", "m"]}, missing="refuse",
        missing_values=["?"], unit="who", max_rows_per_unit=3,
    )  # fmt: skip
    with pytest.raises(ParameterError, match="sensitive is missing"):
        options.table_to_read({**given, "sensitive": ()})


def test_a_whole_number_with_a_default(run: Run, people: Path) -> None:
    arguments = ("assess", people, "--qid", "sex", "--sensitive", "income", "--unit", "age")
    assert run(*arguments, "--max-rows", "1.0", "--json").json == run(*arguments, "--json").json
    assert run(*arguments, "--max-rows", "1.5").err == "epsilens: --max-rows must be a whole number, got 1.5\n"


def test_a_list_that_names_nothing_is_not_the_default(run: Run, people: Path) -> None:
    roles = ("--qid", "sex", "--sensitive", "income")
    for arguments in (
        ("compare", people, *roles, "--systems", ","),
        ("compare", people, *roles, "--epsilon", " , "),
        ("assess", people, *roles, "--measure", ""),
        ("assess", people, "--qid", ",", "--sensitive", "income"),
    ):
        outcome = run(*arguments)
        assert outcome.code == 2
        assert "at least one" in outcome.err
        assert "--" in outcome.err


def test_a_number_may_be_a_fraction() -> None:
    assert options.fraction(CONTEXT, OPTION, "1/864") == 1 / 864
    assert options.fraction(CONTEXT, OPTION, "0.02") == 0.02
    assert options.fraction(CONTEXT, OPTION, None) is None
    assert options.fractions(CONTEXT, OPTION, ["1/2,0.1", "1 / 50"]) == (0.5, 0.1, 0.02)
    for text, problem in (("1/0", "cannot be divided by 0"), ("1/x", "such as 1/864"), ("1/2/3", "such as 1/864")):
        with pytest.raises(ParameterError, match=problem):
            options.fraction(CONTEXT, OPTION, text)
    with pytest.raises(ParameterError, match="must be finite"):
        options.fraction(CONTEXT, OPTION, "inf/2")
