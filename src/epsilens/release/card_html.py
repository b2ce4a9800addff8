"""A release card as a small table in a notebook: publishable, like the card itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epsilens.notebook import table_html


def card_html(title: str, card: Mapping[str, Any], released: str) -> str:
    """What was released, how, at what price and where it is written down."""
    output, asked = card["output"], card["budget"]["asked"]
    facts = {
        "released": released,
        "mechanism": card["mechanism"]["name"],
        "neighbours": card["mechanism"]["neighbours"],
        "budget": ", ".join(f"{name} = {value}" for name, value in asked.items()),
        "account": card["release"]["account"],
        "entry of the ledger": card["ledger"]["entry"],
        "confidence of intervals": card["intervals"]["confidence"],
        "output": None if output is None else output["file"],
    }
    return table_html(f"{title} ({card['label']})", facts)
