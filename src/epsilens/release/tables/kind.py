"""Tables of counts as a kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from epsilens.release.kind import Kind
from epsilens.release.tables.card import CARD_FORMAT
from epsilens.release.tables.cells import EVERYONE, content_fingerprint
from epsilens.release.tables.check import spent_in, table_budget_problem
from epsilens.release.tables.question import TablesQuestion
from epsilens.release.tables.release import released, tables_job
from epsilens.release.tables.words import card_text
from epsilens.table import Schema
from epsilens.table.reading.sources import opened_source


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
    plain = card["schema"]
    if EVERYONE not in plain["quasi_identifiers"]:
        return content_fingerprint(data, Schema.from_dict(plain), table, plain.get("count"), row_salt)
    columns = (*plain["sensitive"], plain.get("unit"), plain.get("count"))
    with opened_source(data, [name for name in columns if name], table, may_be_empty=True) as opened:
        column = opened.columns[plain["sensitive"][0]]

        def with_everyone(relation: Any) -> Any:
            # Always true, and said without naming an engine.
            return relation.mutate(**{EVERYONE: relation[column].isnull() | relation[column].notnull()})

        mend = opened.mend
        everybody = replace(
            opened,
            relation=with_everyone(opened.relation),
            columns={**opened.columns, EVERYONE: EVERYONE},
            mend=None if mend is None else lambda: with_everyone(mend()),
        )
        return content_fingerprint(everybody, Schema.from_dict(plain), None, plain.get("count"), row_salt)


TABLES = Kind(
    card_format=CARD_FORMAT,
    schema_file="tables/schema.json",
    question=TablesQuestion,
    answered=released,
    job=tables_job,
    words=card_text,
    subject=subject,
    currency=spent_in,
    budget_problem=table_budget_problem,
    output_problem=output_problem,
    unreadable=unreadable,
    recounted=recounted,
)
