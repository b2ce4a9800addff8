"""The sentences of the dial: one budget at a time, both framings in one sentence, everything out of 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from epsilens.checks import written
from epsilens.choice.choose.at_budget import AtBudget
from epsilens.choice.questions.dial import Shown
from epsilens.choice.questions.dial_cost import Cost
from epsilens.choice.questions.dial_guarantee import Guarantee
from epsilens.errors import ParameterError
from epsilens.report.words.common import frequency, number, number_beside, out_of, percent_beside
from epsilens.report.words.spread import spread_sentence

PRIORS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""What an attacker may have believed beforehand."""
EVEN = 0.5
WEAK = 0.9
"""A guarantee is marked from where a belief of 50 % can become this."""
NEARLY = 0.995
"""What is above is more than 99 %, and what is as near to 0 less than 1 %."""
NEXT_TO_NOTHING = 1e-12
OF = 100
"""The one denominator."""


@dataclass(frozen=True)
class Names:
    """Whom the sentences are about: one person by name, and what all of them are called."""

    person: str = "Ana"
    people: str = "people"

    @staticmethod
    def of(about: Mapping[str, Any]) -> Names:
        """As somebody says ``about`` their data; where nothing is said, the usual ones."""
        return Names(**{name: str(about[name]) for name in ("person", "people") if about.get(name)})

    def __post_init__(self) -> None:
        for name, said in vars(self).items():
            if not written(name, said).strip():
                raise ParameterError("must be a name", parameter=name, remedy="take `Ana` and `people`, for example")


@dataclass(frozen=True)
class Worlds:
    """The two worlds that an attacker wants to tell apart, in words."""

    setting: str
    if_not: str
    if_so: str
    claim: str


def worlds(neighbours: str, names: Names, place: str = "the table") -> Worlds:
    """What a person's neighbours in the sense of differential privacy mean for a person with a name."""
    who = names.person
    if neighbours == "add-remove":
        return Worlds(
            f"{who} is in {place}, or is not. Somebody who knows everybody else sees what is published and decides "
            "which.",
            f"If {who} is not in {place}",
            f"If {who} is in {place}",
            f"that {who} is in it",
        )
    return Worlds(
        f"{who}'s record is the one that somebody suspects, or another one. They know everybody else, see what is "
        "published and decide which.",
        f"If {who}'s record is another one",
        f"If {who}'s record is the suspected one",
        "that it is the suspected one",
    )


def uncertain(share: float) -> float:
    """A share of possible releases, which noise leaves neither at none nor at all, however a number is rounded."""
    return min(max(share, NEXT_TO_NOTHING), 1.0 - NEXT_TO_NOTHING)


def convinced(share: float, world: str, claim: str) -> str:
    """How many of 100 possible releases convince the attacker in one world, and how many do not."""
    yes, no = out_of(uncertain(share), OF), out_of(uncertain(1.0 - share), OF)
    return (
        f"{world}: of {OF} possible releases, {yes} {_verb(yes, 'makes', 'make')} the attacker believe {claim}, "
        f"{no} {_verb(no, 'does', 'do')} not."
    )


def belief_sentence(found: Guarantee, prior: float) -> str:
    """What a belief can become at most and at least."""
    high, low = found.belief(prior), 1.0 - found.belief(1.0 - prior)
    rises = "above 99 %" if high > NEARLY else f"to {belief_text(high)} at most"
    falls = "below 1 %" if low < 1.0 - NEARLY else f"to {belief_text(low)}"
    but = f", but for a chance of {found.chance:g}" if found.chance > 0 else ""
    return f"A belief of {belief_text(prior)} can rise {rises}, or fall {falls}{but}."


def belief_text(share: float) -> str:
    """A belief in whole per cent: ``73 %``, ``less than 1 %``, ``more than 99 %``."""
    if share < 1.0 - NEARLY:
        return "less than 1 %"
    if share > NEARLY:
        return "more than 99 %"
    shown = min(99, max(1, round(100.0 * share)))
    return f"{shown - 1 if share < WEAK <= shown / OF else shown} %"  # what is not weak does not read so


def is_weak(found: Guarantee) -> bool:
    """Whether a belief of 50 % can become 90 % or more."""
    return found.belief(EVEN) >= WEAK


def basis_sentence(found: Guarantee, parameter: str) -> str:
    """Where the numbers of the guarantee come from."""
    if found.basis == "epsilon":
        return "This is the most that epsilon allows for, whatever the data and whatever else the attacker knows."
    if found.basis == "law":
        return "This is what the noise itself allows for, whatever the data and whatever else the attacker knows."
    return f"This is the most that {parameter} allows for, whatever the data and whatever else the attacker knows."


def shown_sentence(found: Shown, people: str, harmful: bool) -> str:
    """Who is shown rightly, who wrongly, and who is not: of 100 people."""
    value = f"{'harmful ' if harmful else ''}value of {found.attribute}"
    right, wrong = found.right, found.wrong
    neither = max(0.0, 1.0 - right - wrong)
    rounded = (OF - icons(right)[0] - icons(wrong)[0]) / OF  # so that the three add up
    rest = rounded if 0.0 < rounded < 1.0 else neither
    left = "fewer than 1" if rounded <= 0.0 < neither else out_of(rest, OF)
    return (
        f"Of {OF} {people}, {_finely(right)} {_is(right)} in a cell that shows one {value} only, and it is theirs; "
        f"{_finely(wrong)} {_is(wrong)} in a cell that shows one only, and it is not theirs; {left} "
        f"{_verb(left, 'is', 'are')} in neither."
    )


def believing_sentence(found: Shown, harmful: bool) -> str:
    """What believing such a cell is worth, beside guessing; where some values harm, both are about these alone."""
    value = f"{'harmful ' if harmful else ''}value"
    guess = f"guessing the commonest {value} is right {_times(found.guessing)}."
    if found.believing is None:
        return f"No cell shows one {value} only, so there is nothing to believe; {guess}"
    return f"Believing such a cell is right {_times(found.believing)}; {guess}"


def risk_text(at: AtBudget, risk: float, *others: float) -> str:
    """A risk in per cent, a ratio as a number, on the right side of ``others``."""
    return number_beside(risk, *others) if at.of_ratios else percent_beside(risk, *others)


def risk_sentence(at: AtBudget, what: str, ceiling: float | None) -> str:
    """The risk, and on which side of the ceiling it is."""
    if ceiling is None:
        return f"Risk: {risk_text(at, at.risk)}, the {what}."
    side = "above" if at.risk > ceiling else "not above"
    return f"Risk: {risk_text(at, at.risk, ceiling)}, the {what}; {side} the ceiling of {ceiling_text(at, ceiling)}."


def ceiling_text(at: AtBudget, ceiling: float) -> str:
    """The ceiling as it was given."""
    return f"{ceiling:.10g}" if at.of_ratios else f"{100 * ceiling:.10g} %"


def worst_sentence(at: AtBudget, people: str) -> str:
    """Who is worst off; nothing where there is one risk for all by nature."""
    if at.spread is None:
        return ""
    if at.of_ratios:
        return f"Worst off: {risk_text(at, at.spread.worst)}."
    return spread_sentence(at.spread, people)


def interval_sentence(found: Cost, count: int) -> str:
    """Between which numbers a count is published 19 times out of 20."""
    low, high = count - found.half_width, count + found.half_width
    where = f"as {number(count)}" if low == high else f"between {number(low)} and {number(high)}"
    return f"A count of {number(count)} is published {where} at least 19 times out of 20, and elsewhere at most once."


def error_text(error: float) -> str:
    """How far a count is off on average, as a number."""
    if error >= 1000.0:
        return number(round(error))
    return "less than 0.001" if error < 0.001 else number_beside(error, digits=3)


def error_sentence(found: Cost) -> str:
    """How far a count is off on average."""
    return f"On average a count is off by {error_text(found.error)}."


def dots_sentence(found: Cost, count: int) -> str:
    """What twenty tables might say in place of a count."""
    values = ", ".join(number(count + dot) for dot in found.dots)
    return f"In 20 tables you might publish, a count of {number(count)} reads {values}."


def keeps_sentence(keeps: bool) -> str:
    """Whether all of several ceilings are kept."""
    return "This budget keeps every ceiling." if keeps else "This budget does not keep every ceiling."


def icons(share: float) -> list[int]:
    """How many icons of 100 are filled, and how many are only outlined: what is more than none and fewer than one."""
    text = out_of(share, OF)
    if text.startswith("fewer"):
        return [0, 1]
    if text.startswith("more"):
        return [OF - 1, 1]
    return [0 if text == "none" else int(text), 0]


def spoken(parameter: str, budget: float, found: Guarantee) -> str:
    """What a screen reader says of a budget: ``epsilon 1, 73 of 100``."""
    return f"{parameter} {budget:g}, {out_of(uncertain(found.right), OF)} of {OF}"


def _finely(share: float) -> str:
    """``4``, and of what is rare ``fewer than 1 (4 of 1,000)``."""
    shown, finer = out_of(share, OF), frequency(share)
    if not 0.0 < OF * share < 0.95:
        return shown
    return f"next to none ({finer})" if finer.startswith(shown) else f"{shown} ({finer})"


def _times(share: float) -> str:
    """``89 times in 100 and wrong 11``."""
    return f"{out_of(share, OF)} times in {OF} and wrong {out_of(1.0 - share, OF)}"


def _is(share: float) -> str:
    return _verb(out_of(share, OF), "is", "are")


def _verb(how_many: str, of_one: str, of_several: str) -> str:
    return of_one if how_many in ("1", "fewer than 1") else of_several
