"""The list of kinds; what every kind must keep is in ``tests/contract/test_kinds_of_release.py``."""

from __future__ import annotations

from importlib.resources import files

from epsilens.release.kinds import KINDS


def test_kinds_are_found_by_the_format_of_their_cards() -> None:
    assert set(KINDS) == {"epsilens-release-card/1", "epsilens-statistics-card/1"}
    assert all(name == kind.card_format for name, kind in KINDS.items())
    assert len({kind.question for kind in KINDS.values()}) == len(KINDS)


def test_every_schema_is_packaged() -> None:
    for kind in KINDS.values():
        assert files("epsilens.release").joinpath(kind.schema_file).is_file()
