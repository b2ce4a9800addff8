"""``epsilens knowledge`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epsilens.table import count_vectors
from tests.unit.cli.conftest import Run

ROLES = ("--qid", "age,sex", "--sensitive", "income", "--bins", "age=20", "--epsilon", "1,2")


def test_text_json_and_chart(run: Run, people: Path, tmp_path: Path) -> None:
    done = run("knowledge", people, *ROLES)
    assert (done.code, done.err) == (0, "")
    for word in ("INTERNAL", "Today ", "worst-off person", "Which column to coarsen first", "No universe is declared"):
        assert word in done.out
    drawn = run("knowledge", people, *ROLES, "--json", "--plot", tmp_path / "c.svg").json
    assert (drawn["label"], drawn["charts"]) == ("internal", [str(tmp_path / "c.svg")])
    assert [one["attributes"] for one in drawn["subsets"]] == [["age"], ["sex"], ["age", "sex"]]
    assert [budget["epsilon"] for budget in drawn["subsets"][0]["budgets"]] == [1.0, 2.0]
    assert len(drawn["sentences"]) == 3
    assert (tmp_path / "c.svg").read_text().startswith("<svg")


def test_all_cells_of_a_universe_are_added_up(run: Run, people: Path, tmp_path: Path) -> None:
    universe, zeros = tmp_path / "u.json", tmp_path / "z.json"
    universe.write_text(json.dumps({"age": {"from": 20, "to": 80}, "sex": ["f", "m", "x"], "income": ["low", "high"]}))
    zeros.write_text(json.dumps([{"sex": "x", "income": "high"}]))
    whole = run("knowledge", people, *ROLES, "--universe", universe, "--json").json
    assert whole["added_up_over"] == "universe"
    assert [one["counts_added_up"] for one in whole["subsets"]] == [[3, 3], [3, 3], [1, 1]]
    less = run("knowledge", people, *ROLES, "--universe", universe, "--structural-zeros", zeros, "--json").json
    assert less["subsets"][0]["counts_added_up"] == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--share", "1.5"), "--share must be above 0 and at most 1, got 1.5"),
        (("--largest-set", "3"), "--largest-set must be at most the number of quasi-identifiers, 2, got 3"),
        (("--qid", "agee"), "has no column 'agee'; did you mean 'age'?"),
        (("--plot", "c.jpg"), "a chart is written as .svg, .png, .html"),
    ],
)
def test_one_line_for_bad_input(run: Run, people: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run("knowledge", people, *ROLES, *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_too_many_columns_say_how_many_sets_that_is(run: Run, people: Path) -> None:
    columns = ",".join(f"c{i}" for i in range(30))
    done = run("knowledge", people, "--qid", columns, "--sensitive", "income")
    assert done.code == 2
    assert "30 quasi-identifiers have 1,073,741,823 subsets" in done.err
    assert "--largest-set 3 looks at 4,525" in done.err


def test_thousands_of_values_in_every_form_of_the_answer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cells by all values would be 5 million counts, and a full matrix may have a million here."""
    monkeypatch.setattr(count_vectors, "LARGEST_MATRIX", 1_000_000)
    rows = [f"{i % 61},{i * i % 59},v{i % 3001}" for i in range(9_000)]
    (tmp_path / "people.csv").write_text("\n".join(["age,tract,illness", *rows]))
    universe = json.dumps({"age": {"from": 0, "to": 60}, "tract": {"from": 0, "to": 59}})
    roles = ("--qid", "age,tract", "--sensitive", "illness", "--harmful", "illness=v7", "--universe", universe)
    asked = ("people.csv", *roles, "--epsilon", "12", "--knows", "tract")
    told = run("knowledge", *asked, "--plot", "sets.svg", "--report", "page.html")
    assert told.code == 0
    assert "Who knows only tract" in told.out
    found = run("knowledge", *asked, "--json").json
    assert (len(found["by_value"]), found["added_up_over"]) == (3001, "universe")
    assert [one["counts_added_up"] for one in found["subsets"]] == [[60, 60], [61, 61], [1, 1]]
    for name in ("sets.svg", "page.html"):
        assert (tmp_path / name).stat().st_size > 1_000
