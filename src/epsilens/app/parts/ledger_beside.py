"""The ledger beside a release: which one, which account, what is spent, what is left, what this release would leave."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.app.parts.asking import in_one_sentence
from epsilens.app.parts.blocks import plain, show
from epsilens.app.parts.controls import following
from epsilens.app.parts.fields import typed_field
from epsilens.app.parts.release_terms import with_terms
from epsilens.app.parts.typed import as_typed, typed_number
from epsilens.app.work import Work
from epsilens.errors import EpsilensError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.statement import Statement
from epsilens.release.tables.question import TablesQuestion
from epsilens.report.words.ledger import entries_grid, standing_blocks, unfinished_blocks

TOTALS = ("total_epsilon", "total_delta", "total_rho")


@dataclass(frozen=True)
class Standing:
    """Whether the account could pay, as far as that is known without the data."""

    can_pay: bool = False
    creates: bool = False
    """Whether the release would make the ledger file."""


def ledger_beside(work: Work, question: TablesQuestion | None) -> Standing:
    """The ledger's controls and its account, with what ``question`` would ask of it."""
    st.subheader("Ledger", anchor=False)
    given = work.project.section("ledger")
    asked = with_terms(work.project).section("release")
    _text(work, given, "ledger", "Ledger file", "What every release costs is written into this file; it only grows.")
    if not given.get("ledger"):
        st.write("A release is paid from a ledger: name one that exists, or a new file, such as `budget.db`.")
        return Standing()
    path = Path(str(work.project.parameters("release", ("ledger",))["ledger"]))
    statement = None
    with in_one_sentence():
        if os.path.exists(path):  # noqa: PTH110 - a name that no file can have is one that does not exist
            statement = Statement(Ledger(path).chain())
    if os.path.exists(path) and statement is None:  # noqa: PTH110 - it cannot be read, which was said
        return Standing()
    accounts = {} if statement is None else statement.chain.accounts
    if statement is None:
        st.write(plain(f"There is no file {path} yet. The release would create it."))
    _account(work, given, tuple(accounts))
    name = given.get("account")
    if not name:
        return Standing(creates=statement is None)
    standing = Standing(creates=statement is None)
    if name in accounts:
        assert statement is not None  # accounts come from it
        standing = _shown(accounts[name], statement.chain.costs(name), question, standing, opens=False)
        show(unfinished_blocks(statement, str(name)))
    else:
        _totals(work, given, asked)
        with in_one_sentence():
            opening = (
                None if question is None else question.payment.opening(question.person.neighbours, question.plan.cost)
            )
            if opening is None:
                st.write("Say how much may be spent on these people in all; the total does not change afterwards.")
            else:
                standing = _shown(opening, [], question, standing, opens=True)
    if statement is not None and statement.chain.entries:
        with st.expander(f"All {len(statement.chain.entries)} entries of the ledger"):
            show([entries_grid(statement)])
    return standing


def _shown(
    account: Account, costs: list[Cost], question: TablesQuestion | None, standing: Standing, opens: bool
) -> Standing:
    """The account, and whether it can pay."""
    asked = None if question is None else question.plan.cost
    show(standing_blocks(account, costs, asked, opens))
    if question is None or asked is None:
        return standing
    if account.neighbours != question.person.neighbours:
        st.error(
            plain(
                f"Account {account.name!r} counts budgets about {account.neighbours} neighbours, and this release is "
                f"about {question.person.neighbours}: they cannot be added."
            )
        )
        return standing
    try:
        account.admit(costs, asked)
    except EpsilensError:  # the blocks have said why
        return standing
    return Standing(True, standing.creates)


def _account(work: Work, given: Mapping[str, Any], accounts: tuple[str, ...]) -> None:
    """A known account to choose, or the name of a new one."""
    label = "Account of these people"
    words = "One account for one set of people: all releases about them are paid from it."
    if not accounts:
        _text(work, given, "account", label, words)
        return
    name = given.get("account")
    st.selectbox(
        label,
        list(dict.fromkeys([*accounts, *([name] if name else [])])),
        index=None,
        accept_new_options=True,
        placeholder="choose one, or type the name of a new one",
        help=words,
        **following("ledger-account", name, lambda name: work.change("ledger", account=name or None)),
    )


def _totals(work: Work, given: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """The total of an account that is still to be opened, in what the budget is in."""
    for name in _currencies(asked):
        typed_field(
            f"Total of the account: {name.removeprefix('total_')}",
            f"ledger-{name}",
            as_typed(given.get(name)),
            partial(_put_total, work, name),
            help="All releases about these people together may never cost more; kept to the digit.",
        )


def _currencies(release: Mapping[str, Any]) -> tuple[str, ...]:
    if release.get("rho") is not None:
        return ("total_rho",)
    gaussian = release.get("mechanism") == "discrete-gaussian"
    return ("total_epsilon", "total_delta") if gaussian else ("total_epsilon",)


def _put_total(work: Work, name: str, text: str) -> None:
    """One total, and none in another currency beside it."""
    value = typed_number(name, text)
    kept = _currencies(with_terms(work.project).section("release"))
    others = {other: None for other in TOTALS if other not in kept}
    work.change("ledger", **others, **{name: value})


def _text(work: Work, given: Mapping[str, Any], name: str, label: str, words: str) -> None:
    st.text_input(
        label,
        help=words,
        **following(
            f"ledger-{name}",
            str(given.get(name) or ""),
            lambda text: work.change("ledger", **{name: text.strip() or None}),
        ),
    )
