from __future__ import annotations

from typing import Any

import pytest

from epsilens.app.problems import bug_report
from tests.support.visits import errors, told, visited

TOKEN = "zqx31337"


@pytest.mark.parametrize("kind", [ValueError, KeyError, MemoryError, OSError])
def test_an_error_nobody_thought_of_shows_and_logs_nothing_of_its_message(
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(work: Any) -> None:
        raise kind(f"the age of {TOKEN} is not a number")

    monkeypatch.setattr("epsilens.app.pages.data.page", broken)
    page = visited(monkeypatch)
    assert len(errors(page)) == 1
    assert TOKEN not in told(page) + str(page)
    assert TOKEN not in "".join(capfd.readouterr()) + caplog.text


def test_a_bug_is_named_by_its_kind_and_its_place() -> None:
    try:
        int(TOKEN)
    except ValueError as bug:
        said = bug_report(bug).replace("\\", "")
    assert TOKEN not in said
    assert "ValueError, test_problems.py line" in said


def test_functions_that_widgets_call_are_told_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from epsilens.app import problems
    from epsilens.errors import DataError

    said: list[str] = []
    monkeypatch.setattr("streamlit.error", lambda text, **_: said.append(text))
    assert problems.shown_calmly(DataError("there are no rows")) is True
    assert problems.shown_calmly(ValueError(TOKEN)) is True
    assert said[0] == "There are no rows\\."
    assert TOKEN not in said[1]
