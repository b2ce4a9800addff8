"""``--save``: what was asked is kept to the digit, in a file of its own or in one that exists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from epsilens.cli.again import arguments, given_in
from epsilens.cli.saving import with_saving
from epsilens.project import Project
from epsilens.project.keys import COMMANDS, is_output
from epsilens.project.saving import typed_values
from epsilens.project.toml_file import sections_of
from tests.support.command_lines import COMMANDS as TREE
from tests.unit.cli.conftest import Run

ASKED = ("people.csv", "--qid", "age,sex", "--bins", "age=10", "--sensitive", "income")


def examples() -> Iterator[tuple[str, list[str]]]:
    """Every example of every help page, by its command."""
    for path, command in TREE.items():
        text = (command.help or "").replace("\\\n", " ")
        for line in re.findall(r"^ *(epsilens .*)$", text, re.MULTILINE):
            words = shlex.split(line)[1:]
            name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
            if name in COMMANDS and path[0] != "run":
                yield name, words[len(name.split()) :]


def parsed(name: str, words: list[str]) -> dict[str, Any]:
    """What click makes of words, without what is about one run."""
    context = TREE[tuple(name.split())].make_context(name, list(words))
    return {key: value for key, value in context.params.items() if not is_output(name, key) and key != "cells"}


def test_every_example_of_the_help_is_kept_and_asked_again() -> None:
    found = list(examples())
    assert len(found) >= 50
    assert len({name for name, _ in found}) >= 20
    for name, words in found:
        asked = typed_values(name, given_in(name, words))
        project = Project({name: asked})
        kept = Project(sections_of(project.to_toml(), "p.toml"))
        assert kept == project
        again = arguments(kept, name)[len(name.split()) :]
        assert parsed(name, again) == parsed(name, words), words


def test_every_command_that_asks_has_it_once() -> None:
    for path, command in TREE.items():
        options = [parameter.name for parameter in command.params].count("save")
        assert options == (" ".join(path) in COMMANDS), path
    plain = click.Command("ledger")
    assert with_saving(plain, "ledger show") is plain
    assert not plain.params


def test_what_was_typed_is_kept_to_the_digit(run: Run, people: Path) -> None:
    asked = ("people.csv", "--by", "income", "--levels", "sex", "--prior", "1/864", "--threshold", ".5,1.10,1e-6")
    outcome = run("posterior", "release", *asked, "--rho", "0.1", "--attack", "single", "--save", "p.toml")
    assert outcome.code == 0, outcome.err
    text = Path("p.toml").read_text()
    assert re.sub(r'"\S+ whole \w+"', '"..."', text) == (
        "# A project of Epsilens: epsilens run THIS-FILE. INTERNAL, as the data are.\nschema = 1\n\n"
        '[data]\nsource = "people.csv"\nlevels = ["sex"]\nby = ["income"]\nfingerprint = "..."\n\n'
        '[posterior.release]\nrho = [0.1]\nprior = "1/864"\nattack = "single"\nthresholds = [".5", 1.1, 1e-6]\n'
    )


def test_text_says_where_it_is_and_json_does_not(run: Run, people: Path) -> None:
    outcome = run("assess", *ASKED, "--epsilon", "1", "--save", "my project.toml")
    assert outcome.out.endswith(
        "The project is in my project.toml. Ask again with: epsilens run 'my project.toml' assess\n"
    )
    assert "Ask again" not in run("assess", *ASKED, "--epsilon", "1", "--json", "--save", "q.toml").out


def test_a_refused_question_writes_nothing(run: Run, people: Path) -> None:
    assert run("choose", *ASKED, "--max-risk", "7", "--save", "p.toml").code == 2
    assert not Path("p.toml").exists()
    assert run("choose", *ASKED, "--max-risk", "1e-9", "--max-error", "1e-9", "--save", "p.toml").code == 3
    assert Path("p.toml").exists()  # the question was answered: there is none


def test_a_project_that_exists_keeps_what_it_says(run: Run, people: Path) -> None:
    assert run("assess", *ASKED, "--epsilon", "1", "--save", "p.toml").code == 0
    Path("p.toml").write_text(Path("p.toml").read_text() + "# mine\n")
    outcome = run("choose", *ASKED, "--harmful", "income=low", "--max-risk", "0.3", "--save", "p.toml")
    assert outcome.code == 0
    assert "so harmful as given here holds for choose alone" in outcome.err
    assert "as given here" not in run("choose", *ASKED, "--harmful", "income=low", "--save", "q.toml").err
    project = Project.load("p.toml")
    assert "harmful" not in project.section("data")
    assert project.section("choose") == {"harmful": ["income=low"], "max_risk": 0.3}
    assert project.section("assess") == {"epsilons": [1]}
    assert "# mine" in Path("p.toml").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("other.csv", *ASKED[1:]), "is a project about other data: its [data] says another 'source'"),
        ((*ASKED[:3], *ASKED[5:]), "says something about 'bins' in [data] that was not asked here"),
        ((*ASKED, "--epsilon", "1"), "says something about 'neighbours' in [noise]"),
    ],
)
def test_another_question_than_the_file_would_ask_is_refused(
    run: Run, people: Path, words: tuple[str, ...], said: str
) -> None:
    data = {"source": "people.csv", "quasi_identifiers": ["age", "sex"], "sensitive": "income", "bins": {"age": 10}}
    text = Project.of(data=data, noise={"neighbours": "substitute"}).to_toml()
    Path("p.toml").write_text(text)
    outcome = run("assess", *words, "--save", "p.toml")
    assert outcome.code == 2
    assert said in outcome.err
    assert "choose another file to --save to" in outcome.err
    assert Path("p.toml").read_text() == text


@pytest.mark.parametrize("name", ["p.txt", "none/p.toml", "folder.toml", "bad.toml"])
def test_a_place_that_cannot_be_is_refused_before_any_work(run: Run, people: Path, name: str) -> None:
    Path("folder.toml").mkdir()
    Path("bad.toml").write_text("[data")
    assert run("assess", "no-such-file.csv", *ASKED[1:], "--save", name).code == 2
    assert "no-such-file" not in run("assess", "no-such-file.csv", *ASKED[1:], "--save", name).err
