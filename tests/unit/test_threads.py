"""Work on a thread of its own."""

from __future__ import annotations

import os
import threading

import pytest

from epsilens.threads import meanwhile, usable_cores


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {3, 5, 7}, raising=False)
    assert usable_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1


@pytest.mark.parametrize(("cores", "is_long", "apart"), [(2, True, True), (2, False, False), (1, True, False)])
def test_long_work_is_done_on_another_core(
    cores: int, is_long: bool, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epsilens.threads.usable_cores", lambda: cores)
    begun: list[int] = []

    def work() -> int:
        begun.append(threading.get_ident())
        return 7

    with meanwhile(work, is_long) as found:
        assert [found(), found()] == [7, 7]
    assert len(begun) == 1
    assert (begun[0] != threading.get_ident()) == apart


@pytest.mark.parametrize("is_long", [True, False])
def test_what_fails_there_fails_where_it_is_asked_for(is_long: bool) -> None:
    def work() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match=r"^no$"), meanwhile(work, is_long) as found:
        found()
