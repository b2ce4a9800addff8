"""What every card begins and ends with, and where its release stands in the ledger.

**Two documents, never mixed.** The *card* is publishable: it holds what the curator declared, what follows from the law
of the noise, and what was published anyway. The *internal report* holds what only the data tell; it is written apart,
readable by its owner only. Nothing in a card depends on the people beyond the released numbers: not the number of rows
dropped, not whether the content changed since the last release (its digest is sealed with a salt of its own).
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.budget import Budget
from epsilens.release.ledger.chain import Chain, Entry
from epsilens.release.ledger.statement import balance, left_by_adding_up
from epsilens.release.samplers import opendp_version
from epsilens.release.terms import Output
from epsilens.version import __version__

INTERNAL_FORMAT = "epsilens-internal-assessment/1"
SAFE = ("this card", "the output file named in it")
NOT_SAFE = (
    "the data",
    "the ledger file, which holds the salts that seal the digests of the data and choose the rows of people",
    "the internal assessment of this release, and every assessment, which hold exact risks of the true data",
    "temporary files (.tmp) that a crash may leave beside the output: what they hold was spent, but has no card",
)


@dataclass(frozen=True)
class Standing:
    """Where a release stands: its reservation, the chain that ends with it, the hashes of what was written before."""

    reservation: Entry
    chain: Chain
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def account(self) -> Account:
        """The account that paid."""
        return self.chain.accounts[self.reservation.body["account"]]


def heading(card_format: str, standing: Standing) -> dict[str, Any]:
    """What a card is, and of which release."""
    body = standing.reservation.body
    return {
        "format": card_format,
        "label": "publishable",
        "release": {"id": body["release"], "account": standing.account.name, "time": body["time"]},
    }


def ending(standing: Standing) -> dict[str, Any]:
    """The account so far, the place in the ledger, the sealed content, versions, and what may be published."""
    reservation, chain, account = standing.reservation, standing.chain, standing.account
    return {
        "composition": composition_so_far(account, chain.costs(account.name)),
        "ledger": {"id": chain.ledger, "entry": reservation.number, "head": reservation.hash},
        "content": {"sealed_sha256": reservation.body["content"]},
        "versions": {"epsilens": __version__, "opendp": opendp_version(), "python": platform.python_version()},
        "publish": {"safe": list(SAFE), "not_safe": list(NOT_SAFE)},
    }


def written_output(output: Output, rows: int, columns: Sequence[str], standing: Standing) -> dict[str, Any] | None:
    """The output file as a card tells of it; nothing where the release was not written."""
    if output.path is None:
        return None
    return {
        "file": output.path.name,
        "rows": rows,
        "columns": list(columns),
        "sha256": standing.hashes["output"],
    }


def priced(asked: Budget, cost: Cost) -> dict[str, Any]:
    """The budget as it was asked for, and what the account was charged."""
    charged = {name: value for name, value in cost.to_dict().items() if name != "events"}
    return {"asked": budget_dict(asked), "cost": charged}


def budget_dict(budget: Budget) -> dict[str, Any]:
    """A budget in plain values."""
    return {"kind": type(budget).__name__, **vars(budget)}


def composition_so_far(account: Account, costs: Sequence[Cost]) -> dict[str, Any]:
    """What an account has spent and what is left after releases of these costs, also as (epsilon, delta)."""
    added = {"left_by_adding_up": left_by_adding_up(account, costs)} if account.unplanned else {}
    return {**balance(account, costs), "converted": account.converted(costs), **added}


def internal_heading(reservation: Entry) -> dict[str, Any]:
    """What every internal report begins with."""
    return {
        "format": INTERNAL_FORMAT,
        "label": "internal",
        "warning": "computed from true data, not for publication",
        "release": reservation.body["release"],
    }


def internal_content(reservation: Entry) -> dict[str, Any]:
    """The seal on the content together with its salt, which the owner of the data may have."""
    return {"salt": reservation.body["salt"], "sealed_sha256": reservation.body["content"]}
