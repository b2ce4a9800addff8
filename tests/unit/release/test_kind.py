from __future__ import annotations

import dataclasses
import inspect

import pytest

from epsilens.release.kind import Kind, Rooms
from epsilens.release.kinds import KINDS


def test_a_kind_is_frozen_and_every_part_must_be_there() -> None:
    kind = next(iter(KINDS.values()))
    with pytest.raises(dataclasses.FrozenInstanceError):
        kind.card_format = "another"  # type: ignore[misc]
    assert not [part.name for part in dataclasses.fields(Kind) if part.default is not dataclasses.MISSING]


def test_what_a_kind_does_takes_what_its_callers_give() -> None:
    given = {"words": 1, "subject": 1, "currency": 1, "budget_problem": 1, "output_problem": 2, "unreadable": 1}
    for kind in KINDS.values():
        for name, arguments in {**given, "recounted": 4, "answered": 3}.items():
            inspect.signature(getattr(kind, name)).bind(*[None] * arguments)


def test_rooms_are_numbers_of_bytes_for_every_file() -> None:
    assert [part.name for part in dataclasses.fields(Rooms)] == ["output", "card", "text", "internal"]
