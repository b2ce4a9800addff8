"""Undo and redo say what they do."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from epsilens.app.parts.history import redo_label, undo_label
from epsilens.app.work import Work


def _run(work: object) -> None:
    from epsilens.app.parts.history import history

    history(work)  # type: ignore[arg-type]


def test_a_step_is_taken_back_and_taken_again() -> None:
    work = Work()
    assert (undo_label(work), redo_label(work)) == ("Undo", "Redo")
    work.change("risk", max_risk=0.05)
    work.change("risk", max_risk=0.1)
    app = AppTest.from_function(_run, kwargs={"work": work})
    app.run()
    assert undo_label(work).replace("\\", "") == "Undo: highest risk 5 % -> 10 %"
    assert app.button(key="redo").disabled
    app.button(key="undo").click().run()
    assert work.project.section("risk")["max_risk"] == 0.05
    assert redo_label(work).replace("\\", "") == "Redo: highest risk 5 % -> 10 %"
    app.button(key="redo").click().run()
    assert work.project.section("risk")["max_risk"] == 0.1
