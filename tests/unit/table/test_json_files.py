from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.table import json_files
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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "it has the key 'c' twice"),
        (b"[" * 100_000 + b"]" * 100_000, "it nests too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "it nests too deeply"),
        ('{"a": "ü"}'.encode("utf-16"), "it is not UTF-8 text"),
        (b'{"a": "\xff"}', "it is not UTF-8 text"),
        (rb'{"a": "\ud800"}', "half of a surrogate pair"),
        (b"", "must be JSON: an object"),
        (b'{"a": 1}\0', "must be JSON: an object"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "must be JSON: an object"),
    ],
    ids=["twice", "deep list", "deep object", "utf16", "latin1", "surrogate", "empty", "nul", "long number"],
)
def test_what_does_not_mean_one_thing_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=said) as problem:
        read_json(path, "plan", dict)
    assert "\n" not in str(problem.value)
    assert len(str(problem.value)) < 300


def test_a_mark_of_the_byte_order_and_whole_surrogate_pairs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b"\xef\xbb\xbf" + rb'{"a": "\ud83d\ude00"}')
    assert read_json(path, "plan", dict) == {"a": "\U0001f600"}


def test_places_where_no_file_is(tmp_path: Path) -> None:
    for place in (tmp_path, "a\0b", "x" * 5_000, tmp_path / "none.json"):
        with pytest.raises(SourceError, match="cannot read the plan"):
            read_json(place, "plan", dict)


def test_a_file_too_large_to_be_declared_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "LARGEST_FILE", 10)
    (tmp_path / "plan.json").write_text(" " * 11)
    with pytest.raises(SourceError, match="it is larger than"):
        read_json(tmp_path / "plan.json", "plan", dict)
