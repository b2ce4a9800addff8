"""Completion in a real bash, by the function that users evaluate, and by click's own protocol."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import CompletionItem

from epsilens.cli.main import cli
from epsilens.cli.shells import Bash, Fish, Zsh
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, and a command ``epsilens`` of this source."""
    path = tmp_path_factory.mktemp("shell")
    (path / "t.csv").write_text("age,sex,money earned\n23,f,low\n31,m,high\n")
    script = path / "epsilens"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m epsilens "$@"\n')
    script.chmod(0o755)
    return path


def bash(folder: Path, program: str, **variables: str) -> str:
    """What a bash prints that knows the command."""
    environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run(
        ["bash", "--norc", "-c", program],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


TYPED = r"""
eval "$(_EPSILENS_COMPLETE=bash_source epsilens)"
complete -p epsilens > /dev/null
compopt() { echo "option $2"; }
COMP_POINT=${#COMP_LINE} COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
_epsilens_completion epsilens
printf '%s\n' "${COMPREPLY[@]}"
"""


def typed(folder: Path, line: str, *words: str) -> list[str]:
    """What is offered at the end of a line, whose words are as bash parts them."""
    parts = " ".join(f"'{word}'" if "'" not in word else f'"{word}"' for word in words)
    return bash(folder, f"words=({parts}){TYPED}", COMP_LINE=line).split("\n")[:-1]


@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [
        ("epsilens ass", ("epsilens", "ass"), ["assess"]),
        ("epsilens assess t.csv --qid age,s", ("epsilens", "assess", "t.csv", "--qid", "age,s"), ["age,sex"]),
        ("epsilens assess t.csv --qid=age,s", ("epsilens", "assess", "t.csv", "--qid", "=", "age,s"), ["age,sex"]),
        ("epsilens assess t.csv --bins a", ("epsilens", "assess", "t.csv", "--bins", "a"), ["option nospace", "age="]),
        (
            "epsilens assess t.csv --copy d=",
            ("epsilens", "assess", "t.csv", "--copy", "d", "="),
            ["age", "sex", r"money\ earned"],
        ),
        ("epsilens assess t.csv --copy d=a", ("epsilens", "assess", "t.csv", "--copy", "d", "=", "a"), ["age"]),
        ("epsilens assess t.csv --copy 'd=a", ("epsilens", "assess", "t.csv", "--copy", "'d=a"), ["d=age"]),
        ("epsilens assess t.csv --count m", ("epsilens", "assess", "t.csv", "--count", "m"), [r"money\ earned"]),
        ("epsilens assess t.csv --count 'm", ("epsilens", "assess", "t.csv", "--count", "'m"), ["money earned"]),
        ("epsilens assess ", ("epsilens", "assess", ""), ["option default"]),
        ("epsilens nonsense x", ("epsilens", "nonsense", "x"), []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_line_in_bash(folder: Path, line: str, words: tuple[str, ...], expected: list[str]) -> None:
    assert [one for one in typed(folder, line, *words) if one] == expected


def test_the_protocol_of_click(folder: Path) -> None:
    asked = {
        "_EPSILENS_COMPLETE": "bash_complete",
        "COMP_WORDS": "epsilens assess t.csv --mechanism lap",
        "COMP_CWORD": "4",
    }
    assert bash(folder, "epsilens", **asked) == "plain,laplace\n"
    assert bash(folder, "epsilens", **asked | {"COMP_CWORD": "nowhere"}) == "\n"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(folder: Path, shell: str) -> None:
    asked = {"COMP_WORDS": "epsilens assess t.csv --mechanism lap", "COMP_CWORD": "4" if shell == "zsh" else "lap"}
    assert "laplace" in bash(folder, "epsilens", _EPSILENS_COMPLETE=f"{shell}_complete", **asked)
    assert "epsilens" in bash(folder, "epsilens", _EPSILENS_COMPLETE=f"{shell}_source")


def test_bash_parts_words_at_equals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_LINE", "epsilens assess t.csv --copy=decade=a")
    monkeypatch.setenv("COMP_CURRENT", "a")
    asked = Bash(cli, {}, "epsilens", "_EPSILENS_COMPLETE")
    assert asked.get_completion_args() == (["assess", "t.csv"], "--copy=decade=a")
    assert asked.format_completion(CompletionItem("decade=age")) == "plain,age"
    assert (Zsh.name, Fish.name) == ("zsh", "fish")
