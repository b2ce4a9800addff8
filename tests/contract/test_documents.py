"""Commands in README.md and docs/ are commands of today, and links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from epsilens.cli.again import arguments
from epsilens.cli.main import cli
from epsilens.project import Project
from epsilens.project.toml_file import sections_of

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


def commands(document: str) -> list[str]:
    text = (ROOT / document).read_text()
    blocks = re.findall(r"^```\n(.*?)^```", re.sub(r"^```\w+\n.*?^```$", "", text, flags=re.S | re.M), re.S | re.M)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("epsilens ")]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_has_the_options_that_it_is_given(document: str) -> None:
    for line in commands(document):
        words = [word for word in shlex.split(line)[1:] if word != "..."]
        command: click.Command = cli
        context = click.Context(command, info_name="epsilens")
        while isinstance(command, click.Group):
            found = command.get_command(context, words.pop(0))
            assert found is not None, line
            if found.name == "run" and len(words) > 1:  # behind the project stands the command that is run
                del words[0]
                continue
            command = found
            context = click.Context(command, parent=context)
        _, left, _ = command.make_parser(context).parse_args(args=list(words))
        assert not left, line


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    page = ROOT / document
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        other = page if not name else page.parent / name
        assert other.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", other.read_text(), flags=re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}, target


def test_the_documents_have_commands() -> None:
    assert len(commands("README.md")) >= 6
    assert len(commands("docs/reading.md")) >= 10


def test_projects_in_documents_are_projects_of_today() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs/reading.md").read_text(), re.S | re.M)
    project = Project(sections_of(text, "survey.toml"))
    for command in ("assess", "choose", "knowledge", "compare", "posterior release", "release"):
        assert project.question(command) is not None
        assert arguments(project, command)
