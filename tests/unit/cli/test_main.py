from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from epsilens import __version__
from epsilens.cli.main import COMMANDS, cli
from tests.unit.cli.conftest import Run


def test_help_lists_every_command_and_each_has_help(run: Run) -> None:
    outcome = run("--help")
    assert outcome.code == 0
    for name, summary in COMMANDS.items():
        assert name in outcome.out
        own = run(name, "--help")
        assert own.code == 0
        assert own.out.startswith(f"Usage: epsilens {name}")
        assert run(name, "-h").out == own.out
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        assert command.get_short_help_str(200).rstrip(".") == summary.rstrip(".")
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.name} has no help"


def test_commands_below_a_command_have_both_spellings_of_help(run: Run) -> None:
    for words in (("posterior", "single"), ("card", "verify"), ("ledger", "show"), ("sensitivity", "mean")):
        assert run(*words, "-h").out == run(*words, "--help").out != ""


def test_no_command_shows_the_help(run: Run) -> None:
    outcome = run()
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: epsilens")


def test_version_and_unknown_command(run: Run) -> None:
    assert run("--version").out.strip() == f"epsilens, version {__version__}"
    outcome = run("asess")
    assert (outcome.code, outcome.err) == (2, "epsilens: there is no command 'asess'; did you mean 'assess'?\n")


def test_a_list_with_blanks_is_told_how_to_write_it(run: Run) -> None:
    for typed in (("age,", "sex"), ("age", "sex")):
        outcome = run("assess", "people.csv", "--qid", *typed, "--sensitive", "disease")
        said = "epsilens: Got unexpected extra argument (sex); a list has commas and no blanks, as in --qid age,sex\n"
        assert (outcome.code, outcome.err) == (2, said)


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from epsilens.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'ibis', 'duckdb', 'altair', 'pyarrow', 'rich', 'pandas'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_our_own_bugs_show_no_traceback_and_no_values(run: Run, monkeypatch: pytest.MonkeyPatch, people: Path) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("SECRET value")

    for module in ("epsilens.table.reading.households", "epsilens.release.tables.cells"):
        importlib.import_module(module)  # imported while it is broken, they would keep it
    monkeypatch.setattr("epsilens.table.reading.tables.table_of", broken)
    outcome = run("assess", people, "--qid", "age", "--sensitive", "income")
    assert outcome.code == 70
    assert outcome.err.count("\n") == 1
    assert "RuntimeError" in outcome.err
    assert "SECRET" not in outcome.err


def test_a_closed_pipe_is_not_an_error(people: Path) -> None:
    command = f"'{sys.executable}' -m epsilens assess '{people}' --qid sex --sensitive income --json | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{", "")


def test_no_progress_bar_when_nobody_watches(people: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "epsilens", "demo", "--rows", "300"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_the_exit_codes_are_documented(run: Run) -> None:
    told = run("--help").out.partition("Exit codes:")[2].partition("Options:")[0]
    codes = [line.split()[0] for line in told.splitlines() if line[:5].strip()]  # what goes on below stands further in
    assert codes == ["0", "2", "3", "70", "130"]


def test_words_that_are_not_text_are_refused_before_anything_is_opened(run: Run, people: Path, tmp_path: Path) -> None:
    before = list(tmp_path.iterdir())
    outcome = run("release", people, "--ledger", "\udcff.db", "--account", "a")
    assert (outcome.code, outcome.err) == (2, "epsilens: argument 4 is not UTF-8 text; rename what it names\n")
    assert list(tmp_path.iterdir()) == before
