"""What a card of tables says about its budget, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epsilens.budget import ApproxDP, PureDP
from epsilens.release import verify_card
from epsilens.table import Schema
from tests.support.cards import answers, changed
from tests.support.released_tables import release


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (lambda c: c["mechanism"]["tables"][0]["law"].update(scale=1.0), {"budget", "commit"}),
        (lambda c: c["mechanism"]["sensitivity"].update(value=2.0), {"budget", "commit"}),
        (lambda c: c["budget"]["cost"].update(epsilon="0.1"), {"budget", "ledger", "commit"}),
        (lambda c: c["composition"]["left"].update(epsilon="999.9"), {"commit", "composition"}),
        (lambda c: c["budget"]["cost"].update(rho="0.001"), {"budget", "ledger", "commit"}),
        (lambda c: c["mechanism"]["tables"][0].update(opendp_price=0.1), {"budget", "commit"}),
        (lambda c: c["mechanism"]["tables"][0].update(threshold=7, threshold_delta=1e-9), {"budget", "commit"}),
        (lambda c: c["ledger"].update(head="0" * 64), {"ledger", "commit"}),
        (lambda c: c["release"].update(time="2020-01-01T00:00:00Z"), {"commit"}),
    ],
)
def test_a_changed_card_does_not_pass(folder: Path, change: Any, failing: set[str]) -> None:
    checks = verify_card(changed(folder / "first.card.json", change), ledger=folder / "b.db")
    assert {check.what for check in checks if check.holds is False} == failing


@pytest.mark.parametrize("lower", [{"threshold": 3}, {"threshold_delta": 1e-12}, {"threshold": None}])
def test_a_threshold_that_shows_more_than_was_paid_for_does_not_pass_even_without_the_ledger(
    people: Path, tmp_path: Path, lower: dict[str, Any]
) -> None:
    release(
        people,
        tmp_path,
        schema=Schema(["region", "sex"], "illness"),
        threshold_delta=1e-6,
        budget=PureDP(1.0),
        total=ApproxDP(2.0, 1e-5),
        out=tmp_path / "o.csv",
    )
    card = tmp_path / "o.card.json"
    assert answers(verify_card(card))["budget"] is True
    card = changed(card, lambda c: c["mechanism"]["tables"][0].update(lower))
    assert answers(verify_card(card))["budget"] is False


@pytest.mark.parametrize(
    "change",
    [
        lambda card: card["tree"].update(parts=[2, 4]),
        lambda card: card["tree"].update(column="illness"),
        lambda card: card["mechanism"].update(neighbours="add-remove", sensitivity={"norm": "l1", "value": 1.0}),
        lambda card: card["schema"].update(where=[{"column": "age", "operator": ">=", "values": ["18"]}]),
    ],
)
def test_a_tree_and_a_public_total_follow_from_what_was_declared(people: Path, tmp_path: Path, change: Any) -> None:
    release(
        people, tmp_path, schema=Schema(["sex"], universe={"sex": ["f", "m", "x"]}), tree="sex",
        neighbours="substitute", public_total=12, budget=PureDP(1.0), out=tmp_path / "o.csv",
    )  # fmt: skip
    card = tmp_path / "o.card.json"
    assert answers(verify_card(card))["budget"] is True
    assert answers(verify_card(changed(card, change)))["budget"] is False
