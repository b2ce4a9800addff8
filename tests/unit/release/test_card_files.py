"""Cards as files: their schema, and what is not a card."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tools.handbook.cards import fields, form_of

from epsilens.accounting.rules import ACCOUNT_KINDS
from epsilens.errors import ParameterError
from epsilens.release import verify_card
from epsilens.release.card_files import CardError, card_schema, read_card, schema_problem
from epsilens.release.kinds import KINDS
from tests.conftest import REPOSITORY


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


def test_the_formats_are_those_of_the_schemas_and_of_the_handbook() -> None:
    page = (REPOSITORY / "docs" / "reference" / "cards.md").read_text()
    for card_format, kind in KINDS.items():
        schema = card_schema(card_format)
        assert schema["properties"]["format"]["const"] == card_format
        assert schema["$id"] == card_format.replace("/", "-")
        assert f"| `{card_format}` | `{schema['$id']}` | {{download}}" in page
        assert f"src/epsilens/release/{kind.schema_file}>`" in page
        assert f"```{{card}} {card_format}\n```" in page
    assert sorted(set(re.findall(r"epsilens-\w+-card/\d+", page))) == sorted(KINDS)
    with pytest.raises(ParameterError, match=r"did you mean 'epsilens-release-card/1'"):
        card_schema("epsilens-release-card/2")


@pytest.mark.parametrize("card_format", KINDS)
def test_every_field_is_described_and_those_that_came_later_are_named(card_format: str) -> None:
    page = (REPOSITORY / "docs" / "reference" / "cards.md").read_text()
    added = page.partition("The\n  fields that came so")[2].partition("\n- ")[0]
    later = {"epsilon", "delta", "rho", "scale", "sigma", "bins", "where"}  # of one kind of budget, law or statistic
    for place, field, always in fields(card_schema(card_format)):
        assert field["description"].endswith("."), place
        assert form_of(field), place
        name = place.rpartition(".")[2]
        assert always or name in later or "events[]" in place or f"`{name}`" in added, place
