"""The systems by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epsilens import avoidance as av
from epsilens.avoidance.catalogue import PUBLISHED
from epsilens.errors import DataError, ParameterError
from epsilens.noise import MECHANISMS
from tests.support.avoidance import random_histogram


def test_all_and_published_stand_for_names() -> None:
    assert av.chosen_systems("all") == tuple(av.SYSTEMS)
    assert av.chosen_systems(["published", "laplace"]) == PUBLISHED
    assert set(PUBLISHED) <= set(av.SYSTEMS)
    assert {name for name in av.SYSTEMS if name in MECHANISMS} == set(list(av.SYSTEMS)[:4])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.chosen_systems(["laplce"]), "did you mean 'laplace'"),
        (lambda: av.chosen_systems([]), "at least one system"),
        (lambda: av.build("dp-swaping", 1.0, av.Settings()), "did you mean 'dp-swapping'"),
        (lambda: av.Settings(k=50_000).for_histogram(random_histogram(1)), "k must not exceed"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()
