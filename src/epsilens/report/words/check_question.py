"""One question before budget is spent: whoever releases says in numbers what the guarantee means.

People who read words alone are surer of themselves than they should be; one question with the numbers of this very
release tells whether the sentence was read. A wrong answer shows the sentence again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from epsilens.report.words.common import out_of
from epsilens.report.words.dial_sentences import OF, Names, convinced, uncertain, worlds

if TYPE_CHECKING:
    from epsilens.choice.questions.dial_guarantee import Guarantee

WRONG = "That is not what the sentence says. Please read it again:"
RIGHT = "Right."
TURNED_OFF = "The check question is turned off in this project; the ledger will say so."
_OTHERS = ((0.0, "none"), (1.0, "all 100"), (0.5, "50"), (0.25, "25"), (0.1, "10"))
"""Answers of somebody who believes that noise hides everything, or nothing; then plain guesses."""
MOST = 4
"""Answers to choose from."""


@dataclass(frozen=True)
class CheckQuestion:
    """The sentence, the question about it, and answers of which one is right."""

    sentence: str
    question: str
    options: tuple[str, ...]
    right: int
    """The position of the right answer."""


def check_question(guarantee: Guarantee, names: Names | None = None, neighbours: str = "add-remove") -> CheckQuestion:
    """The question that the guarantee of a release makes, about the world in which the attacker is wrong.

    Its sentences are those of the dial. It follows from declarations alone: no data, and no draw.
    """
    told = worlds(neighbours, names or Names())
    sentences = (
        told.setting,
        convinced(guarantee.wrong, told.if_not, told.claim),
        convinced(guarantee.right, told.if_so, told.claim),
    )
    question = (
        f"So, {told.if_not[:1].lower()}{told.if_not[1:]}: in how many of {OF} possible releases would the attacker "
        f"believe {told.claim}?"
    )
    options, place = _options(guarantee)
    return CheckQuestion(" ".join(sentences), question, options, place)


def _options(guarantee: Guarantee) -> tuple[tuple[str, ...], int]:
    """Different answers, the smallest first, and where the right one is."""
    right, wrong = uncertain(guarantee.right), uncertain(guarantee.wrong)
    answer = out_of(wrong, OF)
    rare = answer.startswith("fewer")  # beside that, none and all would be a trap
    candidates = [(wrong, answer), (right, out_of(right, OF))]
    candidates += [(value, text) for value, text in _OTHERS if not (rare and value in (0.0, 1.0))]
    found: dict[str, float] = {}
    for value, text in candidates:
        if len(found) < MOST and text not in found:
            found[text] = value
    ordered = sorted(found, key=lambda text: found[text])
    return tuple(ordered), ordered.index(answer)
