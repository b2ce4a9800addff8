"""Everything that README and the handbook tell a reader to type is typed, and prints what they show."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from epsilens.cli import main, terminal
from tests.conftest import REPOSITORY
from tests.support.documents import Block, Command, blocks, data_of, documents, not_shown
from tests.unit.cli.conftest import Run
from tests.unit.cli.conftest import run as run

pytestmark = pytest.mark.integration

ELSEWHERE = {
    "make ": "Makefile",
    "pip install": "tools/environments.py",
    ". .venv/bin/activate": "Makefile",
    "uvx ": "pyproject.toml",
    "eval ": "docs/guides/shell.md",
}
"""Beginnings of lines that this test does not type, and where what they do is set up and tested."""
IN_A_SHELL = re.compile(r" (?:\||>|&&|\|\||<) |;|\$\?|^(?!epsilens )")
"""What needs a shell; everything else is called in this process, which is ten times as fast."""
EXIT = re.compile(r"Exit code (\d+)")
"""A line that is not printed: what the command ends with, where that is not 0."""


def pages() -> list[str]:
    """Pages with anything to do."""
    return [page for page in documents() if any(block.language in ("console", "python") for block in blocks(page))]


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The people whom ``epsilens demo --write people.csv`` writes."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--write", str(path)])
    assert not stop.value.code
    return path


COLUMNS = 100
"""Of the terminal in which a reader sees what the pages show."""


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables fold their headings as in a terminal."""
    from rich.console import Console

    monkeypatch.setattr(terminal, "console", lambda: Console(width=COLUMNS, highlight=False, color_system=None))


class Reader:
    """Somebody who does what a page says, in a folder of their own."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run, self.folder = run, folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""

    def read(self, block: Block) -> None:
        if block.name is not None:
            (self.folder / block.name).write_text(block.text + "\n")
            return
        if block.language == "console":
            self.printed = "\n".join(self.typed(command) for command in block.commands)
        elif block.language == "python":
            self.printed = self.executed(block.text)
        elif block.language == "output":
            self.seen(block.text, self.printed)
        if block.quoted and block.language in ("console", "python"):
            self.seen(block.quoted, self.printed)

    def typed(self, command: Command) -> str:
        """What a command prints; it must be what the page shows."""
        if any(command.line.startswith(known) for known in ELSEWHERE):
            return ""
        words = shlex.split(command.line)
        if words[:2] == ["epsilens", "app"]:
            assert self.run(*words[1:], "--check").code == 0
            return ""
        if IN_A_SHELL.search(command.line):
            printed, code = self.in_a_shell(command.line)
        else:
            outcome = self.run(*words[1:])
            printed, code = outcome.out + outcome.err, outcome.code
        ended = [EXIT.fullmatch(line) for line in command.shown]
        expected = next((int(found[1]) for found in ended if found), 0)
        assert code == expected, (command.line, printed)
        shown = "\n".join(line for line, found in zip(command.shown, ended, strict=True) if not found)
        self.seen(shown, printed, command.line)
        return printed

    def in_a_shell(self, line: str) -> tuple[str, int]:
        """What a real shell prints, in which ``epsilens`` is the command of this source."""
        bin_ = self.folder / ".bin"
        bin_.mkdir(exist_ok=True)
        script = bin_ / "epsilens"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m epsilens "$@"\n')
        script.chmod(0o755)
        environment = os.environ | {
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY / "src"),
        }
        done = subprocess.run(
            ["bash", "-c", line], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr, done.returncode

    def executed(self, program: str) -> str:
        out = io.StringIO()
        with redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("default")
            exec(compile(program, "page", "exec"), self.names)
        return out.getvalue()

    @staticmethod
    def seen(shown: str, printed: str, by: str = "") -> None:
        missing = not_shown(shown, printed)
        assert missing is None, f"{by}\nprinted no {missing!r}, but\n{printed}"


@pytest.mark.parametrize("page", pages())
def test_a_page_does_what_it_says(
    page: str, run: Run, tmp_path: Path, people: Path, request: pytest.FixtureRequest
) -> None:
    for name in data_of(page):
        (tmp_path / name).symlink_to(request.getfixturevalue("data_dir") / name)
    typed = [command.line for block in blocks(page) if block.language == "console" for command in block.commands]
    if "people.csv" in (REPOSITORY / page).read_text() and not any("--write people.csv" in line for line in typed):
        shutil.copy(people, tmp_path)
    reader = Reader(run, tmp_path)
    for block in blocks(page):
        try:
            reader.read(block)
        except AssertionError as problem:
            raise AssertionError(f"{page}:{block.line}: {problem}") from None


def test_what_is_not_typed_here_is_set_up_somewhere() -> None:
    for place in ELSEWHERE.values():
        assert (REPOSITORY / place).exists()
    makefile = (REPOSITORY / "Makefile").read_text()
    for page in pages():
        for block in blocks(page):
            for command in block.commands if block.language == "console" else ():
                if command.line.startswith("make "):
                    assert re.search(rf"^{command.line.split()[1]}:", makefile, re.M), command.line
