"""Times of the version before these benchmarks were written, quoted: they were measured once, on two cores.

They are not a peer in the same run, and rows that use them say so; each was to become ten times better.
"""

from __future__ import annotations

from benchmarks.outcome import Comparison

SECONDS = {
    "expected": 19.0,
    "hard": 52.0,
    "soft": 16.0,
    "simulation": 20.0,
    "choose by local risk": 13.0,
    "choose by expected risk": 177.0,
    "Dirichlet fit": 20.0,
    "compare 1,000 people": 27.0,
    "compare Adult": 900.0,
    "ledger verify": 4.5,
    "ledger show": 12.3,
    "sequence": 93.0,
}
BETTER = 10.0


def against_former(key: str, name: str, seconds: float, mib: float | None = None) -> Comparison:
    """The time of today against the quoted one."""
    return Comparison(
        name,
        seconds,
        "the version before this page (quoted, not run here)",
        SECONDS[key],
        target=BETTER,
        difference=0.0,
        tolerance=0.0,
        ours_mib=mib,
        note="not the same run, and answers are compared by the tests: they stayed the same",
    )
