"""What print says, and how it is checked: numbers, formulas and statements. No verdicts here: see ``verdicts.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from epsilens.reproduce.data import Data
from epsilens.reproduce.printed import Printed


@dataclass(frozen=True)
class Estimate:
    """A simulated value with its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class Between:
    """All that is known of a value without a file that would tell: it lies between two numbers."""

    low: float
    high: float
    needs: str
    """The file that is not there."""
    because: str
    """What it would tell, as an end of the sentence: it lies there ... ``whatever their races are``."""


Value: TypeAlias = float | Estimate | Between
Compute: TypeAlias = Callable[[Data], Value]


@dataclass(frozen=True)
class Reading:
    """Another way to come to what is printed than the one that print states.

    A ``slip`` is a misprint: what is meant is clear and print says something else. Any other reading is another model.
    """

    name: str
    """As an end of the sentence: it is what one gets ... ``with the count 0 in the place of 1``."""
    compute: Compute
    slip: bool = False


@dataclass(frozen=True)
class Place:
    """Where it stands, and what is said there, in our own words."""

    paper: str
    where: str
    """``Table 4, x* = 2``. What stands before the first comma is what rows are gathered by."""
    what: str
    departs: str | None = None
    """The entry of docs/departures.md that explains it, where there is one."""
    in_print: bool = True
    """Not of what print leaves out, nor of our own function beside print's formula."""


@dataclass(frozen=True)
class Number:
    """A number that is printed."""

    place: Place
    printed: Printed
    stated: Compute | None
    """What print says that the number is, computed by its own formula or recipe, exactly where that has a law.

    None of what nobody can come to again; ``leaves_open`` says why.
    """
    exact: Compute | None = None
    """What is true of what the number speaks of, where that is something else: of a bound, what it bounds."""
    error: Callable[[Data], float] | None = None
    """The standard error of print's own simulation."""
    readings: tuple[Reading, ...] = ()
    leaves_open: str | None = None
    """What print does not say and the number depends on: ``which partners are drawn``."""
    bounds: bool = False
    """Whether print gives it as something that ``exact`` does not exceed."""


@dataclass(frozen=True)
class Formula:
    """An equation, evaluated as it is printed and as it is true, in many cases."""

    place: Place
    text: str
    """The formula in a few words or symbols."""
    printed: Callable[[Any], float]
    true: Callable[[Any], float]
    """By brute force or by an exact computation that shares nothing with the printed formula."""
    cases: Sequence[Any]
    relation: Literal["equals", "is at least", "is at most"] = "equals"
    """How the printed formula stands to the truth."""
    mended: tuple[tuple[str, Callable[[Any], float]], ...] = ()
    """How it may have been meant, each with what is to be changed."""
    tolerance: float = 1e-9
    """Relative to the truth, and absolutely."""
    told: Callable[[Any], str] = str
    """A case in words."""


@dataclass(frozen=True)
class Finding:
    """Whether something holds, and what was seen."""

    holds: bool
    seen: str
    """The evidence, or the counterexample: numbers, computed."""


@dataclass(frozen=True)
class Statement:
    """A sentence about all cases, or about some, that can be checked."""

    place: Place
    text: str
    """What is claimed, in our own words."""
    check: Callable[[Data], Finding]
    readings: tuple[tuple[str, Callable[[Data], Finding]], ...] = ()
    """Other models under which it holds."""
    slips: tuple[tuple[str, Callable[[Data], Finding]], ...] = ()
    """What is to be changed in it, where what is meant is clear: then it holds, and is a misprint."""


Claim: TypeAlias = Number | Formula | Statement


def everywhere(cases: Iterable[Any], holds: Callable[[Any], bool], told: Callable[[Any], str] = str) -> Finding:
    """Whether something holds in all cases; if not, the first one in which it does not."""
    number = 0
    for case in cases:
        number += 1
        if not holds(case):
            return Finding(False, told(case))
    return Finding(True, f"in all of {number:,} cases")
