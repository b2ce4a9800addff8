"""The ledger beside a release."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from epsilens.app.work import Work
from tests.support.ledgers import released
from tests.support.workbench import said


def _run(work: object) -> None:
    from epsilens.app.parts.ledger_beside import ledger_beside

    ledger_beside(work, None)  # type: ignore[arg-type]


def shown(work: Work) -> AppTest:
    app = AppTest.from_function(_run, kwargs={"work": work}).run()
    assert not app.exception
    return app


def test_a_ledger_that_is_there_shows_its_accounts_and_entries(tmp_path: Path) -> None:
    released(tmp_path)
    work = Work()
    app = shown(work)
    assert "name one that exists, or a new file" in said(app)
    app.text_input(key="ledger-ledger").input(str(tmp_path / "b.db")).run()
    assert app.selectbox(key="ledger-account").options == ["survey"]
    app.selectbox(key="ledger-account").select("survey").run()
    assert work.project.section("ledger")["account"] == "survey"
    assert "spent by 1 release" in said(app)
    assert [one.label for one in app.expander] == ["All 3 entries of the ledger"]


def test_a_file_that_is_not_a_ledger_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "b.db").write_text("Ana,42", encoding="utf-8")
    work = Work()
    work.change("ledger", ledger=str(tmp_path / "b.db"), account="survey")
    assert "corrupted or not a ledger" in said(shown(work))


@pytest.mark.parametrize(
    ("release", "asked"),
    [
        ({}, ["ledger-total_epsilon"]),
        ({"mechanism": "discrete-gaussian", "rho": 0.1}, ["ledger-total_rho"]),
        ({"mechanism": "discrete-gaussian", "epsilon": 1.0}, ["ledger-total_epsilon", "ledger-total_delta"]),
    ],
)
def test_the_total_of_a_new_account_is_in_what_the_budget_is_in(
    release: dict[str, object], asked: list[str], tmp_path: Path
) -> None:
    work = Work()
    work.change("release", **release)
    work.change("ledger", ledger=str(tmp_path / "new.db"), account="survey", total_rho=1.0, total_epsilon=3.0)
    app = shown(work)
    assert [one.key for one in app.text_input if str(one.key).startswith("ledger-total")] == asked
    app.text_input(key=asked[0]).input("2").run()
    totals = {name for name in work.project.section("ledger") if name.startswith("total")}
    assert totals <= {name.removeprefix("ledger-") for name in asked}  # one currency, not two
    assert list(tmp_path.iterdir()) == []
