"""Charts, drawn with Altair and written as SVG, PNG or a self-contained HTML page that fetches nothing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError, SourceError
from epsilens.report.words.common import INTERNAL

Chart: TypeAlias = Any  # an altair chart of any composition; altair itself is imported only to draw

FORMATS = (".svg", ".png", ".html")
# A palette that keeps its order for colour-blind readers and in grey (Okabe and Ito).
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]


def styled(chart: Chart) -> Chart:
    """The chart in the house style."""
    return (
        chart.configure_view(stroke=None)
        .configure_title(anchor="start", fontSize=15, subtitleColor="#666666", offset=12)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
        .configure_legend(labelFontSize=12, symbolStrokeWidth=3, labelLimit=300)
    )


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
