"""Names of files in a project are relative to its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.project.paths import from_here, located, moved


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("a.csv", "sub/a.csv"),
        ("part-*.csv", "sub/part-*.csv"),
        ("/abs/a.csv", "/abs/a.csv"),
        ("sqlite://a.db", "sqlite://sub/a.db"),
        ("duckdb://a.db?x=1", "duckdb://sub/a.db?x=1"),
        ("sqlite:///abs/a.db", "sqlite:///abs/a.db"),
        ("postgres://host/db", "postgres://host/db"),
        ("", ""),
    ],
)
def test_names_are_found_from_here_and_back(name: str, here: str) -> None:
    assert from_here(name, "sub") == here
    assert from_here(name, "") == name
    assert moved(here, "", "sub") == name
    assert moved(name, "sub", "sub") == name
    assert moved("./a//b.csv", "sub", "sub") == "./a//b.csv"  # as it was written


def test_a_folder_above_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert moved("a.csv", "", "sub/deep") == "../../a.csv"
    assert moved("../a.csv", str(tmp_path / "sub"), "") == "a.csv"


def test_all_names_of_files_are_moved_and_nothing_else() -> None:
    values = {"source": "a.csv", "universe": "u.json", "structural_zeros": "[{}]", "table": "t", "count": "n"}
    assert located("assess", values, str.upper) == {**values, "source": "A.CSV", "universe": "U.JSON"}
    assert located("compare", {"hierarchy": ["sex=h.json", "x"]}, str.upper) == {"hierarchy": ["sex=H.JSON", "x"]}
    assert located("compare", {"hierarchy": {"sex": "h.json"}}, str.upper) == {"hierarchy": {"sex": "H.JSON"}}
    assert located("release", {"hierarchy": ["b", "a"], "out": Path("o.csv")}, str.upper) == {
        "hierarchy": ["b", "a"],
        "out": "O.CSV",
    }
    assert located("data", {"universe": {"a": ["x"]}}, str.upper) == {"universe": {"a": ["x"]}}
