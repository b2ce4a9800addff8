"""``epsilens protect`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

PRINTED = "Gender,Block,VotingAge\nM,1,Yes\nF,1,Yes\nF,1,Yes\nM,2,No\nM,2,No\nM,2,Yes\nF,2,Yes\n"
ROLES = ("--qid", "Gender,Block", "--sensitive", "VotingAge")


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    """The data set of Figure 1(a)."""
    path = tmp_path / "fig1.csv"
    path.write_text(PRINTED)
    (tmp_path / "h.json").write_text(json.dumps({"M": "M-F", "F": "M-F"}))
    return path


def test_the_suppressed_table_of_the_paper(run: Run, printed: Path, tmp_path: Path) -> None:
    """Figure 1(c): what is below 2 is hidden."""
    done = run("protect", printed, *ROLES, "--system", "suppression", "--k", "2", "--out", "c.csv")
    assert (done.code, done.err) == (0, "")
    assert "INTERNAL" in done.out
    assert "NO GUARANTEE" in done.out
    lines = [line for line in (tmp_path / "c.csv").read_text().splitlines() if not line.endswith(",")]
    assert lines == ["Gender,Block,VotingAge,count", "F,1,Yes,2", "M,2,No,2"]


def test_the_k_anonymous_table_of_the_paper(run: Run, printed: Path, tmp_path: Path) -> None:
    """Figure 1(e): M-F instead of M and F, with 3, 2 and 2 people."""
    done = run(
        "protect", printed, *ROLES, "--system", "k-anonymity-full-domain", "--k", "2", "--hierarchy", "Gender=h.json",
        "--out", "e.csv", "--json",
    )  # fmt: skip
    assert (tmp_path / "e.csv").read_text() == "Gender,Block,VotingAge,count\nM-F,1,Yes,3\nM-F,2,No,2\nM-F,2,Yes,2\n"
    assert done.json["settings"]["levels"] == {"Gender": 1, "Block": 0}
    assert done.json["files"]["record"] == "e.protect.json"
    fixed = run("protect", printed, *ROLES, "--system", "k-anonymity-full-domain", "--k", "2", "--node", "Block=1",
                "--out", "f.csv", "--json")  # fmt: skip
    assert fixed.json["settings"]["levels"] == {"Gender": 0, "Block": 1}


def test_the_record_says_which_rows_were_read(run: Run, printed: Path, tmp_path: Path) -> None:
    words = ("--system", "suppression", "--k", "2", "--where", "Block!=9", "--missing", "Block=drop")
    assert run("protect", printed, *ROLES, *words, "--out", "w.csv").code == 0
    assert json.loads((tmp_path / "w.protect.json").read_text())["where"] == ["Block!=9", "Block!="]


def test_a_swap_is_repeated_with_its_seed_and_only_with_it(run: Run, printed: Path, tmp_path: Path) -> None:
    words = ("protect", printed, *ROLES, "--system", "swapping-discrepancy-cells", "--swap", "Gender",
             "--swapped-share", "1")  # fmt: skip
    assert run(*words, "--out", "a.csv").code == 0
    seed = json.loads((tmp_path / "a.protect.internal.json").read_text())["seed"]
    assert len(seed) > 20
    assert run(*words, "--out", "b.csv", "--seed", seed).code == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    assert seed not in (tmp_path / "a.protect.json").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--system", "laplace"), "--system must be one without an epsilon, got 'laplace'"),
        (("--system", "suppression", "--base", "5"), "--base plays no part in suppression; leave it out"),
        (("--system", "rounding", "--hierarchy", "Gender=h.json"), "--hierarchy plays no part in rounding"),
        (("--system", "rounding", "--seed", "1"), "--seed plays no part in rounding"),
        (("--system", "swapping", "--seed", "1.5"), "--seed must be a whole number >= 0, got '1.5'"),
        (("--system", "k-anonymity-full-domain", "--node", "Block"), "--node must be COL=LEVEL, such as age=1"),
        (("--system", "k-anonymity-full-domain", "--node", "Block=1,Block=0"), "--node names 'Block' twice"),
        (("--system", "k-anonymity-full-domain", "--k", "2", "--node", "Block=5"), "--node says level 5 of 'Block'"),
        (("--system", "swapping", "--swapped-share", "2"), "--swapped-share of rows to swap must be > 0"),
        ((), "--system is missing: name how to protect the table"),
    ],
)
def test_what_is_refused(run: Run, printed: Path, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = run("protect", printed, *ROLES, *words, "--out", "o.csv")
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.glob("o.*"))


def test_outputs_are_not_replaced_unasked(run: Run, printed: Path, tmp_path: Path) -> None:
    words = ("protect", printed, *ROLES, "--system", "rounding", "--base", "3")
    assert "--out is missing" in run(*words).err
    assert run(*words, "--out", "o.csv").code == 0
    assert "--force" in run(*words, "--out", "o.csv").err
    assert run(*words, "--out", "o.csv", "--force").code == 0
    assert "holds the data themselves" in run(*words, "--out", printed, "--force").err
    assert printed.read_text() == PRINTED
