"""Cards of released statistics: their schema, their words, and every check of them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from epsilens.budget import ZCDP
from epsilens.release.card_files import card_schema, schema_problem
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.statistics import Mean
from epsilens.release.statistics.card import STATISTICS_CARD_FORMAT
from epsilens.release.verification import card_head, failures, verify_card
from tests.support.cards import answers
from tests.support.released_statistics import release


@pytest.mark.parametrize("name", ["all", "one", "two"])
def test_a_card_that_fits_its_schema_and_holds(folder: Path, name: str) -> None:
    import jsonschema  # type: ignore[import-untyped]

    jsonschema.Draft202012Validator.check_schema(card_schema(STATISTICS_CARD_FORMAT))
    assert schema_problem(json.loads((folder / f"{name}.card.json").read_text())) is None
    checks = verify_card(folder / f"{name}.card.json", data=folder / "people.csv", ledger=folder / "b.db")
    assert all(check.holds for check in checks), list(failures(checks))
    assert set(answers(checks)) == {"form", "budget", "output", "ledger", "commit", "composition", "data"}
    assert "is this release" in card_head(folder / f"{name}.card.json", Ledger(folder / "b.db").chain())


def test_an_account_in_zcdp_says_what_it_means_in_epsilon_and_delta(tmp_path: Path) -> None:
    data = pa.table({"a": [1.0, 2.0, 3.0]})
    found = release(tmp_path, [Mean("a", 0, 10)], data=data, total=ZCDP(2.0))
    assert found.card["composition"]["converted"]["delta"] == 1e-6
    assert schema_problem(found.card) is None
