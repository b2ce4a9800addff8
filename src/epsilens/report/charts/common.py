"""Charts, drawn with Altair and written as SVG, PNG or a self-contained HTML page that fetches nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from epsilens.checks import did_you_mean
from epsilens.choice.assessment import Assessment, AttributeToday
from epsilens.choice.curve import RiskCurve
from epsilens.errors import ParameterError, SourceError
from epsilens.report.words.common import INTERNAL

Chart: TypeAlias = Any  # an altair chart of any composition; altair itself is imported only to draw

FORMATS = (".svg", ".png", ".html")
# A palette that keeps its order for colour-blind readers and in grey (Okabe and Ito).
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]


def risk_curve_chart(curves: Sequence[tuple[str, RiskCurve]], assessment: Assessment) -> Chart:
    """Risk against epsilon on a log axis: a line per mechanism and measure, a panel per attribute.

    Dots mark the budgets of the assessment, a thin grey line the risk of the table as it is, without noise.
    """
    import altair as alt

    panels = [_risk_panel(attribute, curves, assessment) for attribute in assessment.today]
    figure = alt.vconcat(*panels) if len(panels) > 1 else panels[0]
    return styled(figure)


def styled(chart: Chart) -> Chart:
    """The chart in the house style."""
    return (
        chart.configure_view(stroke=None)
        .configure_title(anchor="start", fontSize=15, subtitleColor="#666666", offset=12)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
        .configure_legend(labelFontSize=12, symbolStrokeWidth=3, labelLimit=300)
    )


def _risk_panel(attribute: AttributeToday, curves: Sequence[tuple[str, RiskCurve]], assessment: Assessment) -> Chart:
    import altair as alt

    plan = assessment.plan
    lines = [row for name, curve in curves if name == attribute.sensitive for row in curve.to_rows()]
    dots = [
        {"mechanism": line.mechanism, "measure": measure, "epsilon": line.epsilon, "risk": risk}
        for line in assessment.lines
        if line.sensitive == attribute.sensitive
        for measure, risk in line.risks.items()
    ]
    unprotected = attribute.belief.right if plan.weighted else attribute.diagnostics.share_of_homogeneous_cells
    # Colour tells what varies; where mechanisms and measures both do, measures are dashed.
    coloured, names = ("measure", plan.measures) if len(plan.mechanisms) == 1 else ("mechanism", plan.mechanisms)
    top = min(1.0, 1.15 * max(unprotected, *(row["risk"] for row in lines)))
    shared: dict[str, Any] = {
        "x": alt.X("epsilon:Q", title="epsilon (log scale)")
        .scale(type="log", nice=False)
        .axis(format="~g", values=[10.0**power for power in range(-6, 4)], grid=False),
        "y": alt.Y("risk:Q", title=f"risk, average over {'people' if plan.weighted else 'cells'}")
        .scale(domain=[0, top])
        .axis(format="~%", tickCount=6),
        "color": alt.Color(f"{coloured}:N", legend=alt.Legend(title=coloured) if len(names) > 1 else None).scale(
            domain=list(names), range=PALETTE
        ),
    }
    both_vary = len(plan.measures) > 1 and len(plan.mechanisms) > 1
    dashed = {"strokeDash": alt.StrokeDash("measure:N", sort=list(plan.measures))} if both_vary else {}
    curve = alt.Chart(alt.InlineData(values=lines)).mark_line(strokeWidth=2.5).encode(**shared, **dashed)
    points = alt.Chart(alt.InlineData(values=dots)).mark_point(size=45, filled=True, opacity=1).encode(**shared)
    reference_data = alt.InlineData(values=[{"risk": unprotected, "text": "without noise"}])
    reference = alt.Chart(reference_data).mark_rule(color="#888888", strokeDash=[2, 3]).encode(y="risk:Q")
    caption = (
        alt.Chart(reference_data)
        .mark_text(align="left", baseline="bottom", dx=4, dy=-3, color="#666666", fontSize=11)
        .encode(x=alt.value(0), y="risk:Q", text="text:N")
    )
    noise = f"{', '.join(plan.mechanisms)} noise" + (f", delta = {plan.delta:g}" if plan.delta is not None else "")
    measures = f"{plan.measures[0]} measure" if len(plan.measures) == 1 else f"{len(plan.measures)} measures"
    title = alt.Title(f"Homogeneity risk of {attribute.sensitive}", subtitle=f"{measures}; {noise}. Internal.")
    return (reference + caption + curve + points).properties(width=520, height=320, title=title)


def check_chart_path(path: str | os.PathLike[str], overwrite: bool = True) -> Path:
    """The path, refused before any work is done if a chart could not be written there."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise ParameterError(
            f"a chart is written as {', '.join(FORMATS)}; got {target.name!r}{did_you_mean(target.suffix, FORMATS)}"
        )
    if not target.absolute().parent.is_dir():
        raise SourceError(f"folder {str(target.parent)!r} does not exist; create it or choose another place")
    if target.is_dir() or (target.exists() and not overwrite):
        raise SourceError(f"{str(target)!r} exists; choose another name")
    return target


def save_chart(chart: Chart, path: str | os.PathLike[str]) -> None:
    """Write a chart; the file appears whole or not at all."""
    target = check_chart_path(path)
    try:
        handle, temporary = tempfile.mkstemp(suffix=target.suffix.lower(), dir=target.absolute().parent)
    except OSError as problem:
        raise SourceError(f"cannot write {str(target)!r}: {problem.strerror}") from None
    os.close(handle)
    try:
        if target.suffix.lower() == ".html":
            Path(temporary).write_text(_standalone_page(chart), encoding="utf-8")
        else:
            chart.save(temporary, scale_factor=2 if target.suffix.lower() == ".png" else 1)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except OSError as problem:
        raise SourceError(f"cannot write {str(target)!r}: {problem.strerror}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)


def _standalone_page(chart: Chart) -> str:
    """A page with its scripts inside: nothing is fetched when it is opened, and nothing can be sent from it.

    Vega's menu would offer to open the chart, data and all, in an editor on the web; only the export to a file stays.
    """
    import vl_convert

    specification = chart.to_dict()
    specification["usermeta"] = {"embedOptions": {"actions": {"export": True, "source": False, "editor": False}}}
    page: str = vl_convert.vegalite_to_html(specification, bundle=True)
    return page.replace("<title>Chart</title>", f"<title>Epsilens</title>\n    <!-- {INTERNAL} -->", 1)
