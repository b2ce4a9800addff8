"""Protected tables as files."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

import pytest

import epsilens as el
from epsilens.choice.questions.protect import Protection, Question, answer
from epsilens.errors import EpsilensError, ParameterError
from epsilens.release.protected import ProtectedFiles

TABLE = el.FrequencyTable.from_counts([[4, 0], [1, 2]], ["no", "ye,s"], {"town": ["ash", 'el"m']})


def protection() -> Protection:
    return answer(Question(system="random-rounding", base=3, seed=12345678901234567890123), TABLE)


def test_three_files_of_which_one_is_private(tmp_path: Path) -> None:
    written = ProtectedFiles(tmp_path / "o.csv").write(protection())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.csv", "o.protect.internal.json", "o.protect.json"]
    lines = written["output"].read_text().splitlines()
    assert lines[0] == "town,label,count"
    assert lines[1].startswith("ash,no,")
    assert lines[-1].startswith('"el""m","ye,s",')
    record, internal = (json.loads(written[role].read_text()) for role in ("record", "internal"))
    assert record["output"]["sha256"] == hashlib.sha256(written["output"].read_bytes()).hexdigest()
    assert record["not_to_be_published"] == ["o.protect.internal.json"]
    assert internal["seed"] == "12345678901234567890123"
    assert "12345678901234567890123" not in written["record"].read_text()
    assert stat.S_IMODE(written["internal"].stat().st_mode) == 0o600


def test_names_that_are_taken_are_kept(tmp_path: Path) -> None:
    (tmp_path / "o.protect.json").write_text("mine")
    files = ProtectedFiles(tmp_path / "o.csv")
    for call in (lambda: files.write(protection()), lambda: files.refuse_taken("people.csv")):
        with pytest.raises(EpsilensError, match="exists"):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["o.protect.json"]
    assert (tmp_path / "o.protect.json").read_text() == "mine"
    ProtectedFiles(tmp_path / "o.csv", force=True).write(protection())
    assert len(list(tmp_path.iterdir())) == 3


def test_a_name_taken_meanwhile_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link, taken = os.link, tmp_path / "o.csv"

    def late(source: object, target: object) -> None:
        if str(target) == str(taken):
            taken.write_text("mine")
        link(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(EpsilensError, match="cannot write"):
        ProtectedFiles(taken).write(protection())
    assert [path.name for path in tmp_path.iterdir()] == ["o.csv"]
    assert taken.read_text() == "mine"


def test_places_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"out must end in .csv, got 'o.parquet'"):
        ProtectedFiles(tmp_path / "o.parquet")
    with pytest.raises(EpsilensError, match="cannot write"):
        ProtectedFiles(tmp_path / "nowhere" / "o.csv").write(protection())
    data = tmp_path / "people.csv"
    data.write_text("town,ill\n")
    with pytest.raises(ParameterError, match="holds the data themselves"):
        ProtectedFiles(data, force=True).refuse_taken(str(data))
