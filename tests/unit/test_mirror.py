"""The tests of ``src/epsilens/room/thing.py`` are in ``tests/unit/room/test_thing.py``."""

from __future__ import annotations

from tests.conftest import REPOSITORY

SOURCES = REPOSITORY / "src" / "epsilens"
TESTS = REPOSITORY / "tests" / "unit"
ELSEWHERE = """
    avoidance/catalogue.py avoidance/generalised.py avoidance/mondrian.py avoidance/nearest.py
    avoidance/noisy_counts.py avoidance/published.py avoidance/records.py avoidance/suppression.py avoidance/system.py
    choice/beside/profile_mechanisms.py choice/choose/budget_choice.py choice/choose/dial.py
    choice/choose/equal_risk.py choice/system_risks.py cli/card.py cli/ledger.py cli/options.py
    cli/posterior/beyond.py cli/posterior/counts.py cli/posterior/shared.py cli/release_options.py cli/spelling.py
    cli/terminal.py release/fitting/joint.py release/ledger/durable.py release/statistics/kinds.py
    release/tables/cells.py release/tables/declarations.py
"""
"""Modules whose tests are under another name as yet. Nothing is added to this list."""


def modules_without_a_test() -> set[str]:
    modules = {path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if not path.name.startswith("__")}
    return {path.as_posix() for path in modules if not (TESTS / path.with_name(f"test_{path.name}")).exists()}


def test_every_module_has_a_test_file_of_its_name() -> None:
    assert sorted(modules_without_a_test() - set(ELSEWHERE.split())) == []


def test_the_list_of_exceptions_shrinks() -> None:
    assert sorted(set(ELSEWHERE.split()) - modules_without_a_test()) == []
