"""Plain and true sentences about results, the same ones in the terminal, in reports and in the workbench."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from epsilens.budget import Budget
from epsilens.errors import counted as counted
from epsilens.errors import verb as verb
from epsilens.notebook import INTERNAL as INTERNAL

NO_GUARANTEE = "without noise there is no guarantee against others"
"""What never is left unsaid where an attack needs no noise."""

_MOST_DIGITS = 15
_EQUAL = 1e-9  # numbers closer than this are equal but for rounding error


_ONE_IN_A_MILLION = 1e-6


def percent(share: float) -> str:
    """A share in per cent with one decimal; tiny but positive shares say so, as do those just below all."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def finer_percent(*shares: float) -> list[str]:
    """Shares in per cent that stand in one sentence: :func:`percent`, or with digits enough to tell them apart.

    Shares below one in a million are alike.
    """
    plain = [percent(share) for share in shares]
    apart = len({max(share, _ONE_IN_A_MILLION) if share > 0 else share for share in shares})
    if len(set(plain)) == len(set(shares)) or (apart == 1 and len(set(plain)) == 1):
        return plain
    for digits in range(2, 6):
        plain = ["< 0.0001 %" if 0 < share < _ONE_IN_A_MILLION else f"{100 * share:.{digits}g} %" for share in shares]
        if len(set(plain)) >= apart:
            break
    return plain


def percent_beside(share: float, *others: float) -> str:
    """A share in per cent, with as many decimals as it takes to stand on the right side of the ``others``.

    What is below another number, or above it, looks so; what equals one but for rounding error looks equal.
    """
    short = percent(share)
    if short.startswith("<"):
        enough = all(other >= 0.001 for other in others)
    elif short.startswith(">"):
        enough = all(other <= 0.999 for other in others)
    else:
        enough = all(_tells_apart(round(100.0 * share, 1), 100.0 * share, 100.0 * other) for other in others)
    if enough:
        return short
    shown = _beside(lambda decimals: f"{100.0 * share:.{decimals}f}", 100.0 * share, [100.0 * x for x in others], 2)
    return f"{shown} %"


def number_beside(value: float, *others: float, digits: int = 4) -> str:
    """A number with ``digits`` digits, or as many more as it takes to stand on the right side of the ``others``."""
    return _beside(lambda more: f"{value:.{more}g}", value, others, digits)


def _beside(text: Callable[[int], str], value: float, others: Sequence[float], least: int) -> str:
    for digits in range(least, _MOST_DIGITS):
        if all(_tells_apart(float(text(digits)), value, other) for other in others):
            return text(digits)
    return text(_MOST_DIGITS)


def _tells_apart(shown: float, value: float, other: float) -> bool:
    """Whether a rounded number stands to another one as the number itself does."""
    if math.isclose(value, other, rel_tol=_EQUAL):
        return math.isclose(shown, other, rel_tol=_EQUAL)
    return shown < other if value < other else shown > other


DENOMINATORS = (100, 1_000, 100_000)
"""Out of how many a share is said: of 100 wherever that is not below 1."""


def out_of(share: float, of: int) -> str:
    """How many of ``of`` a share is: ``27``, ``fewer than 1``, ``more than 99``; ``none`` where it is 0."""
    if share <= 0.0:
        return "none"
    if share >= 1.0:
        return number(of)
    if of * share < 0.5:
        return "fewer than 1"
    if of * (1.0 - share) < 0.5:
        return f"more than {number(of - 1)}"
    return number(min(of - 1, max(1, round(of * share))))


def frequency(share: float) -> str:
    """A share as a frequency: ``27 of 100``; where that is below 1, ``4 of 1,000``; ``fewer than 1 of 100,000``."""
    of = next((many for many in DENOMINATORS if many * share >= 0.95 or share <= 0.0), DENOMINATORS[-1])
    return f"{out_of(share, of)} of {number(of)}"


def shown_risk(risk: float) -> str:
    """Four decimals; a risk that is not 0 does not read so."""
    return "< 0.0001" if 0.0 < risk < 0.00005 else f"{risk:.4f}"


def number(value: int) -> str:
    """A whole number with thousands separators."""
    return f"{value:,}"


_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman"}


def singular(whom: str) -> str:
    """One of those who are called ``whom``: ``person``, ``patient``, ``family``; ``staff`` stays as it is."""
    if whom.lower() in _IRREGULAR:
        return _IRREGULAR[whom.lower()]
    return f"{whom[:-3]}y" if whom.endswith("ies") else whom if whom.endswith("ss") else whom.removesuffix("s")


def joined(names: Sequence[str], link: str = "and", most: int | None = None) -> str:
    """``a``, ``a and b``, ``a, b and c``, of more than ``most`` ``a, b and 3 more``; none at all are ``nothing``."""
    shown = list(names) if most is None or len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    if len(shown) < 2:
        return shown[0] if shown else "nothing"
    return f"{', '.join(shown[:-1])} {link} {shown[-1]}"


def budget_text(budget: Budget) -> str:
    """``epsilon = 1, delta = 1e-06``."""
    return ", ".join(f"{name} = {value:g}" for name, value in vars(budget).items())


@dataclass(frozen=True)
class Heading:
    """The name of what follows."""

    text: str


@dataclass(frozen=True)
class Text:
    """A sentence or several, indented by some columns; an empty one is a blank line."""

    text: str = ""
    indent: int = 0


@dataclass(frozen=True)
class Note:
    """A remark in small print."""

    text: str
    indent: int = 2


@dataclass(frozen=True)
class Verdict:
    """A sentence behind a mark that says how it turned out."""

    mark: str
    tone: Literal["good", "bad", ""]
    text: str


@dataclass(frozen=True)
class Grid:
    """Rows of texts under headings; the first ``words`` columns are words, the others numbers."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 0
    tight: bool = False
    """Whether columns stand close, so that many of them fit a narrow page."""
    keys: int = 1
    """How many columns say whose row it is, words or not; they are repeated where a page is too narrow for all."""


Block: TypeAlias = Heading | Text | Note | Verdict | Grid
"""What a result is told in. Faces style blocks; what they say is the same everywhere."""

BLANK = Text()


def report_written(path: object, internal: bool = True) -> str:
    """Where the report is, and whether it may be published."""
    return f"Report written to {path} ({'internal' if internal else 'publishable'})."


def chart_written(path: object, internal: bool = True) -> str:
    """Where the chart is, and whether it is computed from true data."""
    return f"Chart written to {path}{' (internal)' if internal else ''}."
