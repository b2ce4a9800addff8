"""Verdicts on claims, computed from the numbers alone: the one place that knows their names.

A number is compared with what print says that it is, then with every other reading, in this order:

1. It agrees to the printed digits (rounded, or cut off): *confirmed*.
2. Print simulated it, and it lies within 4 standard errors of the exact value: *confirmed within Monte-Carlo error*.
   Where 4 standard errors are more than half of the value, they would confirm anything and confirm nothing: then it
   is *not reproducible*.
   A value that is only known to lie between two numbers counts as known if these are no further apart than chance
   puts two simulations, and otherwise as *not reproducible* while it may be what is printed.
3. Another reading gives it: a slip is a *misprint*, any other one *another model than stated*.
4. Print leaves open what the number depends on, or the data are not at hand: *not reproducible*, and why.
5. Otherwise it is *false*, and the exact value is the counterexample. So is a bound that does not hold, also where it
   follows from its formula.

A formula is *confirmed* where it stands to the truth as print says in every case, a *misprint* where it does so once
something is changed in it, and otherwise *false*, with the case in which it is furthest from the truth. A statement
is judged in the same way, after which other models are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from epsilens.reproduce.claims import Between, Claim, Estimate, Finding, Formula, Number, Place, Statement, Value
from epsilens.reproduce.data import Data, Missing

CONFIRMED = "confirmed"
MONTE_CARLO = "confirmed within Monte-Carlo error"
MISPRINT = "misprint"
OTHER_MODEL = "follows from another model than stated"
FALSE = "false"
NOT_REPRODUCIBLE = "not reproducible"
VERDICTS = (CONFIRMED, MONTE_CARLO, MISPRINT, OTHER_MODEL, FALSE, NOT_REPRODUCIBLE)

STANDARD_ERRORS = 4.0
MOST_ERROR = 0.5
"""Of the value: what so many standard errors may be at most, to say anything."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Row:
    """A claim with its verdict."""

    paper: str
    place: str
    what: str
    printed: str
    """What stands in print: a number as it is printed, a formula, a statement."""
    published: float | str
    """The number, or the text of what is no number."""
    as_published: float | str | None
    """Ours by print's own formula or recipe; by the reading that explains the number, where one does."""
    exact: float | str | None
    """Ours, exact, or as estimated with ``standard_error``."""
    verdict: str
    why: str
    standard_error: float | None = None
    """Of print's simulation and of ours together, where there is one."""
    departs: str | None = None
    needs: str | None = None
    """The file that has to be there before it can be checked."""
    in_print: bool = True
    """Whether print says it; if not, it is about what print leaves out, or about our own function."""

    @property
    def holds(self) -> bool:
        """Whether print is right."""
        return self.verdict in (CONFIRMED, MONTE_CARLO)

    @property
    def group(self) -> str:
        """The table, figure, equation or section it belongs to."""
        return self.place.split(",")[0]

    def to_dict(self) -> dict[str, Any]:
        """As plain values; ``ours`` is exact wherever it can be."""
        plain = dict(vars(self))
        return {"paper": plain.pop("paper"), "place": plain.pop("place")} | plain | {"ours": plain["exact"]}


@dataclass(frozen=True)
class _Judged:
    verdict: str
    why: str
    as_published: float | str | None
    exact: float | str | None
    error: float | None = None
    needs: str | None = None


def judged(claim: Claim, data: Data) -> Row:
    """The claim with its verdict."""
    if isinstance(claim, Number):
        return _row(claim.place, claim.printed.text, claim.printed.value, lambda: _number(claim, data))
    if isinstance(claim, Formula):
        return _row(claim.place, claim.text, claim.text, lambda: _formula(claim))
    return _row(claim.place, claim.text, claim.text, lambda: _statement(claim, data))


def _row(place: Place, printed: str, published: float | str, judge: Callable[[], _Judged]) -> Row:
    try:
        found = judge()
    except Missing as missing:
        why = f"needs {missing.name}, which is not there"
        found = _Judged(NOT_REPRODUCIBLE, why, None, None, needs=missing.name)
    return Row(
        paper=place.paper,
        place=place.where,
        what=place.what,
        printed=printed,
        published=published,
        as_published=found.as_published,
        exact=found.exact,
        verdict=found.verdict,
        why=found.why,
        standard_error=found.error,
        departs=place.departs,
        needs=found.needs,
        in_print=place.in_print,
    )


def _number(claim: Number, data: Data) -> _Judged:
    if claim.stated is None:
        return _Judged(NOT_REPRODUCIBLE, f"print does not say {claim.leaves_open}", None, None)
    stated = claim.stated(data)
    exact = stated if claim.exact is None else claim.exact(data)
    of_print = 0.0 if claim.error is None else claim.error(data)
    found = _Judged("", "", _plain(stated), _plain(exact), _together(stated, of_print) or None)
    if (verdict := _agreement(claim, stated, of_print)) is not None:
        if claim.bounds and _ends(exact)[0] > claim.printed.value + claim.printed.step + _ROUNDING:
            why = f"it follows from its formula, but what it is to bound is {told(_plain(exact))}"
            return replace(found, verdict=FALSE, why=why)
        return replace(found, verdict=verdict, why=_how_near(claim, stated, of_print, verdict))
    if isinstance(stated, Between) and _may_be(claim, stated, of_print) and not _known(stated, of_print):
        why = f"needs {stated.needs}; without it, it is {told(_plain(stated))}, {stated.because}"
        return replace(found, verdict=NOT_REPRODUCIBLE, why=why + _error_told(found.error), needs=stated.needs)
    for reading in claim.readings:
        value = reading.compute(data)
        if _explains(claim, value, of_print):
            verdict = MISPRINT if reading.slip else OTHER_MODEL
            get = _gets(claim, value, of_print)
            why = f"{get} {reading.name}{_told_between(value)}; as stated it is {told(_plain(stated))}"
            error = _together(value, of_print) or None
            return replace(found, verdict=verdict, why=why, as_published=_plain(value), error=error)
    if claim.leaves_open is not None:
        others = "".join(f", {told(_plain(reading.compute(data)))} {reading.name}" for reading in claim.readings)
        why = f"print does not say {claim.leaves_open}; {told(_plain(stated))} here{others}"
        return replace(found, verdict=NOT_REPRODUCIBLE, why=why)
    why = f"it is {told(_plain(stated))}{_because(stated)}{_error_told(found.error)}"
    if found.error is not None and _may_be(claim, stated, of_print):
        return replace(found, verdict=NOT_REPRODUCIBLE, why=f"{why}, which is too much to tell")
    return replace(found, verdict=FALSE, why=why)


def _agreement(claim: Number, value: Value, of_print: float) -> str | None:
    """The verdict if the value is what is printed."""
    low, high = _ends(value)
    if low == high and not isinstance(value, Estimate) and claim.printed.agrees(low):
        return CONFIRMED
    margin = STANDARD_ERRORS * _together(value, of_print)
    if _known(value, of_print) and margin > 0.0 and _reaches(claim, value, margin, MOST_ERROR):
        return MONTE_CARLO
    return None


def _known(value: Value, of_print: float) -> bool:
    """Whether the two ends of a value are no further apart than chance puts two simulations."""
    low, high = _ends(value)
    return 0.5 * (high - low) <= STANDARD_ERRORS * _together(value, of_print)


def _may_be(claim: Number, value: Value, of_print: float, most: float = math.inf) -> bool:
    return _reaches(claim, value, STANDARD_ERRORS * _together(value, of_print), most)


def _explains(claim: Number, value: Value, of_print: float) -> bool:
    """Whether what is printed is, or may be, this value, as far as not everything may be it."""
    if _agreement(claim, value, of_print) is not None:
        return True
    return isinstance(value, Between) and _may_be(claim, value, of_print, MOST_ERROR)


def _reaches(claim: Number, value: Value, margin: float, most: float) -> bool:
    low, high = _ends(value)
    middle, within = 0.5 * (low + high), 0.5 * (high - low) + margin
    return within <= most * abs(middle) and claim.printed.within(middle, within)


def _ends(value: Value) -> tuple[float, float]:
    if isinstance(value, Between):
        return value.low, value.high
    single = float(value.value if isinstance(value, Estimate) else value)
    return single, single


def _how_near(claim: Number, value: Value, of_print: float, verdict: str) -> str:
    if verdict == CONFIRMED:
        cut = "" if claim.printed.rounds(_ends(value)[0]) else ", cut off after them"
        return f"to the printed digits{cut}" if claim.printed.step else "exactly"
    error, (low, high) = _together(value, of_print), _ends(value)
    away = max(low - claim.printed.value, claim.printed.value - high, 0.0)
    return f"{away / error:.1f} standard errors of {told(error)} away{_because(value)}"


def _gets(claim: Number, value: Value, of_print: float) -> str:
    """How what is printed stands to the value of a reading that explains it."""
    if isinstance(value, Between):
        return "it is within what one gets"
    if _agreement(claim, value, of_print) == CONFIRMED:
        return "it is what one gets"
    error = _together(value, of_print)
    away = abs(claim.printed.value - _ends(value)[0]) / error
    return f"it is {away:.1f} standard errors of {told(error)} from what one gets"


def _because(value: Value) -> str:
    return f", {value.because}" if isinstance(value, Between) else ""


def _told_between(value: Value) -> str:
    return f" ({_plain(value)}, {value.because})" if isinstance(value, Between) else ""


def _together(value: Value, of_print: float) -> float:
    return math.hypot(value.standard_error if isinstance(value, Estimate) else 0.0, of_print)


def _plain(value: Value) -> float | str:
    if isinstance(value, Between):
        return f"{told(value.low)} to {told(value.high)}"
    return _ends(value)[0]


def _error_told(error: float | None) -> str:
    return "" if error is None else f" (print's standard error is {told(error)})"


def told(value: float | str | None) -> str:
    """A number with digits enough to be looked up."""
    if value is None or isinstance(value, str):
        return value or "nothing"
    return "not a number" if math.isnan(value) else f"{value:.6g}"


def _formula(claim: Formula) -> _Judged:
    truths = [claim.true(case) for case in claim.cases]
    values = [claim.printed(case) for case in claim.cases]
    worst = _furthest(claim, values, truths)
    cases = f"{len(claim.cases):,} cases"
    if worst is None:
        value = told(values[0]) if claim.relation == "equals" else f"{told(values[0])} for {told(truths[0])}"
        seen = f"{claim.relation} the truth in all of {cases}, such as {value} at {claim.told(claim.cases[0])}"
        return _Judged(CONFIRMED, seen, values[0], truths[0])
    case = claim.told(claim.cases[worst])
    seen = f"at {case} it is {told(values[worst])}, and {told(truths[worst])} is true"
    found = None if math.isnan(values[worst]) else values[worst]
    for how, formula in claim.mended:
        if _furthest(claim, [formula(case) for case in claim.cases], truths) is None:
            why = f"{how}: then it {claim.relation} the truth in all of {cases}; {seen}"
            return _Judged(MISPRINT, why, found, truths[worst])
    return _Judged(FALSE, seen, found, truths[worst])


def _furthest(claim: Formula, values: list[float], truths: list[float]) -> int | None:
    """The case in which a formula fails most; None where it never does. What is not a number fails at once."""
    excess = [_excess(claim, value, truth) for value, truth in zip(values, truths, strict=True)]
    worst = max(range(len(excess)), key=excess.__getitem__)
    return worst if excess[worst] > 0.0 else None


def _excess(claim: Formula, value: float, truth: float) -> float:
    if math.isnan(value):
        return math.inf
    if value == truth:
        return 0.0
    apart = value - truth
    wrong = {"equals": abs(apart), "is at least": -apart, "is at most": apart}[claim.relation]
    return max(0.0, wrong - claim.tolerance * max(1.0, abs(truth)))


def _statement(claim: Statement, data: Data) -> _Judged:
    found: Finding = claim.check(data)
    if found.holds:
        return _Judged(CONFIRMED, found.seen, found.seen, found.seen)
    slips, models = ((MISPRINT, claim.slips), (OTHER_MODEL, claim.readings))
    others = ""
    for verdict, (name, check) in [(verdict, reading) for verdict, readings in (slips, models) for reading in readings]:
        other = check(data)
        if other.holds:
            return _Judged(verdict, f"it holds {name} ({other.seen}); as stated: {found.seen}", other.seen, found.seen)
        others += f"; {name}: {other.seen}"
    return _Judged(FALSE, found.seen + others, None, found.seen)
