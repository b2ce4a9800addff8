from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.cli import release, release_statistics
from epsilens.cli.release_options import notice, output_from, payment_from, refuse_gaps
from epsilens.errors import ParameterError
from epsilens.release.planned import PlannedRelease

GIVEN: dict[str, Any] = {
    "ledger": "b.db", "account": "survey", "total_epsilon": None, "total_delta": None, "total_rho": None,
    "composition": None, "plan": (), "wait": 0.5, "out": "o.csv", "force": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("total", "budget"),
    [
        ({}, None),
        ({"total_epsilon": 2.0}, PureDP(2.0)),
        ({"total_epsilon": 2.0, "total_delta": 1e-6}, ApproxDP(2.0, 1e-6)),
        ({"total_rho": 0.5}, ZCDP(0.5)),
    ],
)
def test_the_total_opens_the_account(total: dict[str, float], budget: object) -> None:
    payment = payment_from(GIVEN | total)
    assert (payment.ledger, payment.account, payment.total, payment.wait) == ("b.db", "survey", budget, 0.5)


@pytest.mark.parametrize(
    ("given", "blamed"),
    [
        ({"total_epsilon": 0.0}, "^total_epsilon must be > 0, got 0$"),
        ({"total_rho": -1.0}, "^total_rho must be > 0, got -1$"),
        ({"total_epsilon": 1.0, "total_delta": 1.0}, "^total_delta must lie"),
        ({"total_epsilon": 1.0, "total_rho": 1.0}, "give total_rho, or total_epsilon and total_delta, not both"),
        ({"total_epsilon": 1.0, "composition": "zcdp"}, "needs total_rho, or total_epsilon with total_delta"),
        (
            {"total_epsilon": 1.0, "total_delta": 1e-6, "composition": "pld"},
            "^composition='pld' holds only for releases that were all planned .* plan='12' for twelve",
        ),
        ({"plan": ("12",)}, "^plan is declared when the account is opened, with its total$"),
        ({"plan": ("laplace rho=1",)}, "^plan cannot hold 'laplace rho=1': continuous noise"),
        ({"ledger": None}, "^ledger is missing$"),
        ({"account": ""}, "^account is missing$"),
    ],
)
def test_what_is_wrong_with_the_total_is_blamed_on_the_total(given: dict[str, Any], blamed: str) -> None:
    with pytest.raises(ParameterError, match=blamed):
        payment_from(GIVEN | given)


def test_a_plan_is_numbers_and_texts() -> None:
    opened = {"total_epsilon": 2.0, "total_delta": 1e-6, "composition": "pld"}
    payment = payment_from(GIVEN | opened | {"plan": ("12", "3 x discrete-gaussian rho=0.05 tables=2")})
    assert payment.plan == (12, PlannedRelease("discrete-gaussian", ZCDP(0.05), 3, tables=2))


def test_the_output() -> None:
    assert output_from(GIVEN | {"force": True}).files["card"] == Path("o.card.json")
    with pytest.raises(ParameterError, match=r"^out is missing$"):
        output_from(GIVEN | {"out": None})
    with pytest.raises(ParameterError, match=r"^out must end in \.csv or \.parquet, got 'o\.doc'"):
        output_from(GIVEN | {"out": "o.doc"})


def test_the_first_gap_is_named() -> None:
    refuse_gaps({"a": 1, "b": "x"}, "a", "b")
    with pytest.raises(ParameterError, match=r"^b is missing$"):
        refuse_gaps({"a": 1, "b": (), "c": None}, "a", "b", "c")


def test_notices_are_not_results(capsys: pytest.CaptureFixture[str]) -> None:
    notice("waiting")
    assert capsys.readouterr() == ("", "epsilens: waiting\n")


def test_both_commands_that_release_ask_alike_for_person_account_and_output() -> None:
    own = [{p.name: p.opts for p in module.command.params} for module in (release, release_statistics)]
    for name in ("unit", "max_rows_per_unit", "one_row_per_person", "neighbours", "ledger", "account", "total_epsilon",
                 "total_delta", "total_rho", "composition", "plan", "out", "force", "wait", "as_json"):  # fmt: skip
        assert own[0][name] == own[1][name]
