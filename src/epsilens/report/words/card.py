"""What the verification of a card says, check by check."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epsilens.release.verification import CardAnswer

MARKS = {True: "ok", False: "FAILED", None: "not checked"}


def check_lines(answer: CardAnswer) -> list[str]:
    """One line for each check: whether it holds, and why."""
    return [f"{MARKS[check.holds]:>11}  {check.what}: {check.words}" for check in answer.checks]
