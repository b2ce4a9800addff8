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


def test_every_system_says_in_a_line_what_it_does() -> None:
    said = {name: kind.about for name, kind in av.SYSTEMS.items()}
    assert all(20 < len(text) <= 110 and not text.endswith(".") for text in said.values()), said
    assert len(set(said.values())) == len(said)
    assert "variance 20 / epsilon" in said["discrete-gaussian"]
    assert "variance 4 / epsilon^2" in said["discrete-gaussian-text"]
    assert "counts hardly change" in said["swapping-different"]


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
