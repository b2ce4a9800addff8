"""The histogram of cell sizes, with the laws that were fitted to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from epsilens.choice.fit_report import UsedLaw
from epsilens.choice.questions.assessment import Assessment
from epsilens.homogeneity.models.sizes import SizeModel, plain_pmf, truncated_pmf
from epsilens.report.charts.common import PALE, Chart, colours, inline, styled, subtitle_lines

WIDTH, HEIGHT = 560, 300
MOST_BARS = 40
_LONGEST_SUM = 1 << 20


def sizes_chart(assessment: Assessment) -> Chart:
    """Bars: how many cells have each size. Points: how many the fitted laws expect, where a measure uses one."""
    import altair as alt

    sizes = assessment.beside.cell_sizes
    assert sizes is not None  # every assessment of a table has them
    bars = sizes.grouped(MOST_BARS)
    order = [_named(low, high) for low, high, _ in bars]
    rows = [{"size": _named(low, high), "cells": cells} for low, high, cells in bars]
    whom = "people" if assessment.whom == "people" else "rows"
    doubling = "" if len(bars) == bars[-1][1] else ", doubling from bar to bar"
    x = alt.X("size:N", sort=order, title=f"{whom} in a cell{doubling}").axis(labelAngle=0, labelOverlap=True)
    y = alt.Y("cells:Q", title="number of cells").axis(tickMinStep=1)
    layers = [alt.Chart(inline(rows)).mark_bar(color=PALE).encode(x=x, y=y)]
    laws = _by_model(assessment)
    if laws:
        expected = [
            {"size": _named(low, high), "cells": cells, "law": name}
            for name, law in laws.items()
            for (low, high, _), cells in zip(bars, _expected(law, bars, sizes.n_cells), strict=True)
        ]
        legend = alt.Legend(title="expected by the law", labelLimit=420, symbolType="circle")
        points = alt.Chart(inline(expected)).mark_point(filled=True, opacity=1)
        colour = alt.Color("law:N", sort=[*laws], legend=legend).scale(domain=[*laws], range=colours(len(laws)))
        # rings of different sizes, so that of equal numbers none hides another
        ring = alt.Size("law:N", sort=[*laws], legend=None).scale(
            domain=[*laws], range=[40 + 60 * (len(laws) - 1 - i) for i in range(len(laws))]
        )
        layers.append(points.encode(x=x, y=y, color=colour, size=ring))
    said = (
        f"{sizes.n_cells:,} cells of {', '.join(assessment.quasi_identifiers) or 'the table'}, {sizes.mean:.3g} {whom} "
        f"on average, {sizes.singletons:,} with a single one. Internal."
    )
    figure = alt.layer(*layers).properties(
        width=WIDTH, height=HEIGHT, title=alt.Title("Sizes of cells", subtitle=subtitle_lines(said))
    )
    return styled(figure)


def _named(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _by_model(assessment: Assessment) -> dict[str, UsedLaw]:
    """The laws of sizes by a name for the legend; the sizes are the same for every sensitive attribute."""
    found: dict[str, UsedLaw] = {}
    for law in (law for attribute in assessment.beside.attributes for law in attribute.laws):
        if law.of == "sizes":
            given = ", ".join(f"{name} {value:.3g}" for name, value in law.parameters.items())
            whole = "plain" if _plain(law) else "n >= 1"
            found.setdefault(f"{law.name}, {given} ({whole})", law)
    return found


def _plain(law: UsedLaw) -> bool:
    """Whether the printed measures use it, which do not truncate laws to n >= 1."""
    return all(name.startswith("published-") for name in law.measures)


def _expected(law: UsedLaw, bars: list[tuple[int, int, int]], cells: int) -> list[float]:
    """How many of the cells the law expects in each bar; of a plain law some are expected to be empty."""
    model: Any = law.fit.model
    return [cells * _mass(model, low, high, _plain(law)) for low, high, _ in bars]


def _mass(model: SizeModel, low: int, high: int, plain: bool) -> float:
    """P(low <= n <= high); a bar of a million sizes and more is summed at some of them."""
    n = np.arange(low, high + 1) if high - low < _LONGEST_SUM else np.linspace(low, high, _LONGEST_SUM).round()
    chances = (plain_pmf if plain else truncated_pmf)(model, n)
    return float(chances.mean() * (high - low + 1))
