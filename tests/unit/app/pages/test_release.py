"""The page that releases: once, with the ledger beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from epsilens.app.parts.release_terms import known_by, with_terms
from epsilens.app.parts.releasing import Attempt, Releases
from epsilens.app.work import Work
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.verification import verify_card
from tests.support.workbench import demo_work, opened, said

UNIVERSE = {
    "sex": ["female", "male"],
    "disease": ["asthma", "cancer", "diabetes", "heart disease", "none"],
}
FILES = ["b.db", "r.card.json", "r.card.md", "r.csv", "r.internal.json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ready(epsilon: float = 0.5, **ledger: Any) -> Work:
    """Everything is said but the answer to the question."""
    return demo_work(
        200,
        data={"quasi_identifiers": ["sex"], "bins": None, "universe": UNIVERSE},
        release={"epsilon": epsilon, "one_row_per_person": True, "out": "r.csv"},
        ledger={"ledger": "b.db", "account": "survey", "total_epsilon": 1.0, **ledger},
    )


def answered(app: AppTest, answer: str) -> None:
    """Answer the check question."""
    next(one for one in app.radio if one.label.startswith("So,")).set_value(answer)
    next(one for one in app.button if one.label == "This is my answer").click()
    app.run()


def button(app: AppTest) -> Any:
    return next(one for one in app.button if one.label == "Release")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def entries() -> list[tuple[str, Any]]:
    return [(entry.kind, entry.body.get("check_question")) for entry in Ledger("b.db").chain().entries]


def test_a_release_is_made_once_and_only_after_the_question(folder: Path) -> None:
    work = ready()
    app = opened("release", work)
    assert "10 counts: every cell that was declared, also where nobody is" in said(app)
    assert "each person has one row, as you declared" in said(app)
    assert "this release asks for" in said(app)
    assert button(app).disabled
    answered(app, "62")  # of the other world
    assert "Please read it again" in said(app)
    assert button(app).disabled
    answered(app, "38")
    assert button(app).disabled  # nobody has agreed to a new ledger yet
    assert names(folder) == []
    app.checkbox(key="release-create").check().run()
    button(app).click().run()
    assert not app.exception
    assert names(folder) == FILES
    assert entries() == [("open", None), ("reserve", {"asked": True, "tries": 2}), ("commit", None)]
    assert [check.words for check in verify_card("r.card.json", ledger="b.db") if check.holds is False] == []
    assert "Released." in said(app)
    assert "10 counts written to r.csv" in said(app)
    assert button(app).disabled
    again = opened("release", work)  # a reload, or another tab
    assert button(again).disabled
    assert "This release is made" in said(again)
    assert len(entries()) == 3
    work.change("release", out="s.csv")
    changed = opened("release", work)
    assert "What was released last" in [one.label for one in changed.expander]
    assert "spent by 1 release" in said(changed)
    assert any(one.label.startswith("So,") for one in changed.radio)  # every release is asked about by itself


def test_a_click_that_was_sent_twice_releases_once(folder: Path) -> None:
    work = ready()
    work.change("about", check_question=False)
    app = opened("release", work)
    assert "turned off in this project" in said(app)
    app.checkbox(key="release-create").check().run()
    clicked = button(app)
    clicked.click().run()
    work.change("release", out="s.csv")  # the same click arrives again, after something has changed
    clicked.click()
    app.run()
    assert names(folder) == FILES
    assert entries() == [("open", None), ("reserve", {"asked": False}), ("commit", None)]


def test_a_dry_run_spends_nothing_and_publishes_nothing(folder: Path) -> None:
    app = opened("release", ready())
    app.button(key="release-dry-run").click().run()
    assert "would be released; nothing was published, nothing was spent" in said(app)
    assert "INTERNAL" in said(app)
    assert "It would cost epsilon 0.5" in said(app)
    assert names(folder) == []


def test_an_exhausted_account_says_what_is_asked_spent_and_left(folder: Path) -> None:
    work = ready(epsilon=1.5)
    app = opened("release", work)
    assert "epsilon 1 left of 1, this release asks for 1.5" in said(app)
    assert "The account cannot pay for this release, as the ledger shows." in said(app)
    assert button(app).disabled
    app.text_input(key="release-epsilon").input("1").run()  # the page stays usable, and is exact to the digit
    assert "the account can pay for this release" in said(app)
    assert names(folder) == []


def test_what_is_typed_wrongly_is_said_beside_the_field(folder: Path) -> None:
    work = ready()
    app = opened("release", work)
    app.text_input(key="release-epsilon").input("much").run()
    assert "epsilon must be a number such as 0.5, got 'much'" in said(app)
    assert app.text_input(key="release-epsilon").value == "much"
    assert work.project.section("release")["epsilon"] == 0.5


def test_what_is_missing_is_said(folder: Path) -> None:
    assert "No data are open yet" in said(opened("release", Work()))
    work = demo_work(200, data={"quasi_identifiers": ["sex"], "bins": None})
    app = opened("release", work)
    assert "Once columns, values, budget and person are said" in said(app)
    app.button(key="release-fill").click().run()
    assert work.project.section("data")["universe"] == UNIVERSE
    assert "Still to be said: the budget" in said(app)
    releases: Releases = work.kept("releases", Releases)
    assert releases.attempts == []


def test_a_reload_in_the_middle_waits_for_the_release_that_is_under_way(folder: Path) -> None:
    work = ready()
    releases: Releases = work.kept("releases", Releases)
    releases.attempts.append(Attempt(known_by(with_terms(work.project), work.source_key), cells=10, drawn=4))
    app = opened("release", work)
    assert [one.label for one in app.button] == []
    assert app.get("progress")[0].proto.value == 40
    releases.attempts[0].problem = "The disk is full."
    app.run()
    assert "The last try ended. The disk is full." in said(app)
    assert names(folder) == []
