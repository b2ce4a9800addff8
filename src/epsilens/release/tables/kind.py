"""Tables of counts as a kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epsilens.release.kind import Kind
from epsilens.release.tables.card import CARD_FORMAT
from epsilens.release.tables.cells import content_fingerprint
from epsilens.release.tables.check import spent_in, table_budget_problem
from epsilens.release.tables.question import TablesQuestion
from epsilens.release.tables.release import released
from epsilens.release.tables.words import card_text
from epsilens.table import Schema


def subject(card: Mapping[str, Any]) -> dict[str, Any]:
    """The tables that the card names, as the ledger names them."""
    return {"tables": [{"columns": table["columns"]} for table in card["release"]["tables"]]}


def output_problem(_card: Mapping[str, Any], _path: Path) -> str | None:
    """Nothing: the card does not repeat the counts, so the hash of the output says it all."""
    return None


def unreadable(card: Mapping[str, Any]) -> str | None:
    """Why the people cannot be counted again."""
    if card["schema"] is None:
        return "the release was made from a table of counts, which cannot be read again"
    return None


def recounted(card: Mapping[str, Any], data: Any, table: str | None, row_salt: str | None) -> bytes:
    """The fingerprint of the data, counted as the card declares."""
    schema = card["schema"]
    return content_fingerprint(data, Schema.from_dict(schema), table, schema.get("count"), row_salt)


TABLES = Kind(
    card_format=CARD_FORMAT,
    schema_file="tables/schema.json",
    question=TablesQuestion,
    answered=released,
    words=card_text,
    subject=subject,
    currency=spent_in,
    budget_problem=table_budget_problem,
    output_problem=output_problem,
    unreadable=unreadable,
    recounted=recounted,
)
