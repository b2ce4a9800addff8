"""The tests of ``src/epsilens/room/thing.py`` are in ``tests/unit/room/test_thing.py``."""

from __future__ import annotations

from tests.conftest import REPOSITORY

SOURCES = REPOSITORY / "src" / "epsilens"
TESTS = REPOSITORY / "tests" / "unit"
ELSEWHERE = """
    arrays.py avoidance/catalogue.py avoidance/generalised.py avoidance/mondrian.py avoidance/nearest.py
    avoidance/noisy_counts.py avoidance/published.py avoidance/records.py avoidance/suppression.py
    avoidance/system.py choice/system_risks.py homogeneity/prepared.py noise/composed_loss.py
    noise/discrete_gaussian.py noise/discrete_laplace.py noise/divergence.py noise/gaussian.py noise/laplace.py
    noise/law.py noise/loss.py table/bins.py table/demo/people.py table/demo/rates.py table/reading/csv_files.py
    table/reading/databases.py table/reading/embedded.py table/reading/frames.py table/reading/levels.py
    table/reading/moments.py table/reading/relations.py table/reading/sqlite_files.py table/reading/store.py
    table/reading/vectors.py utility/absolute_error.py utility/cell_errors.py utility/classification.py
    utility/marginal_distance.py utility/marginals.py
"""
"""Modules whose tests are under another name as yet. Nothing is added to this list."""


def modules_without_a_test() -> set[str]:
    modules = {path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if not path.name.startswith("__")}
    return {path.as_posix() for path in modules if not (TESTS / path.with_name(f"test_{path.name}")).exists()}


def test_every_module_has_a_test_file_of_its_name() -> None:
    assert sorted(modules_without_a_test() - set(ELSEWHERE.split())) == []


def test_the_list_of_exceptions_shrinks() -> None:
    assert sorted(set(ELSEWHERE.split()) - modules_without_a_test()) == []
