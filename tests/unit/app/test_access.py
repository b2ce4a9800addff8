from __future__ import annotations

import pytest

from epsilens.app.access import WORK
from tests.support.visits import SECRET, button, told, visited, work_of


@pytest.mark.parametrize("token", ["", "wrong", f"{SECRET} ", "é"])
def test_without_the_secret_there_is_nothing(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    page = visited(monkeypatch, token)
    assert [one.value for one in page.title] == ["Epsilens"]
    assert "epsilens app" in told(page)
    assert not page.button
    assert WORK not in page.query_params


def test_an_unset_secret_lets_nobody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.visits.SECRET", "")
    assert not visited(monkeypatch, "").button


def test_a_reload_finds_the_work_and_the_secret_leaves_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    page = visited(monkeypatch)
    name = page.query_params[WORK]
    assert "token" not in page.query_params
    work = work_of(page)
    work.change("risk", max_risk=0.1)
    assert work_of(visited(monkeypatch, work=name)) is work
    assert work_of(visited(monkeypatch)) is not work


def test_a_work_that_is_not_here_any_more_gets_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    page = visited(monkeypatch, work="chosen")
    assert "not here any more" in page.info[0].value
    assert page.query_params[WORK] != "chosen"
    assert button(page, "Open the demo") is not None
