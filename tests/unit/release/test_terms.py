"""The terms of a release: frozen, and refused at construction where they do not hold together."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from epsilens.accounting.account import Account, BudgetExceededError
from epsilens.accounting.cost import cost_of
from epsilens.budget import ApproxDP, PureDP
from epsilens.errors import EpsilensError, ParameterError
from epsilens.release.terms import Output, Payment, Person, Understood, Watch
from tests.support.ledgers import opened_by_an_earlier_version


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ledger": None}, "^a release is paid from an account of a ledger; name both$"),
        ({"account": None}, "name both"),
        ({"account": " ", "total": PureDP(1.0)}, "a data set's name"),
        ({"account": "\ud800"}, "^account must be text that UTF-8 can write$"),
        ({"ledger": "\udcff.db"}, "^ledger must be text that UTF-8 can write$"),
        ({"wait": -1.0}, "^wait must be a number of seconds >= 0, got -1$"),
        ({"total": PureDP(1.0), "composition": "pld"}, "needs total_epsilon with total_delta; got total_epsilon"),
        ({"total": ApproxDP(1.0, 1e-6), "composition": "pld"}, "all planned before .* with plan, such as plan='12'"),
        ({"plan": 3}, "^plan is declared when the account is opened, with its total$"),
        ({"total": ApproxDP(1.0, 1e-6), "composition": "pld", "plan": 0}, "^plan must be >= 1, got 0$"),
        ({"total": ApproxDP(1.0, 1e-6), "composition": "pld", "plan": "laplas epsilon=1"}, "^plan cannot hold"),
        ({"total": PureDP(1.0), "composition": "purr"}, "composition must be one of .* did you mean 'pure'"),
    ],
)
def test_payments_that_cannot_be_made(given: dict[str, Any], said: str) -> None:
    with pytest.raises(EpsilensError, match=said):
        Payment(**{"ledger": "b.db", "account": "survey", **given})


def test_a_plan_is_priced_where_the_cost_of_this_release_is_known() -> None:
    this = cost_of(PureDP(0.1))
    payment = Payment("b.db", "survey", ApproxDP(1.0, 1e-6), "pld", plan=[2, "discrete-laplace epsilon=0.2"])
    account = payment.opening("add-remove", this)
    assert account is not None
    assert account.plan is not None
    assert account.plan.words() == "2 x epsilon 0.1; 1 x epsilon 0.2 (discrete-laplace 5)"
    payment.refuse("add-remove", this)
    with pytest.raises(BudgetExceededError, match="does not fit its total"):
        payment.refuse("add-remove", cost_of(PureDP(1.0)))
    only = Payment("b.db", "survey", ApproxDP(1.0, 1e-6), "pld", plan="discrete-laplace epsilon=0.2")
    with pytest.raises(BudgetExceededError, match=r"this one, epsilon 0\.1, has no place left"):
        only.refuse("add-remove", this)
    with pytest.raises(ParameterError, match="composition='approx' needs no plan"):
        Payment("b.db", "survey", ApproxDP(1.0, 1e-6), "approx", plan=2).refuse("add-remove", this)
    Payment("b.db", "survey", ApproxDP(1.0, 1e-6)).refuse("add-remove", cost_of(PureDP(9.0)))  # the ledger will say so


def test_a_pld_account_that_is_open_may_be_declared_without_its_plan(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"account": "survey", "total": ApproxDP(1.0, 1e-6), "composition": "pld"}
    with pytest.raises(ParameterError, match="all planned"):
        Payment(tmp_path / "b.db", **terms)
    opened_by_an_earlier_version(tmp_path / "b.db", Account("survey", "pld", ApproxDP(1.0, 1e-6), "add-remove"))
    assert Payment(tmp_path / "b.db", **terms).opening("add-remove") is not None
    with pytest.raises(ParameterError, match="all planned"):
        Payment(tmp_path / "b.db", **{**terms, "account": "another"})


def test_a_total_opens_the_account_by_its_plain_rule() -> None:
    account = Payment("b.db", "survey", ApproxDP(1.0, 1e-6)).opening("substitute")
    assert account is not None
    assert (account.name, account.rule, account.neighbours) == ("survey", "approx", "substitute")
    assert Payment("b.db", "survey").opening("add-remove") is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, r"^say who is protected: the column that names people \(unit\), or that each person has one row"),
        ({"unit": "who", "one_row_per_person": True}, "^unit 'who' names people, so do not declare one_row_per_person"),
        ({"one_row_per_person": True, "max_rows_per_unit": 2}, "only where a column names the person; name it with"),
        ({"unit": "who", "max_rows_per_unit": 0}, "max_rows_per_unit must be >= 1"),
        ({"unit": "who", "max_rows_per_unit": 1.5}, "max_rows_per_unit must be a whole number"),
        ({"unit": "who", "neighbours": "both"}, "neighbours must be one of"),
    ],
)
def test_people_who_are_not_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Person(**given)


def test_the_person_on_a_card() -> None:
    assert Person("who", 3).to_dict() == {"protects": "a person", "column": "who", "max_rows_per_person": 3}


def test_outputs(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^out must end in \.csv or \.parquet, got 'o\.xlsx'$"):
        Output("o.xlsx")
    assert Output().files == {}
    assert {role: path.name for role, path in Output(tmp_path / "o.csv").files.items()} == {
        "output": "o.csv",
        "card": "o.card.json",
        "card-text": "o.card.md",
        "internal": "o.internal.json",
    }
    data = tmp_path / "people.csv"
    data.write_text("a\n")
    with pytest.raises(ParameterError, match=r"holds the data themselves; name another output \(out\)"):
        Output(data, force=True).refuse_source(str(tmp_path / "*.csv"))
    Output(data, force=True).refuse_source(tmp_path / "others.csv")


@pytest.mark.parametrize("terms", [Payment("b.db", "survey"), Person("who"), Output("o.csv"), Watch()])
def test_terms_do_not_change(terms: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(terms, dataclasses.fields(terms)[0].name, "other")


def test_whether_the_budget_was_understood_in_plain_values() -> None:
    assert Understood(2).to_dict() == {"asked": True, "tries": 2}
    assert Understood(None).to_dict() == {"asked": False}
    with pytest.raises(ParameterError, match=r"^tries must be >= 1, got 0$"):
        Understood(0)
