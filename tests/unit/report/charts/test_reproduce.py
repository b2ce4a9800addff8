from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from epsilens.report.charts.common import save_chart
from epsilens.report.charts.reproduce import drawing_chart
from tests.support.reproduction import PANELS, drawing


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_every_kind_of_panel_is_drawn(columns: int, tmp_path: Path) -> None:
    save_chart(drawing_chart(drawing(columns)), path := tmp_path / "figure.svg", internal=False)
    text = path.read_text()
    for panel in PANELS:
        assert panel.title in text
    assert "P3 Figure 1: every kind of panel" in text


def test_a_single_panel() -> None:
    chart = drawing_chart(replace(drawing(1), panels=PANELS[:1]))
    assert chart.to_dict()["description"].endswith("The lines rise from 1 to 3.")
