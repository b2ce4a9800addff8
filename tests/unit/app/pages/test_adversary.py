"""The Bayesian adversary on the levels of the data, and on one count."""

from __future__ import annotations

from epsilens.app.pages.adversary import single_question
from epsilens.app.parts.blocks import html_of
from epsilens.app.work import Work
from epsilens.choice.questions.posterior import single
from epsilens.report.words.common import Text
from epsilens.report.words.posterior import release_sentences
from tests.support.workbench import demo_work, opened, said


def test_levels_are_suggested_and_the_numbers_are_those_of_the_command() -> None:
    work = demo_work(200)
    app = opened("adversary", work)
    own = work.project.section("posterior release")
    assert own["levels"] == ["block", "block_group", "tract", "county"]
    assert own["by"] == ["age", "sex", "race"]
    app.slider(key="adversary-prior-posterior release").set_value(20.0).run()
    app.multiselect(key="adversary-levels").set_value(["block", "tract"]).run()
    assert dict(work.project.section("posterior release"))["rho"] == [0.1, 0.1]
    question = work.project.question("posterior release")
    assert (question.levels, question.rho, question.prior) == (("block", "tract"), (0.1, 0.1), 0.2)
    found = work.project.answer("posterior release", table=question.read(work.source))
    assert html_of([Text(release_sentences(found)[-1])]) in said(app)
    assert not app.error


def test_one_count_needs_no_data() -> None:
    work = Work()
    app = opened("adversary", work)
    app.number_input(key="adversary-noisy").set_value(3).run()
    found = single.answer(single_question(work))
    assert found.question.noisy_given == (3,)
    assert f"{found.found.posterior:.4f}" in said(app) if found.found else False
    app.number_input(key="adversary-noisy").set_value(None).run()
    assert f"{single.answer(single_question(work)).expected.posterior:.4f}" in said(app)
    assert not app.error
