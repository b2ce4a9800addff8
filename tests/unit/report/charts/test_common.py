from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import pytest

from epsilens.errors import ParameterError, SourceError
from epsilens.report.charts.common import (
    check_chart_path,
    colours,
    log_ticks,
    save_chart,
    series,
    styled,
    subtitle_lines,
)


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


@pytest.mark.parametrize("many", [1, 7, 8, 15, 16, 40])
def test_no_colour_comes_twice(many: int) -> None:
    assert len(set(colours(many))) == many


def test_of_coinciding_lines_only_the_lowest_is_solid() -> None:
    looks = series("name", [str(i) for i in range(20)], "name")
    dashes = looks["strokeDash"].to_dict()["scale"]["range"]
    assert dashes[0] == [1, 0]
    assert [1, 0] not in dashes[1:]
    assert series("name", ["one"], None)["color"].to_dict()["legend"] is None


def test_ticks_of_log_axes_are_few_and_round() -> None:
    assert log_ticks(0.0005, 200.0) == [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]
    assert log_ticks(0.3, 6.0) == [0.5, 1.0, 2.0, 5.0]


def test_long_subtitles_have_several_lines() -> None:
    assert subtitle_lines("short") == "short"
    assert subtitle_lines("discrete-gaussian noise", 12) == ["discrete-gaussian", "noise"]


def test_a_number_stays_beside_its_name_in_a_subtitle() -> None:
    lines = subtitle_lines("laplace noise, delta = 1e-06. Internal.", 22)
    assert lines == ["laplace noise,", "delta = 1e-06.", "Internal."]
