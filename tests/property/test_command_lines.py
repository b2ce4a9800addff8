"""Whatever is typed: exit code 0 or 2 (or 3 of choose), one clear line, nobody's value in it, nothing half written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.command_lines import COMMANDS, lines
from tests.support.ground import Ground, Line

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground.made(tmp_path_factory.mktemp("lines"))


@settings(
    max_examples=150,  # make fuzz draws 10,000
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(line=lines())
def test_any_command_line(ground: Ground, line: Line) -> None:
    ground.check(line)


def test_every_command_is_drawn_from_and_asks_for_help(ground: Ground) -> None:
    for path in COMMANDS:
        assert ground.check(Line((*path, "--help"))).code == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [("o.csv", b"a,b\n1\n"), ("c.svg", b"<svg>"), ("x.json", b"{"), ("o.parquet", b"PAR1"), (".o.csv.0.tmp", b"")],
)
def test_what_is_half_written_is_found(ground: Ground, name: str, content: bytes) -> None:
    (ground.folder / name).write_bytes(content)
    with pytest.raises(AssertionError, match=r"not whole|nobody asked for"):
        ground.check(Line(("--version",)))
    ground.check(Line(("--version",)))


def test_inputs_are_put_back(ground: Ground, tmp_path: Path) -> None:
    words = "release people.csv --columns sex,ill --universe u.json --epsilon 1 --ledger b.db --account survey"
    line = Line((*words.split(), "--one-row-per-person", "--out", "o.csv", "--force"))
    before = {path.name: path.read_bytes() for path in ground.folder.iterdir() if path.is_file()}
    assert ground.check(line).code == 0
    assert {path.name: path.read_bytes() for path in ground.folder.iterdir() if path.is_file()} == before
