"""What the verification of a card says, check by check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from epsilens.report.words.common import Block, Verdict

if TYPE_CHECKING:
    from epsilens.release.verification import CardAnswer

MARKS = {True: "ok", False: "FAILED", None: "not checked"}


def check_blocks(answer: CardAnswer) -> list[Block]:
    """One verdict for each check: whether it holds, and why."""
    tones: dict[bool | None, Literal["good", "bad", ""]] = {True: "good", False: "bad", None: ""}
    return [
        Verdict(f"{MARKS[check.holds]:>11}", tones[check.holds], f"{check.what}: {check.words}")
        for check in answer.checks
    ]
