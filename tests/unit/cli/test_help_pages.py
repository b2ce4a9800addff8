"""Help in a terminal of 80 columns."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import vl_convert

from epsilens.cli.help_pages import Group, WholeNames, with_whole_names
from epsilens.cli.main import cli
from epsilens.report.page import render as rendering
from tests.unit.cli.conftest import Run

NARROW = 80


def commands(command: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command by its path."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            further = command.get_command(context, name)
            assert further is not None
            yield from commands(further, (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_fits_and_cuts_nothing(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([*path, "--help"], prog_name="epsilens", standalone_mode=False, terminal_width=NARROW)
    text = capsys.readouterr().out
    for line in text.splitlines():
        assert len(line) <= NARROW, line
        assert not (line[-1:] == "-" and line[-2:-1].isalpha()), line  # a name, broken
    listed = text.partition("Commands:")[2]
    assert "..." not in listed.replace("1, 2, 3, ...", "")


def test_both_spellings_of_help_stay_whoever_asks_for_it_first() -> None:
    group = with_whole_names(Group("group", commands=[click.Command("below")]))
    assert isinstance(group, click.Group)
    for command in (cli, group, group.commands["below"]):
        assert "-h, --help" in click.Context(command).get_help()


def test_names_stay_whole() -> None:
    page = WholeNames(width=36)
    page.write_text("one of gaussian-probabilistic and gaussian-analytic")
    page.write_dl([("--mechanism", "gaussian-analytic or discrete-gaussian")])
    text = page.getvalue()
    for name in ("gaussian-probabilistic", "gaussian-analytic", "discrete-gaussian"):
        assert name in text


def test_a_group_lists_whole_sentences() -> None:
    said = "A sentence that is much longer than what would fit on one line of a list of commands, and is not cut."
    group = Group("g", commands={"long": click.Command("long", help=f"{said}\n\nMore.")})
    page = WholeNames(width=200)
    group.format_commands(click.Context(group), page)
    assert said in page.getvalue()
    assert "More" not in page.getvalue()


def page(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    cli.main([*path, "--help"], prog_name="epsilens", standalone_mode=False, terminal_width=NARROW)
    return capsys.readouterr().out


def examples_of(text: str) -> list[str]:
    """The command lines of a help text, those over several lines as one."""
    return re.findall(r"^    (epsilens .*)$", text.replace("\\\n", " ").partition("Options:")[0], re.MULTILINE)


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_has_an_example_of_itself(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    called = [tuple(shlex.split(line)[1 : len(path) + 1]) for line in examples_of(page(path, capsys))]
    assert path in called


QUICKER = {
    "app": (("--check",),),
    "compare": (("--repetitions", "2"), ("--no-classify",)),
    "study": (("--repetitions", "20"), ("--n", "50")),
}
"""What makes the simulations of an example short, and starts no server, where it does not say so itself."""


@pytest.fixture
def _drawn_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts are made and checked, not painted: how they look is seen in the tests of charts."""
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda *_, **__: "<svg></svg>")
    monkeypatch.setattr(rendering, "_bundle", lambda: "window.vegaEmbed = null;")


@pytest.mark.integration
@pytest.mark.usefixtures("_drawn_elsewhere")
def test_every_example_runs_as_printed(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "--rows", "1000", "--write", "people.csv").code == 0
    counted = re.search(r"here counts.csv.*?:\n(.*?)\n\n", page(("assess",), capsys), re.DOTALL | re.IGNORECASE)
    assert counted is not None
    Path("counts.csv").write_text(counted[1].replace(" ", ""))
    universes = [re.search(r"here u.json[^}]*\}", page((name,), capsys), re.I) for name in ("release", "compare")]
    assert universes[0] is not None
    assert universes[1] is not None
    assert universes[0][0].split() == universes[1][0].split()
    for command, name in (("release", "u.json"), ("sequence", "plan.json")):
        found = re.search(rf"here {name}.*?:\n( +\{{.*?\}})\n\n", page((command,), capsys), re.DOTALL | re.IGNORECASE)
        assert found is not None
        Path(name).write_text(json.dumps(json.loads(found[1])))
    examples = 0
    for path in commands():
        for line in examples_of(page(path, capsys)):
            arguments = shlex.split(line)[1:]
            further = [option for name, options in QUICKER.items() if name in arguments[:2] for option in options]
            quicker = [option for option in further if option[0] not in arguments]
            outcome = run(*arguments, *itertools.chain(*quicker))
            assert outcome.code == 0, (line, outcome.err)
            examples += 1
    assert examples >= 30
