"""What was typed, as values of a project; files are tested with the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.errors import ParameterError
from epsilens.project.saving import Saving, number_typed, typed_values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1", 1), ("0.1", 0.1), ("0.10", 0.1), ("1e-6", 1e-6), ("-2", -2), ("+3", 3), (" 5 ", 5),
        ("1/864", "1/864"), (".5", ".5"), ("1_000", "1_000"), ("nan", "nan"), ("1e400", "1e400"), ("9" * 30, "9" * 30),
        ("0.1000000000000000000001", "0.1000000000000000000001"), ("007", "007"), ("x", "x"),
    ],
)  # fmt: skip
def test_numbers_are_kept_to_the_digit(text: str, found: object) -> None:
    assert number_typed(text) == found
    assert type(number_typed(text)) is type(found)


def test_what_is_about_one_run_is_left_out() -> None:
    typed = {
        "source": "a.csv", "epsilons": ["0.5,1", "2"], "plot": "c.svg", "as_json": True, "cells": "3,cells.csv",
        "alpha": "moments", "bins": ["age=5"], "knee": True, "axis": "both",
    }  # fmt: skip
    assert typed_values("assess", typed) == {
        "source": "a.csv", "bins": ["age=5"], "epsilons": [0.5, 1, 2], "alpha": "moments", "cells": 3, "axis": "both",
        "knee": True,
    }  # fmt: skip
    assert typed_values("assess", {"cells": "cells.csv"}) == {}
    assert typed_values("compare", {"axis": "k", "plot": "c.svg", "k": "2,3"}) == {"k": [2, 3]}
    assert typed_values("release", {"check": True, "force": True, "out": "o.csv"}) == {"out": "o.csv"}


def test_a_release_leaves_no_fingerprint_of_its_data_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("a\n1\n")
    for command, taken in (("assess", True), ("release", False), ("release-statistics", False)):
        Saving(f"{command}.toml", command, {"source": "a.csv"}).write()
        assert ("fingerprint" in Path(f"{command}.toml").read_text()) is taken


def test_what_only_one_command_is_told_of_the_data_is_known(tmp_path: Path) -> None:
    path = str(tmp_path / "p.toml")
    first = Saving(path, "assess", {"source": "pg://server/db", "table": "people", "sensitive": ("a",)})
    first.write()
    assert first.apart == ()
    asked = {"source": "pg://server/db", "table": "people", "sensitive": ("a",), "quasi_identifiers": "b,c"}
    assert Saving(path, "choose", asked).apart == ("quasi_identifiers",)


def test_another_table_is_other_data(tmp_path: Path) -> None:
    path = str(tmp_path / "p.toml")
    Saving(path, "assess", {"source": "pg://server/db", "table": "people"}).write()
    with pytest.raises(ParameterError, match="about other data"):
        Saving(path, "choose", {"source": "pg://server/db", "table": "others"})
