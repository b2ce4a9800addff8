"""Releases that are made once."""

from __future__ import annotations

import threading
from typing import Any

from epsilens.app.parts.releasing import OUR_MISTAKE, Releases
from epsilens.errors import ParameterError
from epsilens.release.terms import Watch

DONE: Any = object()


def test_what_was_released_is_not_released_again() -> None:
    releases, made = Releases(), []

    def make(watch: Watch) -> Any:
        made.append(1)
        return DONE

    first = releases.begin("this", make, 0)
    assert first is not None
    first.wait(5.0)
    assert first.made is DONE
    assert not first.under_way
    assert releases.begin("this", make, 0) is None  # the same click, sent twice
    assert releases.begin("this", make, 1) is None  # another click, for the same release
    assert made == [1]
    other = releases.begin("that", make, 1)
    assert other is not None
    other.wait(5.0)
    assert made == [1, 1]
    assert releases.latest is DONE


def test_nothing_begins_while_a_release_is_under_way() -> None:
    releases, gate = Releases(), threading.Event()

    def make(watch: Watch) -> Any:
        assert watch.expects is not None
        assert watch.progress is not None
        watch.expects(12)
        watch.progress(5)
        watch.progress(7)
        gate.wait(5.0)
        return DONE

    first = releases.begin("this", make, 0)
    assert first is not None
    assert releases.under_way is first
    assert releases.begin("that", make, 1) is None
    assert releases.latest is None
    gate.set()
    first.wait(5.0)
    assert (first.cells, first.drawn) == (12, 12)
    assert releases.under_way is None


def test_a_refusal_can_be_tried_again_by_a_new_click_only() -> None:
    releases, ways = Releases(), [True, False]

    def make(watch: Watch) -> Any:
        if ways.pop():
            return DONE
        raise ParameterError("must be > 0", parameter="epsilon", got=-1)

    first = releases.begin("this", make, 0)
    assert first is not None
    first.wait(5.0)
    assert first.problem == "Epsilon must be > 0, got -1."
    assert releases.begin("this", make, 0) is None  # the button that was clicked is not there any more
    again = releases.begin("this", make, 1)
    assert again is not None
    again.wait(5.0)
    assert releases.of("this") is again
    assert again.made is DONE


def test_an_error_of_our_own_shows_nothing_of_the_data() -> None:
    releases = Releases()

    def make(watch: Watch) -> Any:
        raise RuntimeError("Ana Muster, 42")

    attempt = releases.begin("this", make, 0)
    assert attempt is not None
    attempt.wait(5.0)
    assert attempt.problem == OUR_MISTAKE
