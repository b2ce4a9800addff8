from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


def test_demo_is_deterministic_and_labelled(run: Run) -> None:
    first, again, other = (run("demo", "--rows", "2000", *seed).out for seed in ((), (), ("--people", "1")))
    assert first == again != other
    assert "nobody is real" in first
    assert "INTERNAL" in first


def test_demo_json(run: Run) -> None:
    result = run("demo", "--rows", "2000", "--json", "--epsilon", "1").json
    assert result["people"] == 2000
    assert 0 < result["today"][0]["homogeneous_cells"] < result["cells"]


def test_demo_writes_people_that_assess_reads(run: Run, tmp_path: Path) -> None:
    outcome = run("demo", "--rows", "3000", "--write", "people.parquet")
    assert outcome.code == 0
    suggestion = "".join(outcome.out.splitlines(keepends=True)[1:3]).replace("\\\n", "").split()[1:]
    written = run(*suggestion, "--json").json
    assert written["people"] == 3000
    assert written["budgets"] == run("demo", "--rows", "3000", "--json").json["budgets"]


def test_bad_sizes_and_places(run: Run, tmp_path: Path) -> None:
    for arguments in (("--rows", "0"), ("--rows", "-3"), ("--rows", "many"), ("--write", "nowhere/p.parquet")):
        outcome = run("demo", *arguments)
        assert outcome.code == 2
        assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("further", [(), ("--write", "people.parquet")])
def test_which_people_is_blamed_on_its_own_option(run: Run, tmp_path: Path, further: tuple[str, ...]) -> None:
    outcome = run("demo", "--rows", "10", "--people", "-1", *further)
    assert outcome.err.startswith("epsilens: --people must be a whole number from 0 to ")
    assert run("demo", "--rows", "10", "--simulate-seed", "-1", "--simulate", "2").err.count("--simulate-seed") == 1


def test_demo_does_not_write_over_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("mine")
    outcome = run("demo", "--rows", "10", "--write", "x.csv")
    assert (outcome.code, outcome.err) == (
        2, "epsilens: x.csv exists; name another file, or use --force to replace it\n"
    )  # fmt: skip
    assert (tmp_path / "x.csv").read_text() == "mine"
    assert run("demo", "--rows", "10", "--write", "x.csv", "--force").code == 0
    assert (tmp_path / "x.csv").read_text().startswith('"person","county"')
    assert run("demo", "--write", "x.txt").err == "epsilens: --write must end in .csv or .parquet, got 'x.txt'\n"
    assert run("demo", "--force").code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_harm_is_declared_in_one_line_and_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    result = run("demo", "--rows", "2000", "--json", "--epsilon", "1", "--harmful", "disease=cancer").json
    (today,), (line,) = result["today"], result["budgets"]
    assert today["harm_declared"]
    assert [value["value"] for value in line["by_value"] if value["weight"]] == ["cancer"]
    assert line["right"] == line["harmful_right"]
    for harmful, why in (
        ("disease=cancr", "names 'cancr', which does not occur in column 'disease'; did you mean 'cancer'?"),
        ("disease=cancer*0.5", "a weight must be at least 1: leave out values that harm nobody, got 0.5"),
        ("illness=cancer", "names column 'illness', which is not sensitive here"),
        ("cancer", "must read like COL=VALUE, or COL=VALUE*3 for a weight"),
    ):
        outcome = run("demo", "--rows", "50", "--harmful", harmful)
        assert (outcome.code, outcome.err) == (2, f"epsilens: --harmful {why}\n")
    refused = run("demo", "--write", "x.csv", "--harmful", "disease=cancer")
    assert refused.err == "epsilens: --harmful is about risks, and --write only writes people; leave it out\n"
    assert list(tmp_path.iterdir()) == []
