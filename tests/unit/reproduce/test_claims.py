from __future__ import annotations

from epsilens.reproduce.claims import everywhere


def test_everywhere_tells_how_many_cases_or_the_first_that_fails() -> None:
    assert everywhere(range(1200), lambda n: n >= 0).holds
    assert everywhere(range(1200), lambda n: n >= 0).seen == "in all of 1,200 cases"
    found = everywhere(range(10), lambda n: n < 4, lambda n: f"not at {n}")
    assert (found.holds, found.seen) == (False, "not at 4")
