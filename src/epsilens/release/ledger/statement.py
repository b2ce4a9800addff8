"""What a ledger says of its accounts: totals, what was spent, what is left, how many releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from epsilens.accounting.account import Account
from epsilens.accounting.amounts import digits
from epsilens.accounting.cost import Cost
from epsilens.errors import SourceError
from epsilens.release.ledger.chain import Chain
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.leftovers import Leftover


def balance(account: Account, costs: Sequence[Cost]) -> dict[str, Any]:
    """What an account has spent and what is left after releases of these costs, to the digit, in plain values.

    Of a plan it says how many places of each price are used.
    """
    return {
        **account.to_dict(),
        **({} if account.plan is None else {"plan": account.plan.to_rows(costs)}),
        "spent": {name: digits(value) for name, value in account.spent(costs).items()},
        "left": {name: digits(value) for name, value in account.left(costs).items()},
        "releases": len(costs),
    }


@dataclass(frozen=True)
class Statement:
    """The answer to *what was spent, from which account, on what?*"""

    chain: Chain

    @cached_property
    def accounts(self) -> list[dict[str, Any]]:
        """The balance of every account, and how many of its releases were reserved and never committed.

        Of one without the plan that its rule needs, also what is left by adding up, within which it has to stay.
        """
        return [self._account(account, self.chain.costs(name)) for name, account in self.chain.accounts.items()]

    def _account(self, account: Account, costs: Sequence[Cost]) -> dict[str, Any]:
        reservations = self.chain.reservations(account.name)
        return {
            **balance(account, costs),
            "adaptive": account.adaptive,
            **({"left_by_adding_up": left_by_adding_up(account, costs)} if account.unplanned else {}),
            "uncommitted": sum(self.chain.commit_of(entry.body["release"]) is None for entry in reservations),
        }

    def summary(self) -> dict[str, Any]:
        """The ledger, its head and its accounts in plain values."""
        return {"ledger": self.chain.ledger, "head": self.chain.head, "accounts": self.accounts}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, every entry included, without its salts."""
        return {**self.summary(), "entries": [entry.to_dict() for entry in self.chain.entries]}


def left_by_adding_up(account: Account, costs: Sequence[Cost]) -> dict[str, str] | None:
    """What is left of epsilon and delta by adding up; nothing where a release has no epsilon that could be added."""
    if any(cost.epsilon is None for cost in costs):
        return None
    return {name: digits(value) for name, value in account.adding_up.left(costs).items()}


@dataclass(frozen=True)
class Swept:
    """The answer to *what did crashed releases leave?*: the temporary files that were removed."""

    leftovers: tuple[Leftover, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"removed": [str(found.path) for found in self.leftovers]}


def swept_up(ledger: str | Path, folders: Sequence[str | Path] = ()) -> Swept:
    """Remove what crashed releases left in ``folders``, or where the ledger is; the ledger must be sound.

    Without a sound ledger nobody can tell whose files they are.
    """
    book = Ledger(ledger)
    book.chain()
    places = [Path(folder) for folder in folders] or [Path(ledger).parent]
    for place in places:
        if not place.is_dir():
            raise SourceError(f"there is no folder {place}")
    return Swept(tuple(book.swept(places)))
