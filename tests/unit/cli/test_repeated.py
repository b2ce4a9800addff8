"""No list is silently replaced by a later one."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from epsilens.cli.main import cli
from epsilens.cli.repeated import ELSEWHERE_LISTS, refuse_repeated
from epsilens.errors import ParameterError
from tests.support.command_lines import COMMANDS
from tests.unit.cli.conftest import Run

LISTS = [
    (path, option)
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and ("," in str(option.metavar) or option.name in ELSEWHERE_LISTS)
]


@pytest.mark.parametrize(("path", "option"), LISTS, ids=[f"{'-'.join(path)} {option.name}" for path, option in LISTS])
def test_every_list_adds_up_or_is_refused(path: tuple[str, ...], option: click.Option) -> None:
    words = [option.opts[0], "1", f"{option.opts[0]}=2"]
    if option.multiple:
        refuse_repeated(COMMANDS[path], words)
        return
    with pytest.raises(ParameterError, match="more than once"):
        refuse_repeated(COMMANDS[path], words)


def test_the_command_line_says_so_in_a_group_and_outside(run: Run, people: Path) -> None:
    roles = (people, "--qid", "sex", "--sensitive", "income")
    told = run("compare", *roles, "--epsilon", "1", "--epsilon", "2")
    said = "epsilens: --epsilon is given more than once; give it once, with commas between its values\n"
    assert (told.code, told.out, told.err) == (2, "", said)
    told = run("posterior", "levels", "--rho", "0.1", "--rho", "0.2")
    assert (told.code, told.err) == (2, said.replace("--epsilon", "--rho"))
    told = run("choose", *roles, "--max-risk", "0.5", "--mechanism", "gaussian", "--delta", "0.1", "--delta", "0.2")
    assert (told.code, told.err) == (2, "epsilens: --delta is given more than once, and takes one value here\n")


def test_of_one_value_the_last_counts_and_what_does_not_parse_is_left_to_click() -> None:
    refuse_repeated(COMMANDS["choose",], ["x.csv", "--max-risk", "0.3", "--max-risk", "0.4", "--json", "--json"])
    refuse_repeated(COMMANDS["choose",], ["x.csv", "--no-such", "1", "--no-such", "2"])
    refuse_repeated(cli, ["choose", "--delta", "1", "--delta", "2"])  # a group has options of its own
