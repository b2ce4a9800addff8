"""Today's risk: what the command says, first without noise and then at the budgets of the project."""

from __future__ import annotations

from epsilens.app.parts.blocks import html_of
from epsilens.report.words.assess import budget_blocks
from tests.support.workbench import demo_work, opened, said


def test_the_numbers_are_those_of_the_command_and_follow_the_project() -> None:
    work = demo_work(200, noise={"epsilons": [0.5]})
    app = opened("today", work)
    found = work.project.answer("assess", table=work.table())
    told = work.project.worded("assess", found)
    people = told["today"][0]["people_in_homogeneous_cells"]
    assert f"{people} of 200 people" in said(app)
    assert html_of(budget_blocks(found)) in said(app)
    app.multiselect(key="today-epsilons").set_value(["2"]).run()
    again = work.project.answer("assess", table=work.table())
    assert [line["epsilon"] for line in work.project.worded("assess", again)["budgets"]] == [2.0]
    assert html_of(budget_blocks(again)) in said(app)
    assert "--" not in said(app)


def test_a_noise_that_cannot_be_asked_leaves_today_and_the_controls() -> None:
    work = demo_work(60, noise={"mechanisms": ["gaussian-analytic"]})  # no delta
    app = opened("today", work)
    assert "Published as it is" in said(app)
    assert len(app.error) == 1
    app.select_slider(key="today-delta").set_value(1e-4).run()
    assert not app.error
    assert work.project.section("noise")["deltas"] == [1e-4]


def test_charts_are_drawn_where_somebody_asks_for_them() -> None:
    app = opened("today", demo_work(60, noise={"epsilons": [1.0]}))
    drawn = len(app.get("vega_lite_chart"))
    app.button_group(key="today-charts").set_value(["people"]).run()
    charts = app.get("vega_lite_chart")
    assert len(charts) == drawn + 1
    assert not app.exception
