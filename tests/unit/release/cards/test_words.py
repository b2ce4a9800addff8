from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from epsilens.accounting.account import Account
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.release.cards.words import amounts_words, cell_words, framed, output_lines, person_words, stated_budget
from tests.support.ledgers import opened_by_an_earlier_version
from tests.support.released_tables import release

PEOPLE = pa.table({"region": ["north", "south"] * 3, "sex": ["f", "m", "x"] * 2, "illness": ["no", "yes"] * 3})


def test_every_card_begins_and_ends_alike(tmp_path: Path) -> None:
    card = release(PEOPLE, tmp_path, out=tmp_path / "o.csv").card
    text = framed(card, ["## Between", person_words(card), "\n".join(output_lines(card))])
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# Release card: survey", "## Between", "## Whom it protects", "## What was released",
        "## What holds whatever the data are", "## The account so far", "## For those who check",
        "## What may be published",
    ]  # fmt: skip
    assert "1 release from account `survey`" in text
    assert "\n\nThe rule: epsilons add up; holds however each release is chosen after seeing earlier ones." in text
    assert "one person more or less in the data" in text
    assert "each person has one row" in text
    assert f"SHA-256 `{card['output']['sha256']}`" in text
    assert "- **no**: the data" in text


def test_a_card_prints_the_plan_of_its_account_and_what_is_left_of_it(tmp_path: Path) -> None:
    plan = {"total": ApproxDP(2.0, 1e-6), "composition": "pld", "plan": [2, "discrete-laplace epsilon=0.25"]}
    card = release(PEOPLE, tmp_path, budget=PureDP(0.5), **plan).card
    assert [(row["releases"], row["used"]) for row in card["composition"]["plan"]] == [(1, 0), (2, 1)]
    text = framed(card, [])
    assert "for a plan of releases that is fixed when the account is opened; in any order" in text
    assert "- 1 x epsilon 0.25 (discrete-laplace 4): 0 used, 1 left\n- 2 x epsilon 0.5 (discrete-laplace 2): 1" in text


def test_a_card_says_when_the_total_of_an_account_without_its_plan_holds(tmp_path: Path) -> None:
    account = Account.opened("survey", ApproxDP(2.0, 1e-6), "add-remove", "pld")
    opened_by_an_earlier_version(tmp_path / "b.db", account)
    card = release(PEOPLE, tmp_path, budget=PureDP(0.5), total=None).card
    assert card["composition"]["left_by_adding_up"] == {"epsilon": "1.5", "delta": "0.000001"}
    assert "no plan of its releases" in framed(card, [])
    assert "The total holds because all of them together also stay within it by adding up" in framed(card, [])
    before = {name: value for name, value in card["composition"].items() if name != "left_by_adding_up"}
    told = framed({**card, "composition": before}, [])  # as earlier versions wrote it
    assert "The total holds if no budget was chosen after seeing earlier ones." in told


def test_what_was_spent_is_converted_as_if_fixed_beforehand(tmp_path: Path) -> None:
    terms = {"total": ApproxDP(2.0, 1e-6), "composition": "approx-zcdp"}
    card = release(PEOPLE, tmp_path, budget=PureDP(0.4), **terms).card
    converted = card["composition"]["converted"]
    assert converted["epsilon"] == ZCDP(0.08).epsilon(5e-7)
    assert f"had their budgets been fixed beforehand: ({converted['epsilon']:.6g}, 1e-06)." in framed(card, [])


def test_amounts_and_cells() -> None:
    assert stated_budget({"kind": "ApproxDP", "epsilon": 0.5, "delta": 1e-6}) == "epsilon = 0.5, delta = 1e-06"
    assert amounts_words({"epsilon": "0.5", "delta": "0"}) == "epsilon 0.5, delta 0"
    assert cell_words("a|b") == "a\\|b"
