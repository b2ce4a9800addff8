"""Running the command line in this process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from epsilens.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("assess", "x.csv", ...)`` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EPSILENS_DEBUG", raising=False)

    def call(*arguments: str | os.PathLike[str]) -> Outcome:
        with pytest.raises(SystemExit) as stop:
            main([os.fspath(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    return call


PEOPLE = """age,sex,income
23,f,low
24,f,low
31,m,high
34,m,low
38,m,high
52,f,high
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


UNIVERSE = {"sex": ["f", "m", "x"], "income": ["low", "high"], "age": {"from": 20, "to": 60}}


BOOK = ("--ledger", "b.db", "--account", "survey")


PERSON = ("--one-row-per-person",)


TOTAL = ("--total-epsilon", "2")


@pytest.fixture
def universe(tmp_path: Path) -> Path:
    path = tmp_path / "u.json"
    path.write_text(json.dumps(UNIVERSE))
    return path


def arguments(people: Path, universe: Path, *more: str) -> tuple[str, ...]:
    columns = () if "--columns" in more else ("--columns", "sex,income")
    declared = (*columns, "--universe", str(universe))
    return ("release", str(people), *declared, *BOOK, *PERSON, *TOTAL, "--out", "o.csv", "--epsilon", "0.5", *more)
