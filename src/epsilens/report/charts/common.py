"""Charts, drawn with Altair and written as SVG, PNG or a self-contained HTML page that fetches nothing."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from epsilens.report.whole_files import check_path, whole_file

Chart: TypeAlias = Any  # an altair chart of any composition; altair itself is imported only to draw

FORMATS = (".svg", ".png", ".html")
# A palette that keeps its order for colour-blind readers and in grey (Okabe and Ito).
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
# Where there are more lines: darker and duller colours (Tol), which no two of the palette are mistaken for.
FURTHER = ["#332288", "#AA4499", "#117733", "#882255", "#999933", "#661100", "#6699CC", "#777777"]
DASHES = [[1, 0], [8, 4], [2, 3], [10, 3, 2, 3], [5, 3], [12, 4, 4, 4], [3, 6]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
GREY = "#888888"
PALE = "#BBBBBB"
DECADES = [10.0**power for power in range(-12, 9)]
NUMBER = ".6~g"
"""Of numbers along an even axis: with its own choice of digits ("~g") it would write 800 as 8e+2."""


def styled(chart: Chart) -> Chart:
    """The chart in the house style, set at once: every step of a chain would copy the whole chart."""
    import altair as alt

    return chart.configure(
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(anchor="start", frame="group", fontSize=15, subtitleColor="#666666", offset=12),
        axis=alt.AxisConfig(labelFontSize=12, titleFontSize=12, titleFontWeight="normal"),
        legend=alt.LegendConfig(labelFontSize=12, symbolStrokeWidth=3, labelLimit=300),
    )


def inline(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as the data of a chart, which all its copies share.

    Altair copies a chart whenever it is put into another, row by row, and would check every row when the data are made;
    a finished chart is checked as a whole.
    """
    return _shared_data()(values=rows)


@cache
def _shared_data() -> type:
    import altair as alt

    class SharedData(alt.InlineData):
        _class_is_valid_at_instantiation = False

        def __deepcopy__(self, _memo: Any) -> SharedData:
            return self

    return SharedData


def colours(wanted: int) -> list[str]:
    """As many colours as wanted, no two the same: the palette, then further ones, then the same ever darker."""
    known = [*PALETTE, *FURTHER]
    return [_darker(known[i % len(known)], i // len(known)) for i in range(wanted)]


def _darker(colour: str, times: int) -> str:
    """The colour with two thirds of its light, so many times; black, which has none, becomes lighter instead."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    for _ in range(times):
        parts = [part * 2 // 3 for part in parts] if any(parts) else [64, 64, 64]
    return "#" + "".join(f"{part:02X}" for part in parts)


def series(field: str, names: Sequence[str], title: str | None) -> dict[str, Any]:
    """Colour and dash of the lines of a chart, by the ``field`` that tells them apart, with a legend for several.

    Every line has its own colour. The first is solid and the others, which lie above it, are dashed: of lines that
    coincide each is seen through the gaps of the next.
    """
    import altair as alt

    many = len(names)
    shown = alt.Legend(title=title, symbolType="stroke", symbolSize=500) if many > 1 else None
    dashes = [DASHES[0] if i == 0 else DASHES[1 + (i - 1) % (len(DASHES) - 1)] for i in range(many)]
    return {
        "color": alt.Color(f"{field}:N", sort=list(names), legend=shown).scale(domain=list(names), range=colours(many)),
        "strokeDash": alt.StrokeDash(f"{field}:N", sort=list(names), legend=shown).scale(
            domain=list(names), range=dashes
        ),
    }


def coloured(field: str, names: Sequence[str]) -> Any:
    """The colour of dots on lines that are a :func:`series`; they need no legend of their own."""
    import altair as alt

    return alt.Color(f"{field}:N", sort=list(names), legend=None).scale(domain=list(names), range=colours(len(names)))


def subtitle_lines(text: str, width: int = 90) -> str | list[str]:
    """A subtitle in as many lines as it needs."""
    glue = "\N{NO-BREAK SPACE}"
    whole = text.replace(" = ", f"{glue}={glue}")  # a number stands beside its name
    lines = [
        line.replace(glue, " ") for line in textwrap.wrap(whole, width, break_on_hyphens=False, break_long_words=False)
    ]
    return text if len(lines) <= 1 else lines


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten between two positive numbers; where these are fewer than three, 1, 2 and 5 of each decade."""
    decades = [tick for tick in DECADES if low <= tick <= high]
    if len(decades) >= 3:
        return decades
    return [float(f"{digit * tick:.3g}") for tick in DECADES for digit in (1, 2, 5) if low <= digit * tick <= high]


def check_chart_path(path: str | os.PathLike[str], overwrite: bool = True) -> Path:
    """The path, refused before any work is done if a chart could not be written there."""
    return check_path(path, "a chart", FORMATS, overwrite)


def save_chart(chart: Chart, path: str | os.PathLike[str], internal: bool = True) -> None:
    """Write a chart; the file appears whole or not at all. A page of its own says whether the chart is internal."""
    target = check_chart_path(path)
    if target.suffix.lower() == ".html":
        from epsilens.report.page.figures import chart_page
        from epsilens.report.page.write import write_page

        write_page(chart_page(chart, internal), target)
        return
    with whole_file(target, 0o644) as partial:
        chart.save(str(partial), scale_factor=2 if target.suffix.lower() == ".png" else 1)
