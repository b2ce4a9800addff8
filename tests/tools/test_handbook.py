"""What the handbook makes of its sources before Sphinx reads them; that the site builds is an integration test."""

from __future__ import annotations

from tools.handbook.cards import table
from tools.handbook.commands import overview, page
from tools.handbook.files import with_captions

from epsilens.cli.main import COMMANDS
from epsilens.release.kinds import KINDS


def test_a_block_that_is_a_file_has_its_name_above_it() -> None:
    page = 'Save it:\n\n<!-- file: u.json -->\n```json\n{"a": 1}\n```\n\n```json\n{}\n```\n'
    assert with_captions(page) == (
        'Save it:\n\n```{code-block} json\n:caption: u.json\n\n{"a": 1}\n```\n\n```json\n{}\n```\n'
    )


def test_every_field_of_a_card_is_a_line_of_its_table() -> None:
    for card_format in KINDS:
        lines = table(card_format).splitlines()
        assert lines[:2] == ["| field | holds | what it is |", "|---|---|---|"]
        assert any(line.startswith("| `budget.cost.epsilon` | decimal, as text or null |") for line in lines)
        assert any(line.startswith("| `composition.plan` | list of objects (may be missing) |") for line in lines)
        assert all(line.count("|") == 4 for line in lines)


def test_the_first_page_of_the_commands_says_what_each_of_them_does() -> None:
    lines = overview().splitlines()
    assert [line.split("`")[1] for line in lines[2:]] == [f"{name} <command-{name}>" for name in COMMANDS]
    assert all(line.count("|") == 3 and not line.endswith("|  |") for line in lines[2:])


def test_everything_on_the_page_of_a_command_says_what_it_is() -> None:
    for name in COMMANDS:
        assert not [line for line in page(name).splitlines() if line.strip() == ":"], name
