"""Attackers who know less: the words of the command, and the one attacker who is asked about."""

from __future__ import annotations

from epsilens.app.parts.blocks import html_of
from epsilens.report.words.common import Text
from epsilens.report.words.knowledge import sentences
from tests.support.workbench import demo_work, opened, said


def test_the_page_tells_what_the_command_tells() -> None:
    work = demo_work(200, noise={"epsilons": [1.0]})
    app = opened("knowledge", work)
    app.multiselect(key="knowledge-knows").set_value(["age", "sex"]).run()
    app.number_input(key="knowledge-share").set_value(5.0).run()
    assert dict(work.project.section("knowledge")) == {"knows": ["age", "sex"], "share": 0.05}
    found = work.project.answer("knowledge", table=work.table())
    assert html_of(Text(sentence) for sentence in sentences(found)) in said(app)
    assert work.project.worded("knowledge", found)["sentences"] == sentences(found)
    assert "--" not in said(app)
    work.undo()
    app.run()
    assert app.number_input(key="knowledge-share").value is None
