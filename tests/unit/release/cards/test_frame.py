from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from epsilens.accounting.cost import cost_of
from epsilens.budget import ApproxDP, PureDP
from epsilens.release.cards.frame import composition_so_far, priced
from epsilens.release.ledger.ledger import Ledger
from epsilens.version import __version__
from tests.support.ledgers import SURVEY, TENTH
from tests.support.released_tables import release

PEOPLE = pa.table({"region": ["north", "south"] * 3, "sex": ["f", "m", "x"] * 2, "illness": ["no", "yes"] * 3})


def test_a_card_begins_with_its_release_and_ends_with_its_place_in_the_ledger(tmp_path: Path) -> None:
    card = release(PEOPLE, tmp_path).card
    chain = Ledger(tmp_path / "b.db").chain()
    place = next(entry for entry in chain.entries if entry.hash == card["ledger"]["head"])
    assert list(card)[:3] == ["format", "label", "release"]
    assert card["label"] == "publishable"
    assert (card["ledger"]["id"], card["ledger"]["entry"]) == (chain.ledger, place.number)
    assert card["content"] == {"sealed_sha256": place.body["content"]}
    assert card["versions"]["epsilens"] == __version__
    assert place.body["salt"] not in str(card)


def test_the_price_as_asked_and_as_charged() -> None:
    asked = ApproxDP(0.1, 1e-6)
    found = priced(asked, cost_of(asked))
    assert found["asked"] == {"kind": "ApproxDP", "epsilon": 0.1, "delta": 1e-6}
    assert found["cost"] == {"epsilon": "0.1", "delta": "0.000001", "rho": None}
    assert "events" not in priced(PureDP(0.1), cost_of(PureDP(0.1)))["cost"]


def test_what_an_account_has_left() -> None:
    found = composition_so_far(SURVEY, [TENTH] * 3)
    assert Decimal(found["left"]["epsilon"]) == Decimal("0.7")
    assert (found["releases"], found["account"]) == (3, "survey")
