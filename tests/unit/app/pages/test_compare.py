"""Kinds of noise by their curves, systems when somebody asks for them."""

from __future__ import annotations

from epsilens.app.pages.compare import put_systems
from epsilens.app.parts.blocks import html_of
from epsilens.report.words.common import Text
from epsilens.report.words.compare import dominance
from tests.support.workbench import demo_work, opened, said


def test_systems_are_compared_when_asked_and_end_with_which_are_dominated() -> None:
    sections = {"noise": {"epsilons": [1.0]}}
    work = demo_work(100, **sections, compare={"systems": ["discrete-laplace", "suppression"], "repetitions": 2})
    work.change("data", quasi_identifiers=["sex", "race"], bins=None)
    app = opened("compare", work)
    assert not app.error
    app.button_group(key="compare-what").set_value("systems").run()
    assert "Dominated" not in said(app)
    app.button(key="compare-now").click().run()
    found = work.project.answer("compare", table=work.table())
    assert html_of([Text(dominance(found))]) in said(app)
    assert not app.error
    app.radio(key="compare-basis").set_value("risk").run()
    assert work.project.section("compare")["equal_risk"] == "homogeneity=0.1"
    question = work.project.question("compare")
    assert question.epsilons is None  # the budgets of the project are for comparisons at equal budgets
    assert not app.error


def test_settings_that_no_system_depends_on_are_taken_out() -> None:
    work = demo_work(100, compare={"systems": ["rounding"], "base": [3]})
    put_systems(work, ["suppression"])
    assert dict(work.project.section("compare")) == {"systems": ["suppression"]}
