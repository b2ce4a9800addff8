"""The terms in which a choice is told: what is to be kept, a risk beside its ceiling, an end on the safe side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from epsilens.report.words.common import counted, number, number_beside, percent, percent_beside
from epsilens.report.words.falling import reason
from epsilens.report.words.posterior import prior_text

Answer = Mapping[str, Any]
"""The JSON of an answer."""


def goal(answer: Answer) -> str:
    """What is to be kept: who is at most at which risk."""
    ceiling = risk_text(answer, answer["max_risk"], exact=True) + _gain(answer)
    if answer["max_people"] is not None:
        if answer["max_people"] == 0:
            return f"everybody's {_measure(answer)} risk at or below {ceiling}"
        return f"at most {counted(answer['max_people'], 'person')} at a {_measure(answer)} risk above {ceiling}"
    return f"the {answer['aggregate_words']} ({_measure(answer)}) at or below {ceiling}"


def _gain(answer: Answer) -> str:
    """Where the ceiling comes from, if it was given as a point above the prior."""
    if answer.get("max_gain") is None:
        return ""
    return f" ({answer['max_gain']:g} above the prior of {prior_text(answer['prior'])})"


def _measure(answer: Answer) -> str:
    """The measure, with what else decides the number it gives."""
    shared = f", of a family of {number(answer['family'])}" if answer.get("family") else ""
    if answer.get("attack") is not None:
        return f"{answer['measure']}, {answer['attack']} attack{shared}"
    if shared:
        return f"{answer['measure']}{shared}"
    several = {"max": ", largest of the attributes", "sum": ", sum of the attributes"}
    if answer.get("publish") == "separate" and answer["attributes"] == "joint":
        return f"{answer['measure']}, combination of the attributes"
    return f"{answer['measure']}{several.get(answer.get('attributes') or 'joint', '')}"


def exceed(count: int) -> str:
    """How many people exceed something."""
    return {0: "Nobody exceeds", 1: "1 person exceeds"}.get(count, f"{number(count)} people exceed")


def risk_text(answer: Answer, value: float, *others: float, exact: bool = False) -> str:
    """A risk in per cent, a ratio as a number; ``exact`` is for a ceiling, whose digits the user chose.

    A risk is told with as many digits as it takes to see on which side of the ceiling, and of ``others``, it is.
    """
    if answer.get("max_gain") is not None and math.isclose(value, answer["max_risk"], rel_tol=1e-6):
        exact, value = True, float(f"{answer['max_risk']:.4g}")  # a ceiling that was added up has digits nobody chose
    if answer["measure"] == "posterior-ratio":
        return f"{value:.10g}" if exact else number_beside(value, answer["max_risk"], *others)
    if exact:
        return f"{100 * value:.10g} %" if 100 * value != round(100 * value, 1) else percent(value)
    return percent_beside(value, answer["max_risk"], *others)


def error_text(answer: Answer, error: float) -> str:
    """An error in people, with as many digits as it takes to see on which side of its ceiling it is."""
    return number_beside(error, *([] if answer["max_error"] is None else [answer["max_error"]]), digits=3)


def noise_text(answer: Answer) -> str:
    """The noise, with what else decides how much there is."""
    fixed = f" and delta = {answer['delta']:g}" if answer["delta"] is not None else ""
    return f"{answer['mechanism']} noise{fixed}, {answer['neighbours']} neighbours"


def where_least(answer: Answer) -> str:
    """At which budget the risk is least."""
    if answer["floor_at"] is None:
        return "that of the table without noise"
    if answer["floor_at"] == 0:
        return f"approached as {answer['parameter']} tends to 0"
    return f"at {answer['parameter']} = {answer['floor_at']:.4g}"


def rounded_to_safety(value: float, up: bool = False, digits: int = 4) -> str:
    """A number with a few digits, rounded down (an upper end) or ``up`` (a lower end), so that it stays safe."""
    if value == 0:
        return "0"
    exact = Decimal(repr(value))
    step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(step, ROUND_CEILING if up else ROUND_FLOOR)):g}"


def why_it_falls(answer: Answer) -> str:
    """Why a risk falls as the budget grows, as the end of a sentence; empty where it is not known."""
    if answer.get("attack") is not None:
        return ""
    if answer["measure"].startswith("posterior"):
        return ", because a noisy count that is stronger evidence becomes rarer with less noise"
    return f", because {reason(answer['measure'])}"
