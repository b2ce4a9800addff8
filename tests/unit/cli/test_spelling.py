from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from epsilens.cli.main import cli
from epsilens.cli.spelling import OPTION_OF, spelt
from epsilens.errors import EpsilensWarning, ParameterError


def test_errors_are_spelt_as_the_options_of_the_command_that_was_called() -> None:
    error = ParameterError(
        "needs `rho`, or `mechanism=laplace`", parameter="max_risk", got=2.0, remedy="leave `max_rows_per_unit` out"
    )
    assert str(error) == "max_risk needs rho, or mechanism='laplace', got 2; leave max_rows_per_unit out"
    assert spelt(error, cli, ["choose", "x.csv"]) == (
        "--max-risk needs --rho, or --mechanism laplace, got 2; leave --max-rows out"
    )
    # what is not an option of the command is said in words; an option is known by what is typed, too
    assert spelt(error, cli, ["assess", "x.csv"]) == (
        "max risk needs rho, or --mechanism laplace, got 2; leave --max-rows out"
    )
    assert spelt(EpsilensWarning("leave `levers` out"), cli, ["choose"]) == "leave --levers out"


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that can be called, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


EVERY = list(commands(cli))


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(path) for path, _ in EVERY])
def test_every_option_is_spelt_as_it_is_typed(path: tuple[str, ...], command: click.Command) -> None:
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        assert option.name is not None
        typed = next((text for text in option.opts if text.startswith("--")), option.opts[0])
        told = spelt(ParameterError("must be there", parameter=option.name), cli, path)
        assert told == f"{typed} must be there"
        expected = typed if option.is_flag else f"{typed} x"
        assert spelt(ParameterError(f"say `{option.name}=x`"), cli, path) == f"say {expected}"


@pytest.mark.parametrize("parameter", OPTION_OF)
def test_a_parameter_with_another_name_is_an_option_of_some_command(parameter: str) -> None:
    spellings = {spelt(ParameterError("is odd", parameter=parameter), cli, path) for path, _ in EVERY}
    assert any(text.startswith("--") for text in spellings)


def test_a_total_is_given_in_parts() -> None:
    error = ParameterError("is missing", parameter="total", remedy="declare its `total`")
    parts = "--total-epsilon or --total-rho"
    for command in ("release", "release-statistics"):
        assert spelt(error, cli, [command, "x.csv"]) == f"{parts} is missing; declare its {parts}"
    assert spelt(error, cli, ["assess", "x.csv"]) == "total is missing; declare its total"


def test_what_is_not_an_option_is_said_in_words() -> None:
    error = ParameterError("needs `cells_are_public` or `leaf_prior=poisson`", parameter="row_salt")
    assert spelt(error, cli, ["card", "verify", "c.json"]) == "row salt needs cells are public or leaf prior poisson"


def test_the_command_is_found_behind_options_and_below_a_group() -> None:
    error = ParameterError("is odd", parameter="max_rows_per_unit")
    assert spelt(error, cli, ["posterior", "release", "x.csv", "--prior", "single"]) == "--max-rows is odd"
    assert spelt(error, cli, ["posterior", "single"]) == "max rows per unit is odd"
    assert spelt(error, cli, ["no-such-command"]) == "max rows per unit is odd"
