"""What every card says of the rules by which its release was made, whatever the data: they are the same for all data.

**What an outsider can see.** Exit code, words, files, card, the place in the ledger: all of it follows from what was
declared (the call, the names and types of the source's columns, the public state of the ledger) and from the noisy
numbers, which are paid for. What the data alone decide stands in the internal report. Three things are left, and the
card states each: what is not a table of the declared columns is refused, an account for data that were released before
is refused, and time and memory are not hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.errors import verb
from epsilens.table.conditions import ORDERS, Condition

REFUSALS = (
    "A source that cannot be parsed (ragged rows, bytes that are not text) or lacks a declared column is refused: that "
    "is not a data set.",
    "When an account is opened, data of which the very content was released from another account of the ledger are "
    "refused; nothing else that the data hold can refuse a release, or change what is said about it.",
)
WATCHING = (
    "Running time and memory depend on the data; against whoever can watch the machine at work this release does not "
    "protect."
)


def card_rules(rows: Sequence[str]) -> dict[str, Any]:
    """The rules in plain values; ``rows`` are those about rows that do not fit the declarations."""
    return {"rows": list(rows), "refusals": list(REFUSALS), "watching": WATCHING}


def rows_read(where: Sequence[Condition]) -> list[str]:
    """Which rows are read at all; nothing where all are."""
    if not where:
        return []
    held = " and ".join(f"{condition.text!r}" for condition in where)
    compared = any(condition.operator in ORDERS for condition in where)
    return [
        f"Only rows for which {held} {verb(len(where), 'holds', 'hold')} are read, as was declared before the data "
        "were looked at. A missing value differs from every other one"
        + ("; where numbers are compared, what is not a number does not pass. " if compared else ". ")
        + "How many other rows there were is not said."
    ]


def rules_words(card: Mapping[str, Any]) -> list[str]:
    """The rules as a section of the card for people; nothing on cards of earlier versions."""
    rules = card.get("rules")
    if rules is None:
        return []
    lines = [*rules["rows"], *rules["refusals"], rules["watching"]]
    return ["\n".join(["## What holds whatever the data are", "", *(f"- {line}" for line in lines)])]
