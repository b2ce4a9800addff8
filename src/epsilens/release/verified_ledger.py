"""Whether a ledger is whole: every hash and every account recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epsilens.errors import EpsilensError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.statement import Statement


@dataclass(frozen=True)
class LedgerVerified:
    """The answer to *is this ledger whole?*: every hash was recomputed, and found on the cards that were given."""

    ledger: str | Path
    statement: Statement
    cards: int
    """How many cards it was compared with."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"ok": True, "cards": self.cards, **self.statement.summary()}


def verified_ledger(ledger: str | Path, cards: Sequence[str | Path] = ()) -> LedgerVerified:
    """The ledger, every hash recomputed and the head on every card found in it; refused where one is not.

    So is one with an account that has spent more than its total, or has a release that its plan does not have.
    """
    chain = Ledger(ledger).chain()
    for name, account in chain.accounts.items():
        if (problem := account.overspent(chain.costs(name))) is not None:
            raise EpsilensError(f"the ledger {ledger} does not hold: account {name!r} was overspent ({problem})")
    if cards:
        from epsilens.release.verification import card_head  # lazy: a ledger alone needs nothing of what was released

        for card in cards:
            card_head(card, chain)
    return LedgerVerified(ledger, Statement(chain), len(cards))
