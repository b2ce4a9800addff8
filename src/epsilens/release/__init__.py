"""Releases: what happens to noisy numbers between the noise and the public.

Names of the release itself are imported on first use: they bring the samplers and the ledger along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epsilens.accounting.account import Account as Account
    from epsilens.accounting.account import BudgetExceededError as BudgetExceededError
    from epsilens.release.ledger.chain import LedgerError as LedgerError
    from epsilens.release.ledger.ledger import Ledger as Ledger
    from epsilens.release.tables.postprocessing import ReleasedTable as ReleasedTable
    from epsilens.release.tables.release import Released as Released
    from epsilens.release.tables.release import release_table as release_table
    from epsilens.release.thresholds import smallest_threshold as smallest_threshold
    from epsilens.release.thresholds import threshold_delta as threshold_delta
    from epsilens.release.verification import verify_card as verify_card
    from epsilens.table.declared import width_levels as width_levels

_HOME = {
    "Account": "epsilens.accounting.account",
    "BudgetExceededError": "epsilens.accounting.account",
    "Ledger": "epsilens.release.ledger.ledger",
    "LedgerError": "epsilens.release.ledger.chain",
    "Released": "epsilens.release.tables.release",
    "ReleasedTable": "epsilens.release.tables.postprocessing",
    "release_table": "epsilens.release.tables.release",
    "smallest_threshold": "epsilens.release.thresholds",
    "threshold_delta": "epsilens.release.thresholds",
    "verify_card": "epsilens.release.verification",
    "width_levels": "epsilens.table.declared",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'epsilens.release' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
