"""The tests of ``src/epsilens/room/thing.py`` are in ``tests/unit/room/test_thing.py``."""

from __future__ import annotations

from tests.conftest import REPOSITORY

SOURCES = REPOSITORY / "src" / "epsilens"
TESTS = REPOSITORY / "tests" / "unit"


def test_every_module_has_a_test_file_of_its_name() -> None:
    modules = {path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if not path.name.startswith("__")}
    assert len(modules) > 200
    assert [path.as_posix() for path in modules if not (TESTS / path.with_name(f"test_{path.name}")).exists()] == []
