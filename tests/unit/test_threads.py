"""Work on a thread of its own."""

from __future__ import annotations

import os
import threading

import pytest

from epsilens.errors import ParameterError
from epsilens.threads import GoOn, meanwhile, usable_cores


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

    def work(_: GoOn) -> int:
        begun.append(threading.get_ident())
        return 7

    with meanwhile(work, is_long) as found:
        assert [found(), found()] == [7, 7]
    assert len(begun) == 1
    assert (begun[0] != threading.get_ident()) == apart


@pytest.mark.parametrize("is_long", [True, False])
def test_what_fails_there_fails_where_it_is_asked_for(is_long: bool) -> None:
    def work(_: GoOn) -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match=r"^no$"), meanwhile(work, is_long) as found:
        found()


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ParameterError])
def test_whoever_leaves_waits_for_no_work_and_it_ends_at_its_next_step(
    problem: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epsilens.threads.usable_cores", lambda: 2)
    begun, left, ended, steps = threading.Event(), threading.Event(), threading.Event(), []

    def work(go_on: GoOn) -> None:
        try:
            begun.set()
            assert threading.current_thread().daemon  # a process that ends does not wait for it
            go_on()
            left.wait(60)
            steps.append("the first")
            go_on()
            steps.append("the second")
        finally:
            ended.set()

    def leave() -> None:
        with meanwhile(work):
            begun.wait(60)
            raise problem("no")

    with pytest.raises(problem, match=r"^no$"):
        leave()
    assert not steps
    left.set()
    assert ended.wait(60)
    assert steps == ["the first"]
