"""One question before budget is spent: whoever releases says in numbers what the guarantee means.

People who read words alone are surer of themselves than they should be; one question with the numbers of this very
release tells whether the sentence was read. A wrong answer shows the sentence again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from epsilens.report.words.common import out_of

if TYPE_CHECKING:
    from epsilens.choice.questions.dial_guarantee import Guarantee

OF = 100
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


def check_question(guarantee: Guarantee, person: str = "Ana", neighbours: str = "add-remove") -> CheckQuestion:
    """The question that the guarantee of a release makes, about the world in which the attacker is wrong.

    It follows from declarations alone: no data, and no draw.
    """
    right, wrong = out_of(guarantee.right, OF), out_of(guarantee.wrong, OF)
    if neighbours == "substitute":
        what, true, false = f"that their guess of {person}'s values is right", "it is right", "it is wrong"
    else:
        what, true, false = f"that {person} is in the data", f"{person} is in the data", f"{person} is not in the data"
    sentence = (
        f"Somebody who knows everybody else in the data looks at what is published and decides whether to believe "
        f"{what}. If {true}, at most {right} of {OF} possible releases make them believe it, and {wrong} do not. If "
        f"{false}, {wrong} of {OF} make them believe it all the same, and {right} do not."
    )
    question = f"So, if {false}: in how many of {OF} possible releases would they believe {what}?"
    options, place = _options(guarantee.wrong, wrong, guarantee.right, right)
    return CheckQuestion(sentence, question, options, place)


def _options(share: float, answer: str, other: float, complement: str) -> tuple[tuple[str, ...], int]:
    """Different answers, the smallest first, and where the right one is."""
    rare = answer.startswith("fewer")
    candidates = [(share, answer), (other, complement)]
    candidates += [(value, text) for value, text in _OTHERS if not (rare and value in (0.0, 1.0))]
    found: dict[str, float] = {}
    for value, text in candidates:
        if len(found) < MOST and text not in found:
            found[text] = value
    ordered = sorted(found, key=lambda text: found[text])
    return tuple(ordered), ordered.index(answer)
