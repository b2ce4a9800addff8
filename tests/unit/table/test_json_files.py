from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.table.json_files import read_json


def test_what_is_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"a": [1, "ü"]}', encoding="utf-8")
    assert read_json(tmp_path / "plan.json", "plan", dict) == {"a": [1, "ü"]}


def test_a_file_that_is_not_what_it_should_be(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with pytest.raises(SourceError, match=r"cannot read the plan '.*plan.json': No such file"):
        read_json(path, "plan", dict)
    path.write_text("{")
    with pytest.raises(SourceError, match=r"the plan '.*plan.json' must be JSON: an object, such as \{\}"):
        read_json(path, "plan", dict, "{}")
    path.write_text("{}")
    with pytest.raises(SourceError, match=r"must be a JSON file with a list$"):
        read_json(str(path), "plan", list)
