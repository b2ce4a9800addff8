from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.app.opened import first_work
from epsilens.app.server import PROJECT


def test_a_work_begins_with_the_named_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROJECT, raising=False)
    assert first_work().project.sections == {}
    path = tmp_path / "p.toml"
    path.write_text("[risk]\nmax_risk = 0.1\n")
    monkeypatch.setenv(PROJECT, str(path))
    work = first_work()
    assert work.project.section("risk") == {"max_risk": 0.1}
    assert work.saved_as == str(path)
    path.write_text("[risk]\nmax_risc = 0.1\n")
    broken = first_work()
    assert broken.project.sections == {}
    assert "max_risk" in broken.told[0]
