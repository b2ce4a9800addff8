"""What the charts of a choice have in common: titles, axes, sizes."""

from __future__ import annotations

from typing import Any

from epsilens.choice.choose.budget_choice import BudgetChoice
from epsilens.choice.choose.dial import RiskDial
from epsilens.report.charts.common import NUMBER, Chart, styled, subtitle_lines

WIDTH, HEIGHT = 520, 320
_MOST_NAMED = 4


def risk_title(dial: RiskDial) -> str:
    """What is on the axis of risks: the aggregate, of a ratio where the measure is one."""
    return dial.aggregate.words.replace("risk", quantity(dial), 1)


def quantity(dial: RiskDial) -> str:
    """What a measure is in: a risk, one that counts some values more than once, or a ratio."""
    if dial.measure == "posterior-ratio":
        return "posterior / prior"
    weighted = dial.prepared is not None and bool((dial.table.label_weights > 1).any())
    return "weighted risk" if weighted else "risk"


def risk_axis(choice: BudgetChoice) -> dict[str, Any]:
    """How the axis of risks is written."""
    return {"format": risk_format(choice.dial.measure), "tickCount": 6}


def risk_format(measure: str) -> str:
    """Risks are written in per cent, ratios as numbers."""
    return NUMBER if measure == "posterior-ratio" else "~%"


def about(choice: BudgetChoice) -> str:
    """What a choice is about."""
    return subject(choice.dial)


def subject(dial: RiskDial) -> str:
    """What is to be kept: an attribute of a table, or whether somebody is in a group of a hierarchy."""
    return "being found in a group" if dial.attack is not None else " x ".join(dial.table.sensitive)


def measure_text(choice: BudgetChoice) -> str:
    """The measure, with the attack on a hierarchy."""
    attack = f", {choice.dial.attack} attack" if choice.dial.attack is not None else ""
    return f"{choice.dial.measure} measure{attack}"


def levels_text(choice: BudgetChoice) -> str:
    """How many levels, or tables, the budget is spent on."""
    levels = len(choice.dial.shares)
    if choice.dial.attack is None:
        return f" in each of {levels} tables" if levels > 1 else ""
    return f" over all {levels} levels" if levels > 1 else ""


def noise_text(choice: BudgetChoice) -> str:
    """The noise, and the delta that stays fixed."""
    delta = f", delta = {choice.dial.delta:g}" if choice.dial.delta is not None else ""
    return f"{choice.dial.mechanism} noise{delta}"


def harm_text(dial: RiskDial) -> str:
    """Which values count as harm, where that was declared, to stand behind the noise."""
    if dial.attack is not None or dial.asked.posterior or not dial.table.harm.weights:
        return ""
    named = [
        f"{column}={value}" + (f" ({weight:g} times)" if weight != 1 else "")
        for column, values in dial.table.harm.weights.items()
        for value, weight in values.items()
    ]
    listed = ", ".join(named) if len(named) <= _MOST_NAMED else f"{len(named)} values"
    return f"; harmful: {listed}"


def finished(chart: Chart, title: str, subtitle: str, height: int = HEIGHT) -> Chart:
    """The chart with its title, as large as all of them."""
    import altair as alt

    said = alt.Title(title, subtitle=subtitle_lines(f"{subtitle}. Internal."))
    return styled(chart.properties(width=WIDTH, height=height, title=said))
