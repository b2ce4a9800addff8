from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from epsilens.report.charts.common import save_chart
from epsilens.report.charts.reproduce import drawing_chart
from epsilens.reproduce.drawings import Panel, Series
from tests.support.reproduction import PANELS, drawing


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_every_kind_of_panel_is_drawn(columns: int, tmp_path: Path) -> None:
    save_chart(drawing_chart(drawing(columns)), path := tmp_path / "figure.svg", internal=False)
    text = path.read_text()
    for panel in PANELS:
        assert panel.title in text
    assert "P3 Figure 1: every kind of panel" in text


def test_a_legend_has_room_for_a_wider_font() -> None:
    """Of letters as wide as those of DejaVu Sans, where the chart was measured with narrower ones."""
    short, long = ("a", "b"), ("n = 1000, sanitized", "n = 1000, original")
    rooms = []
    for names in (short, long):
        lines = [Series(name, [0, 1], [1, 2]) for name in names]
        chart = drawing_chart(replace(drawing(1), panels=[Panel("a", "x", "y", lines)]))
        rooms.append(chart.to_dict()["padding"]["right"])
    assert rooms[1] >= 5 + 1.8 * len(long[0])
    assert rooms[0] < rooms[1]


def test_numbers_and_titles_of_axes_stay_apart_in_a_wider_font() -> None:
    config = drawing_chart(drawing()).to_dict()["config"]
    assert config["axisX"]["labelSeparation"] >= 10
    assert config["axisY"]["titlePadding"] >= 12
    assert config["axis"]["labelFontSize"] == 12


def test_few_places_on_a_logarithmic_axis_are_all_told() -> None:
    for places, ticks in (((0.5, 1.0, 2.0, 4.0), "[0.5, 1.0, 2.0, 4.0]"), (tuple(range(1, 9)), "[1.0, 2.0, 5.0]")):
        panel = Panel("a", "x", "y", [Series("a", places, [1.0] * len(places))], log_x=True)
        text = json.dumps(drawing_chart(replace(drawing(1), panels=[panel])).to_dict())
        assert f'"values": {ticks}' in text


def test_a_single_panel() -> None:
    chart = drawing_chart(replace(drawing(1), panels=PANELS[:1]))
    assert chart.to_dict()["description"].endswith("The lines rise from 1 to 3.")


def _domains(*panels: Panel) -> set[str]:
    found: set[str] = set()

    def look(part: object) -> None:
        for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            look(value)
        if isinstance(part, dict) and isinstance(part.get("color"), dict):
            found.add(json.dumps(part["color"]["scale"]["domain"]))

    look(drawing_chart(replace(drawing(2), panels=panels)).to_dict())
    return found


def test_a_name_has_one_colour_in_all_panels_with_that_legend() -> None:
    some = (Panel("a", "x", "y", [Series("one", [0, 1], [1, 2])]),)
    others = (Panel("b", "x", "y", [Series("two", [0, 1], [1, 2]), Series("one", [0, 1], [2, 1])]),)
    assert _domains(*some, *others) == {'["one", "two"]'}
    tiles = [
        Panel(said, "x", "y", [Series("", [0, 1], [0, 0], words)], "map", legend="decision")
        for said, words in (("never", ["no", "no"]), ("once", ["no", "yes"]))
    ]
    assert _domains(*tiles) == {'["no", "yes"]'}
    assert _domains(*tiles, *others) == {'["no", "yes"]', '["two", "one"]'}


def test_a_legend_beside_its_panel_lists_what_that_has() -> None:
    """Where a figure has several legends; one for all panels has all names."""
    one, both = ([Series(name, [0, 1], [1, 2]) for name in names] for names in ("b", "ab"))
    panels = [Panel("few", "x", "y", one, legend="some"), Panel("all", "x", "y", both, legend="some")]
    other = Panel("others", "x", "y", [Series("c", [0, 1], [1, 2])], legend="others")
    for drawn, listed in (([*panels, other], {'["b"]', '["b", "a"]'}), (panels, {'["b", "a"]'})):
        text = json.dumps(drawing_chart(replace(drawing(2), panels=drawn)).to_dict())
        assert set(re.findall(r'"values": (\["[^]]*\])', text)) == listed


@pytest.mark.parametrize("heights", [[1, 2.0], [0, 3], [0, 1]])
def test_people_are_counted_in_whole_numbers(heights: list[float], tmp_path: Path) -> None:
    bars = Panel("bars", "x", "y", [Series("a", ["p", "q"], heights)], "bar")
    save_chart(drawing_chart(replace(drawing(1), panels=[bars])), path := tmp_path / "bars.svg", internal=False)
    ticks = re.findall(r">([0-9.]+)</text>", path.read_text())
    assert ticks == [str(number) for number in range(int(max(heights)) + 1)]


def test_lines_across_a_panel_are_named_where_nothing_can_point_at_them() -> None:
    text = json.dumps(drawing_chart(replace(drawing(1), panels=PANELS[:2])).to_dict())
    assert text.count('"type": "text"') == 2 * 2
    assert text.count('"stroke": "white"') == 2  # below each name, so that no line strikes it through


def test_many_whole_numbers_of_a_map_have_round_ticks() -> None:
    y = list(range(-30, 31))
    tiles = Panel("many", "x", "y", [Series("", [0] * len(y), y, [0.5] * len(y))], "map")
    text = json.dumps(drawing_chart(replace(drawing(1), panels=[tiles])).to_dict())
    assert '"values": [-30, -20, -10, 0, 10, 20, 30]' in text


def test_titles_of_panels_are_no_wider_than_these_and_have_as_many_lines() -> None:
    short = Panel("short", "x", "y", [Series("a", [0, 1], [1, 2])])
    titled = replace(short, title="a title of a panel that is much longer than the panel is wide, as it happens")
    told = drawing_chart(replace(drawing(3), panels=[short, titled])).to_dict()
    titles = [part["title"]["text"] for part in told["concat"]]
    assert [len(lines) for lines in titles] == [2, 2]
    assert titles[0] == [" ", "short"]
    named = replace(short, title="a law of print's own sampler at x1* = 1")
    told_beside = drawing_chart(replace(drawing(3), panels=[named, named])).to_dict()
    assert told_beside["concat"][0]["title"]["text"] == ["a law of print's own sampler at", "x1* = 1"]
    assert told["columns"] == 3


def test_long_names_of_bars_are_turned_and_many_boxes_slim() -> None:
    names = [f"{n}00-{n}99" for n in range(1, 10)]
    bars = Panel("bars", "x", "y", [Series("a", names, [1.0] * 9)], "bar")
    boxes = Panel("boxes", "x", "y", [Series(s, [*names, *names], [1.0] * 18) for s in "abc"], "box")
    text = json.dumps(drawing_chart(replace(drawing(3), panels=[bars, boxes])).to_dict())
    assert '"labelAngle": -45' in text
    (size,) = {float(found) for found in re.findall(r'"size": ([0-9.]+)', text)}
    assert size == pytest.approx(0.3 * 230 / 27)
    assert '"paddingInner": 0.5' in text


def test_a_legend_of_lines_with_bands_is_not_pale() -> None:
    lines = [Series(name, [0, 1], [1, 2], low=[0.5, 1.5], high=[1.5, 2.5]) for name in ("a", "b")]
    text = json.dumps(drawing_chart(replace(drawing(1), panels=[Panel("bands", "x", "y", lines)])).to_dict())
    assert text.count('"symbolOpacity": 1') == 3


def test_the_legend_of_numbers_is_a_gradient() -> None:
    import vl_convert

    tiles = Series("", [0, 1], [0, 0], [0.25, 0.75])
    panels = [Panel(name, "x", "y", [tiles], "map", legend="risk") for name in ("one", "two")]
    vega = vl_convert.vegalite_to_vega(drawing_chart(replace(drawing(2), panels=panels)).to_dict())
    found: list[dict[str, object]] = []

    def look(part: object) -> None:
        if isinstance(part, dict):
            found.extend(part.get("legends", []))
        for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            look(value)

    look(vega)
    assert [sorted({"fill", "stroke"} & set(legend)) for legend in found] == [["fill"]]  # two scales: symbols


def test_names_of_lines_across_each_other_are_at_different_ends() -> None:
    line = Series("one", [0, 1], [1, 2])
    for verticals, align in (((), "left"), ((("here", 0.5),), "right")):
        panel = Panel("a", "x", "y", [line], horizontals=(("level", 1.5),), verticals=verticals)
        text = json.dumps(drawing_chart(replace(drawing(1), panels=[panel])).to_dict())
        marks = re.findall(r'"align": "(\w+)", "baseline": "bottom"', text)
        assert marks == [align, align]  # the name, and the white below it
