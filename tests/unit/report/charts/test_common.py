from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import pytest

from epsilens.errors import ParameterError, SourceError
from epsilens.report.charts.common import check_chart_path, save_chart, styled


def chart() -> Any:
    return alt.Chart(alt.InlineData(values=[{"x": 1.0}])).mark_point().encode(x="x:Q")


def test_places_where_no_chart_can_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"a chart is written as .svg, .png, .html; got 'c.jpg'"):
        check_chart_path(tmp_path / "c.jpg")
    with pytest.raises(SourceError, match="does not exist"):
        check_chart_path(tmp_path / "nowhere" / "c.svg")
    (tmp_path / "c.svg").touch()
    assert check_chart_path(tmp_path / "c.svg") == tmp_path / "c.svg"
    with pytest.raises(SourceError, match="exists"):
        check_chart_path(tmp_path / "c.svg", overwrite=False)


def test_a_page_is_whole_and_asks_for_nothing(tmp_path: Path) -> None:
    save_chart(styled(chart()), tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "INTERNAL" in page
    assert "<title>Epsilens</title>" in page
    assert [path.name for path in tmp_path.iterdir()] == ["c.html"]
