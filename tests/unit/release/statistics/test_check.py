"""What a card of statistics says, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import csv as arrow_csv

from epsilens.errors import EpsilensError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.verification import card_head, verify_card
from tests.support.cards import answers, changed
from tests.support.released_statistics import people, release


def test_without_the_ledger_and_with_other_data(folder: Path) -> None:
    assert answers(verify_card(folder / "all.card.json", data=folder / "people.csv"))["data"] is True
    assert answers(verify_card(folder / "one.card.json", data=folder / "people.csv"))["data"] is None
    arrow_csv.write_csv(people().slice(2), folder / "fewer.csv")  # without one person
    for name in ("all", "one"):
        checks = verify_card(folder / f"{name}.card.json", data=folder / "fewer.csv", ledger=folder / "b.db")
        assert [check.what for check in checks if check.holds is False] == ["data"]


def grid(card: Any, position: int = 0) -> Any:
    return card["mechanism"]["statistics"][position]["grid"]


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (lambda c: grid(c)["law"].update(scale=grid(c)["law"]["scale"] / 2), {"budget", "commit"}),
        (lambda c: grid(c).update(sensitivity_in_steps=1), {"budget", "commit"}),
        (lambda c: c["mechanism"]["records"].update(n=100), {"budget", "commit"}),
        (lambda c: c["mechanism"]["statistics"][1]["entries"][0].update(scale=1e-3), {"budget", "commit"}),
        (lambda c: c["mechanism"]["statistics"][0]["budget"].update(epsilon=5.0), {"budget", "commit"}),
        (lambda c: c["mechanism"]["statistics"][0]["declared"].update(upper=5.0), {"budget", "ledger", "commit"}),
        (lambda c: c["budget"]["cost"].update(epsilon="0.1"), {"budget", "ledger", "commit"}),
        (lambda c: c["released"][0].update(value=5.0), {"output", "commit"}),
        (lambda c: c["composition"]["left"].update(epsilon="9.9"), {"commit", "composition"}),
        (lambda c: c["unit"].update(column="who"), {"ledger", "commit"}),
        (lambda c: c["ledger"].update(head="0" * 64), {"ledger", "commit"}),
        (lambda c: c["release"].update(time="2020-01-01T00:00:00Z"), {"commit"}),
    ],
)
def test_a_changed_card_does_not_pass(folder: Path, change: Any, failing: set[str]) -> None:
    checks = verify_card(changed(folder / "all.card.json", change), ledger=folder / "b.db")
    assert {check.what for check in checks if check.holds is False} == failing


def test_the_head_of_another_ledger_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    release(other)
    with pytest.raises(EpsilensError, match="the ledger is another one than the card names"):
        card_head(folder / "all.card.json", Ledger(other / "b.db").chain())
