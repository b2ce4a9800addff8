"""Cards as files: their schema, and what is not a card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epsilens.accounting.rules import ACCOUNT_KINDS
from epsilens.release import verify_card
from epsilens.release.card_files import CardError, card_schema, read_card, schema_problem
from epsilens.release.kinds import KINDS


def test_cards_fit_the_schema_that_is_shipped(folder: Path) -> None:
    import jsonschema  # type: ignore[import-untyped]

    jsonschema.Draft202012Validator.check_schema(card_schema())
    for name in ("first", "second"):
        card = json.loads((folder / f"{name}.card.json").read_text())
        assert schema_problem(card) is None
        assert card["label"] == "publishable"
        internal = json.loads((folder / f"{name}.internal.json").read_text())
        assert internal["label"] == "internal"
    del card["budget"]
    assert schema_problem(card) == "the card itself does not fit the schema (required)"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a release card"),
        ('{"format": "other"}', "is not a release card"),
        ('{"format": []}', "is not a release card"),
        ('{"format": "epsilens-internal-assessment/1"}', "internal assessment"),
        ('{"format": "epsilens-release-card/1"}', "changed or is incomplete"),
        ('{"format": "epsilens-statistics-card/1"}', "changed or is incomplete"),
    ],
)
def test_what_is_not_a_card(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(CardError, match=said):
        verify_card(tmp_path / "c.json")
    with pytest.raises(CardError, match="cannot read the card"):
        verify_card(tmp_path / "none.json")


def test_the_schemas_know_every_kind_of_account() -> None:
    for card_format in KINDS:
        composition = card_schema(card_format)["properties"]["composition"]["properties"]
        assert composition["composition"]["enum"] == list(ACCOUNT_KINDS)


@pytest.mark.parametrize("content", [b'{"format": 1, "format": 1}', b"[" * 100_000, '{"a": 1}'.encode("utf-16"), b""])
def test_a_card_that_does_not_mean_one_thing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "o.card.json").write_bytes(content)
    with pytest.raises(CardError, match="is not JSON, so it is not a release card"):
        read_card(tmp_path / "o.card.json")
