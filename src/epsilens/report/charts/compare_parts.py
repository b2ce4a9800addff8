"""What all charts of a comparison share: their title, and the scale of their values."""

from __future__ import annotations

import math
from typing import Any

from epsilens.choice.comparison import CRITERIA, HARM_CRITERIA, Comparison
from epsilens.report.charts.common import subtitle_lines

NAMES = CRITERIA | HARM_CRITERIA
"""What every criterion is, as charts call it."""
LOWER_IS_BETTER = "lower is better"
HIGHER_IS_BETTER = "higher is better"


def chart_title(comparison: Comparison, criterion: str, with_reference: bool, over: str = "", *more_notes: str) -> Any:
    """What the chart shows, of which attributes, and how to read it."""
    import altair as alt

    better = HIGHER_IS_BETTER if criterion == "accuracy" else LOWER_IS_BETTER
    notes = [better, f"{comparison.settings.get('basis', 'equal epsilon')}"]
    notes = [better, *more_notes] if over else notes
    if criterion == "delta" and not over:
        notes.append("full: exact, hollow: published")
    if with_reference:
        notes.append(f"{'grey' if over else 'dashed'}: without protection")
    heading = NAMES[criterion][0].upper() + NAMES[criterion][1:]
    heading += over
    about = " x ".join(comparison.settings.get("attributes", ()))
    said = [*([about] if about else []), f"{'; '.join(notes)}. Internal."]
    return alt.Title(heading, subtitle=[line for text in said for line in _lines(text)])


def _lines(text: str) -> list[str]:
    lines = subtitle_lines(text)
    return [lines] if isinstance(lines, str) else lines


def value_range(values: list[float], comparison: Comparison, criterion: str) -> tuple[float, float]:
    """The smallest and the largest value, that of the table without protection included."""
    reference = comparison.baseline.get(criterion)
    everything = [*values, *([reference] if reference is not None else [])]
    if criterion == "delta":
        everything += [0.0, 1.0]
    return min(everything), max(everything)


def value_scale(lowest: float, highest: float, values: list[float]) -> tuple[Any, dict[str, Any]]:
    """Linear from zero; logarithmic beyond the smallest value where values span more than a factor of fifty.

    With it the tick values, where they are not to be left to chance.
    """
    import altair as alt

    positive = [value for value in values if value > 0]
    if positive and highest > 50 * min(positive) and highest > 1:
        start = max(min(positive), highest / 1e5)
        powers = range(math.floor(math.log10(start)), math.ceil(math.log10(highest)) + 1)
        ticks = [0.0, *(10.0**power for power in powers)]
        return alt.Scale(type="symlog", constant=start, domain=[0.0, highest * 1.2]), {"values": ticks}
    if lowest > 0.5 * highest:  # accuracies and the like: zero would squeeze them into a corner
        margin = 0.08 * (highest - lowest) or 0.01
        return alt.Scale(domain=[lowest - margin, highest + margin], zero=False), {}
    return alt.Scale(domain=[0.0, highest * 1.05 if highest > 0 else 1.0]), {}
