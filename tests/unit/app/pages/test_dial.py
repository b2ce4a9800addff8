"""The dial: answers for every noise and measure of the project, and where it begins."""

from __future__ import annotations

import pytest

from epsilens.app.pages.dial import asked, start
from epsilens.project import Project
from tests.support.workbench import demo_work, opened

PAYLOAD = {
    "dials": [{"budgets": [0.5, 1.0, 2.0, 5.0], "cost": 0}],
    "costs": [[{"error": 2.0}, {"error": 1.0}, {"error": 0.5}, {"error": 0.2}]],
}


def test_every_noise_and_measure_has_a_question_with_the_ceilings_of_the_project() -> None:
    noise = {"mechanisms": ["laplace", "gaussian-analytic"], "deltas": [1e-5]}
    risk = {"measures": ["local", "hard"], "max_risk": 0.2}
    questions = asked(Project({"noise": noise, "risk": risk}))
    assert [(one.mechanism, one.measure, one.delta, one.max_risk) for one in questions] == [
        ("laplace", "local", None, 0.2),
        ("laplace", "hard", None, 0.2),
        ("gaussian-analytic", "local", 1e-5, 0.2),
        ("gaussian-analytic", "hard", 1e-5, 0.2),
    ]


@pytest.mark.parametrize(
    ("entry", "sections", "index"),
    [
        ("risk", {}, None),
        ("error", {"risk": {"max_error": 0.6}}, 2),
        ("error", {"risk": {"max_error": 0.01}}, 3),
        ("hand", {}, 1),
        ("hand", {"release": {"epsilon": 4.0}}, 3),
    ],
)
def test_three_ways_to_the_dial(entry: str, sections: dict[str, dict[str, float]], index: int | None) -> None:
    assert start(PAYLOAD, Project(sections), entry) == index


def test_the_page_shows_the_dial_and_says_what_was_taken() -> None:
    work = demo_work(100, release={"epsilon": 0.5})
    app = opened("dial", work)
    assert len(app.get("bidi_component")) == 1
    assert app.success[0].value == "In the project, for the release: epsilon = 0.5."
    assert not app.error
