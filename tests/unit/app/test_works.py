from __future__ import annotations

from epsilens.app.works import MOST, OLDEST_SECONDS, Works


def test_a_work_is_found_again_by_a_name_that_nobody_guesses() -> None:
    works = Works()
    first, second = works.begin(), works.begin()
    assert len(first) >= 24
    assert first != second
    assert works.find(first) is works.find(first)
    assert works.find(first) is not works.find(second)
    assert works.find("guessed") is None
    assert works.find("") is None


def test_those_not_seen_for_longest_are_let_go() -> None:
    now = [0.0]
    works = Works(clock=lambda: now[0])
    first = works.begin()
    names = [works.begin() for _ in range(MOST - 1)]
    assert works.find(first) is not None  # so the second is the oldest
    works.begin()
    assert works.find(first) is not None
    assert works.find(names[0]) is None
    now[0] = OLDEST_SECONDS + 1.0
    assert works.find(first) is None
