"""Releases: what happens to noisy numbers between the noise and the public.

Names of the release itself are imported on first use: they bring the samplers and the ledger along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epsilens.release.account import Account as Account
    from epsilens.release.account import BudgetExceededError as BudgetExceededError
    from epsilens.release.chain import LedgerError as LedgerError
    from epsilens.release.ledger import Ledger as Ledger
    from epsilens.release.postprocessing import ReleasedTable as ReleasedTable
    from epsilens.release.sanitise import Released as Released
    from epsilens.release.sanitise import release_table as release_table
    from epsilens.release.thresholds import smallest_threshold as smallest_threshold
    from epsilens.release.thresholds import threshold_delta as threshold_delta
    from epsilens.release.universe import width_levels as width_levels
    from epsilens.release.verification import verify_card as verify_card

_HOME = {
    "Account": "account",
    "BudgetExceededError": "account",
    "Ledger": "ledger",
    "LedgerError": "chain",
    "Released": "sanitise",
    "ReleasedTable": "postprocessing",
    "release_table": "sanitise",
    "smallest_threshold": "thresholds",
    "threshold_delta": "thresholds",
    "verify_card": "verification",
    "width_levels": "universe",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"epsilens.release.{_HOME[name]}"), name)
    raise AttributeError(f"module 'epsilens.release' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
