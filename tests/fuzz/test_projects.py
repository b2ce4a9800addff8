"""Command lines that are kept: run again, and as a Python program, they print the same JSON."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from epsilens.project import Project
from epsilens.project.keys import ANSWERED, COMMANDS
from tests.support.command_lines import lines
from tests.support.ground import Ground, Line

pytestmark = pytest.mark.integration

LINES = 2_000
WRITING = {"release", "release-statistics", "protect"}
OUTPUTS = {"--save", "--write", "--help", "-h", "--example", "--plot", "--cells", "--export", "--map", "--report"}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground.made(tmp_path_factory.mktemp("lines"))


def printed(folder: Path, program: str) -> str:
    out, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out):
            exec(program, {})
    finally:
        os.chdir(before)
    return out.getvalue()


@pytest.mark.filterwarnings("ignore")
def test_whatever_is_kept_is_asked_again(ground: Ground) -> None:
    kept = []

    @seed(16)
    @settings(
        max_examples=LINES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(lines())
    def tried_out(line: Line) -> None:
        words = line.words
        name = next((name for name in (" ".join(words[:2]), " ".join(words[:1])) if name in COMMANDS), None)
        if name is None or name in WRITING or OUTPUTS & set(words):
            return
        asked = words if "--json" in words else (*words, "--json")
        project = ground.folder / "new.toml"
        try:
            first = Line((*asked, "--save", "new.toml")).run(ground.folder)
            if first.code not in (0, 3):
                return
            again = Line(("run", "new.toml", *name.split(), "--json")).run(ground.folder)
            assert (again.code, json.loads(again.out)) == (first.code, json.loads(first.out)), words
            if name in ANSWERED:
                program = Project.load(project).script(name)
                assert json.loads(printed(ground.folder, program)) == json.loads(first.out), words
            kept.append(name)
        finally:
            project.unlink(missing_ok=True)

    tried_out()
    assert len(kept) >= LINES // 5
    assert len(set(kept)) >= 20
