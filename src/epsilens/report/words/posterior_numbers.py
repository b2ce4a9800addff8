"""How numbers of the Bayesian adversary read: probabilities, ratios, priors, and whose they are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from epsilens.report.words.common import Note

_MOST_DIGITS = 16
_TINY = 1e-12
_OF_ONE_WHO_IS_THERE = Note(
    "right decision: how often the attacker's best guess about a person who is there is that they are."
)

FAMILIES = Note("people: how many share what is to be learnt, so that they are there together or not at all.")


def shared_note(family: int) -> list[str]:
    """What a family is, where there is one."""
    if family == 1:
        return []
    return [f"{family:,} people share what is to be learnt: they are there together or not at all."]


def chance(probability: float, digits: int = 4, bars: Sequence[float] = ()) -> str:
    """A probability with four decimals, or as many figures where it would read as 0.

    It never reads as 1, nor as one of ``bars``, unless it is: a sentence that decides by a bar must not show it.
    """
    if 0 < probability < 10.0 ** (1 - digits):
        return f"{probability:.{digits - 1}g}"
    return _apart(probability, digits, (1.0, *bars))


def ratio(value: float, digits: int = 4, bars: Sequence[float] = ()) -> str:
    """How many times the prior: decimals, or figures where there would be too many or too few; none of ``bars``."""
    if value and not 0.01 <= value < 1e6:
        return f"{value:.{digits}g}"
    return _apart(value, digits, bars)


def _apart(value: float, digits: int, bars: Sequence[float]) -> str:
    """``value`` with as many decimals as it takes to read differently from all bars that it is not."""
    others = [bar for bar in bars if bar != value]
    while digits < _MOST_DIGITS and any(f"{value:.{digits}f}" == f"{bar:.{digits}f}" for bar in others):
        digits += 1
    return f"{value:.{digits}f}"


def plain(value: float) -> str:
    """A number as it was given: 1000003 and not 1e+06, 0.99999999 and not 1."""
    if math.isfinite(value) and value == math.floor(value) and abs(value) < 1e15:
        return f"{value:.0f}"
    text = f"{value:.6g}"
    return text if float(text) != math.floor(float(text)) or abs(value) >= 1e15 else f"{value:.16g}"


def prior_text(prior: float) -> str:
    """A prior as people write it: 0.02, or 1/864 where a decimal would not say it."""
    if float(f"{prior:.4g}") == prior:
        return f"{prior:.4g}"
    others = round(1.0 / prior) if prior > _TINY else 0
    return f"1/{others}" if others and 1.0 / others == prior else short(prior)


def target(family: int) -> str:
    """Whom the attacker is after: a person, or people who share what is to be learnt."""
    return "person" if family == 1 else f"family of {family:,}"


def who(present: bool, family: int = 1) -> str:
    """Whose risk an average is."""
    return f"a {target(family)} who {'is' if family == 1 else 'are'}{'' if present else ' not'} there"


def if_there(present: bool, family: int = 1) -> str:
    """Under which truth a probability is."""
    return f"if the {'person' if family == 1 else 'family'} is{'' if present else ' not'} there"


def of_whom(present: bool, family: int = 1) -> Note:
    """What a right decision is, and about whom."""
    if family > 1:
        return Note(
            f"right decision: how often the attacker's best guess about {who(present, family)} is that they are"
            f"{'' if present else ' not'}."
        )
    if present:
        return _OF_ONE_WHO_IS_THERE
    return Note(
        "right decision: how often the attacker's best guess about a person who is not there is that they are not."
    )


def if_absent(present: bool, family: int = 1) -> str:
    """What a title says of averages that are not those of a person who is there."""
    return "" if present and family == 1 else f", of {who(present, family)}"


def short(prior: float) -> str:
    """A prior with four figures, unless that reads as 0 or 1."""
    text = f"{prior:.4g}"
    return plain(prior) if float(text) in (0.0, 1.0) else text


def chance_in_table(probability: float) -> str:
    """A probability, where below a point nobody asks how small it is, nor whether it fell below the least number."""
    return f"< {_TINY:g}" if probability < _TINY else chance(probability)
