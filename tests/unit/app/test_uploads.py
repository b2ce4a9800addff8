from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.app.uploads import DEMO_ROLES, Upload, demo
from epsilens.choice.questions.demo import BINS, QUASI_IDENTIFIERS, SENSITIVE
from epsilens.table.demo.population import write_population


@pytest.mark.parametrize("name", ["a.csv", "/home/x/a.csv", "C:\\x\\a.csv", "../a.csv"])
def test_folders_are_left_away(name: str) -> None:
    assert Upload.of(name, b"x").name == "a.csv"


def test_no_byte_of_a_file_is_in_what_it_shows_of_itself() -> None:
    assert "secret" not in repr(Upload.of("a.csv", b"secret"))
    assert Upload.of("..", b"x").name == "upload"
    assert Upload.of("a.csv", b"x") != Upload.of("a.csv", b"y")


def test_the_demo_is_what_the_command_writes(tmp_path: Path) -> None:
    write_population(tmp_path / "people.csv", 300)
    assert demo(300).held.content == (tmp_path / "people.csv").read_bytes()
    assert {"quasi_identifiers": [*QUASI_IDENTIFIERS], "sensitive": [SENSITIVE], "bins": BINS} == {**DEMO_ROLES}
