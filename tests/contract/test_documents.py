"""Commands in README.md and the handbook are commands of today, and links lead somewhere.

That they run, and print what is shown, is tested in ``tests/integration/test_documents.py``.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from epsilens.cli.again import arguments
from epsilens.cli.main import COMMANDS, cli
from epsilens.project import Project
from epsilens.project.toml_file import sections_of
from tests.conftest import REPOSITORY
from tests.support.documents import LANGUAGES, blocks, documents, not_shown

DOCUMENTS = documents()
FILES = REPOSITORY / "docs" / "guides" / "projects.md"


def commands(document: str) -> list[str]:
    """What is typed into a shell."""
    return [command.line for block in blocks(document) if block.language == "console" for command in block.commands]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_says_what_it_is(document: str) -> None:
    for block in blocks(document):
        assert block.language in LANGUAGES, f"{document}:{block.line}"
        if block.language == "json":
            json.loads(block.text)
        if block.language == "toml":
            tomllib.loads(block.text)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_has_the_options_that_it_is_given(document: str) -> None:
    for line in commands(document):
        words = shlex.split(line.partition(" | ")[0].partition(" > ")[0].partition(" && ")[0])
        if words.pop(0) != "epsilens":
            continue
        command: click.Command = cli
        context = click.Context(command, info_name="epsilens")
        while isinstance(command, click.Group) and not words[0].startswith("-"):
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
    page = REPOSITORY / document
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)):
        if "://" in target or target.startswith("#command"):
            continue
        name, _, anchor = target.partition("#")
        other = page if not name else page.parent / name
        assert other.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", other.read_text(), flags=re.M)
            named = set(re.findall(r"^\((.+)\)=$", other.read_text(), flags=re.M))
            assert anchor in named | {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}, (
                target
            )


def test_a_newcomer_has_a_report_after_five_commands() -> None:
    typed = commands("README.md")
    first = next(number for number, line in enumerate(typed, 1) if "--report" in line)
    assert first <= 5
    asked = [shlex.split(line)[1] for line in typed[:first] if line.startswith("epsilens")]
    assert asked == ["demo", "assess", "choose"]


def test_readme_and_guides_have_commands() -> None:
    assert len(commands("README.md")) >= 6
    assert sum(len(commands(document)) for document in DOCUMENTS if document.startswith("docs/guides/")) >= 10


def test_every_command_is_shown_somewhere() -> None:
    shown = {
        shlex.split(line)[1] for document in DOCUMENTS for line in commands(document) if line.startswith("epsilens ")
    }
    assert set(COMMANDS) - shown == set()


def test_every_command_has_a_page_of_its_own() -> None:
    assert {path.stem for path in (REPOSITORY / "docs/reference/commands").glob("*.md")} == {*COMMANDS, "index"}


def test_projects_in_documents_are_projects_of_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = 0
    for document in DOCUMENTS:
        for block in blocks(document):
            if block.name is not None:
                Path(block.name).write_text(block.text)  # a project may name other files of its page
            if block.language != "toml":
                continue
            found += 1
            project = Project(sections_of(block.text, block.name or "survey.toml"))
            for command in ("assess", "choose", "knowledge", "compare", "posterior release", "release"):
                if project.section(command):
                    assert project.question(command) is not None
                    assert arguments(project, command)
    assert found


def test_what_a_page_shows_is_compared_part_by_part() -> None:
    printed = "Take  epsilon = 0.96\n (laplace).\n\nRisk: 20.0 %\n"
    assert not_shown("> Take epsilon = 0.96\n(laplace).".lstrip("> "), printed) is None
    assert not_shown("Take ... Risk: `20.0 %`", printed) is None
    assert not_shown("Risk: 20.0 % ... Take", printed) == "Take"
    assert not_shown("Take epsilon = 0.97", printed) == "Take epsilon = 0.97"
