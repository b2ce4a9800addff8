"""Choosing a budget by risk, by error and by hand; what is taken is in the project."""

from __future__ import annotations

from epsilens.app.pages.choose import offers
from epsilens.app.parts.blocks import html_of
from epsilens.app.parts.reports import answer_of, report_of
from epsilens.choice.choose.public_grid import PUBLIC_GRID
from epsilens.report.words.choose import summary
from epsilens.report.words.common import Heading
from tests.support.workbench import demo_work, opened, said


def test_by_the_highest_risk_and_take_it() -> None:
    work = demo_work(200)
    app = opened("choose", work)
    assert work.project.section("risk")["max_risk"] == 0.1
    assert not work.past[2:]  # what the page begins with is not a step
    app.number_input(key="choose-risk").set_value(30.0).run()
    assert work.project.section("risk")["max_risk"] == 0.3
    found = work.project.answer("choose", table=work.table())
    for block in summary(found):
        assert isinstance(block, Heading) or html_of([block]) in said(app)
    app.button_group(key="choose-chart").set_value("trade-off").run()
    name, value = next(iter(offers(found, "risk").items()))
    app.button(key=f"choose-take-{name}").click().run()
    assert work.project.section("release")["epsilon"] == value
    assert app.button(key=f"choose-take-{name}").disabled
    app.number_input(key="choose-risk").set_value(100.0).run()  # no noise is needed, so that there is no worst case
    assert app.button_group(key="choose-chart").value == "risk"
    assert not app.error
    assert "--" not in said(app)


def test_where_no_budget_is_found_on_the_data_a_round_one_is_offered() -> None:
    work = demo_work(60, risk={"max_risk": 1.0})
    found = work.project.answer("choose", table=work.table())
    assert found.budget is None
    assert set(offers(found, "risk").values()) <= set(PUBLIC_GRID)  # a release publishes its budget


def test_by_the_largest_error_the_least_budget_that_keeps_it_is_offered() -> None:
    work = demo_work(60)
    app = opened("choose", work)
    app.number_input(key="choose-people").set_value(5)  # nobody is above a risk of 1, so that it does no harm below
    app.button_group(key="choose-entry").set_value("error").run()
    app.number_input(key="choose-error").set_value(2.0).run()
    assert work.project.section("risk")["max_people"] == 5
    assert dict(work.project.section("choose")) == {"max_risk": 1.0}
    found = work.project.answer("choose", table=work.table())
    assert offers(found, "error") == {"the least that keeps the error": found.choice.error_floor}
    assert f"{found.choice.error_floor:.6g}" in app.button(key="choose-take-the least that keeps the error").label
    app.button_group(key="choose-entry").set_value("risk").run()
    assert not work.project.section("choose")


def test_by_hand_the_budget_is_told_and_taken_as_it_is_typed() -> None:
    work = demo_work(60)
    app = opened("choose", work)
    app.button_group(key="choose-entry").set_value("hand").run()
    app.number_input(key="choose-epsilon").set_value(0.7).run()
    assert work.project.section("release")["epsilon"] == 0.7
    assert "At epsilon = 0.7" in said(app)


def test_a_project_that_fixes_epsilon_is_told_its_delta_and_has_a_report() -> None:
    work = demo_work(
        200,
        noise={"mechanisms": ["gaussian-analytic"], "deltas": [1e-6]},
        risk={"max_risk": 0.3},
        choose={"fixed_epsilon": 1.0},
    )
    app = opened("choose", work)
    assert not app.error
    assert "delta" in said(app)
    assert report_of(work, "choose", answer_of(work, "choose")).title == "Which delta to take"
