"""What a shell is offered for values: names of registries, columns, accounts, and never a value of a person."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from epsilens.cli.completion import BY_COLUMN, COLUMNS, FILES, NAMES, registered, with_completion
from epsilens.cli.main import cli
from epsilens.noise import MECHANISMS
from tests.unit.cli.conftest import BOOK, PERSON, TOTAL, Run
from tests.unit.cli.test_help_pages import commands

TABLE = "age,sex,income\n23,f,low\n31,m,high\n"


def offered(*words: str) -> list[str]:
    """What ``epsilens words`` could go on with, the last word being the one that is typed."""
    return [item.value for item in items(*words)]


def items(*words: str) -> list[CompletionItem[str]]:
    return ShellComplete(cli, {}, "epsilens", "").get_completions(list(words[:-1]), words[-1])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ass",), ["assess"]),
        (("posterior", "two"), ["two-level"]),
        (("assess", "t.csv", "--mechanism", "disc"), ["discrete-laplace", "discrete-gaussian"]),
        (("assess", "t.csv", "--mechanism", "laplace,discrete-l"), ["laplace,discrete-laplace"]),
        (("assess", "t.csv", "--mechanism", "laplace,lap"), []),
        (("release", "t.csv", "--mechanism", "gau"), ["gaussian"]),
        (("choose", "t.csv", "--measure", "posterior-"), ["posterior-ratio", "posterior-decision"]),
        (("assess", "t.csv", "--measure", "al"), ["all"]),
        (("choose", "t.csv", "--aggregate", "cell"), ["cell-mean", "cell-q95"]),
        (("choose", "t.csv", "--chart", "iso"), ["iso-risk"]),
        (("assess", "t.csv", "--chart", "val"), ["values"]),
        (("evaluate", "t.csv", "--chart", ""), ["noise", "groups"]),
        (("posterior", "curve", "--chart", "posterior,de"), ["posterior,decision"]),
        (("posterior", "noise", "--chart", "s"), ["sum"]),
        (("protect", "t.csv", "--system", "round"), ["rounding"]),
        (("compare", "t.csv", "--systems", "rounding,pub"), ["rounding,published"]),
        (("reproduce", "P"), ["P0", "P1", "P2", "P3", "P4"]),
        (("reproduce", "P0", "a"), ["all"]),
        (("reproduce", "--verdict", "not"), ["not reproducible"]),
        (("assess", "t.csv", "--neighbours", "s"), ["substitute"]),
        (("assess", "t.csv", "--match", ""), ["any", "share"]),
        (("sensitivity", "count", "--neighbours", "add"), ["add-remove"]),
        (("cell", "--axis", "l"), ["labels"]),
        (("compare", "t.csv", "--axis", "s"), ["share"]),
        (("release-statistics", "t.csv", "-s", "mea"), ["mean"]),
        (("release", "t.csv", "--composition", "z"), ["zcdp"]),
        (("choose", "t.csv", "--export", ""), ["opendp"]),
    ],
)
def test_names_of_registries(words: tuple[str, ...], expected: list[str]) -> None:
    assert offered(*words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("assess", "t.csv", "--qid", ""), ["age", "sex", "income"]),
        (("assess", "t.csv", "--qid", "age,"), ["age,sex", "age,income"]),
        (("assess", "t.csv", "--qid=age,s"), ["age,sex"]),
        (("assess", "t.csv", "--qid", "age", "--sensitive", "i"), ["income"]),
        (("assess", "t.csv", "--count", "a"), ["age"]),
        (("assess", "t.csv", "--bins", "a"), ["age="]),
        (("assess", "t.csv", "--bins", "age=1"), []),
        (("assess", "t.csv", "--harmful", "inc"), ["income="]),
        (("assess", "t.csv", "--harmful", "income="), []),
        (("assess", "t.csv", "--where", "s"), ["sex"]),
        (("assess", "t.csv", "--copy", "decade=a"), ["decade=age"]),
        (("assess", "t.csv", "--copy", "dec"), []),
        (("assess", "t.csv", "--missing", ""), ["level", "refuse", "drop", "age=", "sex=", "income="]),
        (("assess", "t.csv", "--missing", "sex=d"), ["sex=drop"]),
        (("release", "t.csv", "--columns", "sex,"), ["sex,age", "sex,income"]),
        (("release", "t.csv", "--hierarchy", "s"), ["sex"]),
        (("protect", "t.csv", "--hierarchy", "s"), ["sex="]),
        (("posterior", "release", "t.csv", "--by", "a"), ["age"]),
        (("evaluate", "nothing.csv", "--truth", "t.csv", "--truth-count", "a"), []),
        (("evaluate", "t.csv", "--truth", "t.csv", "--qid", "a"), ["age"]),
        (("assess", "--qid", "a"), []),
        (("assess", "nothing.csv", "--qid", "a"), []),
        (("assess", "sqlite:///people.db", "--table", "t", "--qid", "a"), []),
    ],
)
def test_columns_and_never_their_values(words: tuple[str, ...], expected: list[str]) -> None:
    assert offered(*words) == expected


def test_columns_of_files_of_every_kind() -> None:
    pq.write_table(pa.table({"region": ["n"], "sex": ["f"]}), "t.parquet")
    Path("u.csv.gz").write_bytes(gzip.compress(b"zip;zip;weight\n1;2;3\n4;5;6\n"))
    Path("broken.parquet").write_text("not a table")
    assert offered("assess", "t.parquet", "--qid", "") == ["region", "sex"]
    assert offered("assess", "u.csv.gz", "--qid", "z") == ["zip", "zip_1"]
    assert offered("assess", "*.parquet", "--qid", "") == []  # the first of them is broken
    assert offered("assess", "t*.csv", "--qid", "a") == ["age"]


def test_accounts_of_the_ledger(run: Run, people: Path, universe: Path) -> None:
    asked = ("release", str(people), "--columns", "sex,income", "--universe", str(universe), "--epsilon", "0.5")
    assert run(*asked, *BOOK, *PERSON, *TOTAL, "--out", "o.csv").code == 0
    assert offered("release", str(people), "--ledger", "b.db", "--account", "") == ["survey"]
    assert offered("release", str(people), "--ledger", "none.db", "--account", "") == []
    assert offered("release", str(people), "--account", "") == []
    Path("damaged.db").write_text("no ledger")
    assert offered("release", str(people), "--ledger", "damaged.db", "--account", "") == []


def test_what_a_project_is_asked(run: Run, people: Path) -> None:
    asked = ("choose", str(people), "--qid", "age,sex", "--sensitive", "income", "--max-risk", "0.9")
    assert run(*asked, "--save", "survey.toml").code == 0
    assert offered("run", "survey.toml", "ch") == ["choose"]
    assert offered("run", "survey.toml", "posterior", "si") == ["single"]
    assert offered("run", "survey.toml", "choose", "--max-r") == ["--max-rows", "--max-risk"]
    assert offered("run", "survey.toml", "choose", "--mechanism", "lap") == ["laplace"]
    assert offered("run", "survey.toml", "choose", "--qid", "age,i") == ["age,income"]
    assert offered("run", "survey.toml", "posterior", "release", "--attack", "s") == ["single"]
    assert offered("run", "nothing.toml", "choose", "--max-r") == []
    assert offered("run", "--h") == ["--help"]


def test_files_are_left_to_the_shell() -> None:
    for words in (("assess", ""), ("evaluate", "t.csv", "--truth", ""), ("assess", "t.csv", "--universe", "u")):
        assert [item.type for item in items(*words)] == ["file"]


def test_nothing_is_said_about_what_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.csv").write_bytes(b"\xff\xfe\x00bad")
    assert offered("nonsense", "--x", "y") == []
    assert offered("assess", "t.csv", "--epsilon", "1", "--epsilon", "2", "--delta", "1", "--qid", "") == []
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


NUMBERS = """
base bound branching categories cells confidence counts delta delta_range deltas epsilon epsilon_range epsilons family
first fixed_epsilon highest k known labels largest_set lower lowest mark max_error max_gain max_people max_risk
max_rows_per_unit max_suppressed max_wrong members n n_jobs noisy noisy_parent noisy_siblings parent_rho parents people
points port prior priors proportions public_total rare repeats repetitions rho rows sampling_fraction scale seed
sensitivity share shares shown siblings sizes swapped_share terms threads threshold_delta thresholds total_delta
total_epsilon total_rho true_category upper values wait ways
"""
TEXTS = """
equal_risk memory_limit missing_values parent_prior plan profile published_table spark_master table truth_table
"""
"""Of one's own, or tables of a database, which nobody opens to complete a line."""
FREE = frozenset((NUMBERS + TEXTS).split())


def options() -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    for path in commands():
        command: click.Command = cli
        for name in path:
            assert isinstance(command, click.Group)
            found = command.get_command(click.Context(command), name)
            assert found is not None
            command = found
        if not isinstance(command, click.Group):
            with_completion(command)
            yield from ((path, parameter) for parameter in command.params)


def test_every_option_that_takes_a_word_is_completed() -> None:
    for path, parameter in options():
        if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count):
            continue
        by_click = isinstance(parameter.type, click.Path | click.Choice)
        ours = "shell_complete" in vars(parameter)
        free = parameter.name in FREE or (path == ("sensitivity", "histogram-tree") and parameter.name == "levels")
        assert ours or by_click or free, (path, parameter.name)


def test_every_registry_is_there_and_every_parameter_is_one() -> None:
    known = {" ".join((*path, parameter.name or "")) for path, parameter in options()}
    names = {name.split()[-1] for name in known}
    for key, places in NAMES.items():
        assert key in known | names, key
        for place in places:
            assert all(isinstance(name, str) and name for name in registered(place)), place
            assert registered(place)
    assert names >= COLUMNS | BY_COLUMN | FILES - {"data"}
    assert registered("noise.mechanisms:MECHANISMS") == tuple(MECHANISMS)
