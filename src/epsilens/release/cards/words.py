"""What the cards of every kind say for people, in Markdown: whom it protects, the account, what may be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.accounting.plan import cost_words
from epsilens.errors import counted, verb
from epsilens.release.cards.rules import rules_words

NEIGHBOUR_WORDS = {
    "add-remove": "one person more or less in the data",
    "substitute": "one person's record replaced by any other",
}


def framed(card: Mapping[str, Any], sections: Sequence[str]) -> str:
    """The sections of a card between what all cards begin and end with."""
    parts = [
        f"# Release card: {card['release']['account']}",
        f"Release `{card['release']['id']}` of {card['release']['time']}. This card is publishable.",
        *sections,
        *rules_words(card),
        _composition(card),
        _checks(card),
        _publishable(card),
    ]
    return "\n\n".join(parts) + "\n"


def output_lines(card: Mapping[str, Any]) -> list[str]:
    """The heading of what was released, and its file."""
    lines = ["## What was released", ""]
    if card["output"] is not None:
        lines += [
            f"`{card['output']['file']}`, {counted(card['output']['rows'], 'row')}, "
            f"SHA-256 `{card['output']['sha256']}`.",
            "",
        ]
    return lines


def person_words(card: Mapping[str, Any]) -> str:
    """Whom the release protects."""
    neighbours, unit = card["mechanism"]["neighbours"], card["unit"]
    if unit["column"] is None:
        who = "The curator declared that each person has one row."
    else:
        most = unit["max_rows_per_person"]
        who = (
            f"Column `{unit['column']}` names people; at most {counted(most, 'row')} of each {verb(most)} counted, "
            "drawn at random where there are more."
        )
    return f"## Whom it protects\n\nA person. Neighbours: {neighbours} ({NEIGHBOUR_WORDS[neighbours]}). {who}"


def _composition(card: Mapping[str, Any]) -> str:
    """What the account has spent so far."""
    c = card["composition"]
    total, spent, left = (amounts_words(c[name]) for name in ("total", "spent", "left"))
    both = c["converted"]
    beforehand = "" if both is None else f"({both['epsilon']:.6g}, {both['delta']:g})"
    converted = beforehand and f" As (epsilon, delta), had their budgets been fixed beforehand: {beforehand}."
    releases = "1 release" if c["releases"] == 1 else f"{c['releases']} releases"
    return (
        f"## The account so far\n\n{releases} from account `{c['account']}`, composed by the rule "
        f"`{c['composition']}`: {spent} spent of {total}, {left} left.{converted}{_promise(c)}"
    )


def _promise(composition: Mapping[str, Any]) -> str:
    """How the account counts, what it promises whoever chooses its releases, and its plan."""
    account = Account.from_dict(composition)
    if account.unplanned:
        kept = (
            "because all of them together also stay within it by adding up epsilons and deltas"
            if composition.get("left_by_adding_up") is not None
            else "if no budget was chosen after seeing earlier ones"
        )
        return f"\n\nThe account has no plan of its releases, which this rule needs. The total holds {kept}."
    if account.plan is None:
        return f"\n\nThe rule: {account.words}. What it promises is the total."
    rows = [
        f"- {row['releases']} x {cost_words(Cost.from_dict(row['cost']))}: {row['used']} used, "
        f"{row['releases'] - row['used']} left"
        for row in composition["plan"]
    ]
    return "\n".join(
        [
            f"\n\nThe rule: {account.words}. What it promises is the total, which the whole plan keeps. Nothing else "
            "may be released from this account:",
            "",
            *rows,
        ]
    )


def _checks(card: Mapping[str, Any]) -> str:
    """Where the release stands in its ledger, the sealed digest, versions."""
    ledger = card["ledger"]
    versions = ", ".join(f"{name} {value}" for name, value in card["versions"].items())
    return (
        f"## For those who check\n\nLedger `{ledger['id']}`, entry {ledger['entry']}, head `{ledger['head']}`. The "
        f"digest of the data is sealed: `{card['content']['sealed_sha256']}`. Versions: {versions}."
    )


def _publishable(card: Mapping[str, Any]) -> str:
    """What may be published and what may not."""
    return "\n".join(
        [
            "## What may be published",
            "",
            *(f"- yes: {item}" for item in card["publish"]["safe"]),
            *(f"- **no**: {item}" for item in card["publish"]["not_safe"]),
        ]
    )


def stated_budget(budget: Mapping[str, Any]) -> str:
    """``epsilon = 0.5``."""
    return ", ".join(f"{name} = {value:.6g}" for name, value in budget.items() if name != "kind")


def amounts_words(amounts: Mapping[str, str]) -> str:
    """``epsilon 0.5, delta 0.000001``."""
    return ", ".join(f"{name} {value}" for name, value in amounts.items())


def cell_words(text: str) -> str:
    """A text in a cell of a Markdown table."""
    return text.replace("|", "\\|")
