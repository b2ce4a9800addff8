"""What is missing is said with a way to the page Data; errors are one sentence; answers are found once."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from epsilens.app.parts import asking
from epsilens.app.work import Work
from epsilens.errors import ParameterError
from epsilens.project import Project
from tests.support.workbench import demo_work, opened, said

PAGES = ("today", "dial", "choose", "compare", "knowledge")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({}, "No data are open yet"),
        ({"source": "people.csv"}, "which columns others may know"),
        ({"source": "people.csv", "quasi_identifiers": ["age"]}, "which column is nobody's business"),
    ],
)
def test_a_page_says_what_is_missing(data: dict[str, Any], what: str) -> None:
    app = opened("today", Work(project=Project({"data": data})))
    assert what in said(app)
    assert [link.proto.label for link in app.get("page_link")] == ["Go to the page Data"]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_stays_calm_without_data(page: str) -> None:
    assert "No data are open yet" in said(opened(page, Work()))


def test_data_that_cannot_be_read_are_one_sentence() -> None:
    work = demo_work(100)
    work.change("data", quasi_identifiers=["no_such_column"], bins=None)
    app = opened("today", work)
    assert len(app.error) == 1
    assert "no_such_column" in said(app)


def test_an_error_calls_parameters_as_the_controls_do() -> None:
    error = ParameterError("must be in (0, 1]", parameter="max_risk", got=2.0, remedy="take a smaller `max_risk`")
    assert asking.sentence(error) == "Highest risk must be in (0, 1], got 2; take a smaller highest risk."


def test_an_answer_depends_on_what_its_command_takes_and_on_nothing_else() -> None:
    project = Project({"data": {"source": "p.csv"}, "noise": {"epsilons": [1.0]}})
    key = asking.asked_of(project, "assess")
    assert asking.asked_of(project.with_values("risk", max_risk=0.3), "assess") == key
    assert asking.asked_of(project.with_values("noise", epsilons=[2.0]), "assess") != key
    assert asking.asked_of(project.with_values("assess", epsilons=[2.0]), "assess") != key


def _waiting() -> None:
    from epsilens.app.parts.asking import waiting

    with waiting("Counting", 3) as progress:
        for _ in range(3):
            progress(1)
    with waiting("Looking") as progress:
        progress(5)


def test_a_bar_is_gone_when_the_work_is_done() -> None:
    app = AppTest.from_function(_waiting).run()
    assert not app.exception
    assert not app.get("progress")


@pytest.mark.parametrize(("elapsed", "share", "left"), [(0.5, 0.5, ""), (10, 0.5, ", about 10 s left")])
def test_how_long_it_still_takes(elapsed: float, share: float, left: str) -> None:
    assert asking._left(elapsed, share) == left
    assert asking._left(600, 0.5) == ", about 10 min left"
