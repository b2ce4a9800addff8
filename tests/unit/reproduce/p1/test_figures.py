from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.reproduce.data import Data, Missing
from epsilens.reproduce.p1.figures import FIGURES, figure_3, figure_4, figure_5
from tests.support.judged import data_of


def test_bands_are_about_their_lines(data_dir: Path) -> None:
    drawing = figure_3(data_of(data_dir))
    for panel in drawing.panels:
        (line,) = panel.series
        risks = list(map(float, line.y))
        assert all(
            low <= y + 1e-9 and y <= high + 1e-9 for low, y, high in zip(line.low, risks, line.high, strict=True)
        )
    assert "Bankruptcy: 0.597 with 0.0478" in drawing.says


def test_panels_of_the_gaussian_mechanisms(data_dir: Path) -> None:
    drawing = figure_4(data_of(data_dir))
    assert [len(panel.series) for panel in drawing.panels] == [4, 4, 5, 3, 3, 5]
    assert [panel.x for panel in drawing.panels] == ["epsilon", "epsilon", "delta"] * 2
    assert [panel.legend for panel in drawing.panels] == ["at each delta", "at each delta", "at each epsilon"] * 2
    assert drawing.panels[0].title == "Adult (pairs), (epsilon; delta)-DP Gaussian"


def test_the_surface_rises_with_epsilon_and_delta(data_dir: Path) -> None:
    drawing = figure_5(data_of(data_dir))
    assert drawing.says.startswith("The risk of the Adult data rises from 0.25 to 1.00")
    assert "; that of the Bankruptcy data rises from 0.25 to 1.00" in drawing.says
    for panel in drawing.panels:
        (surface,) = panel.series
        of_delta: dict[str, list[float]] = {}
        for delta, risk in zip(surface.y, map(float, surface.z), strict=True):
            of_delta.setdefault(str(delta), []).append(risk)
        assert len(of_delta) == 17
        assert all(risks == sorted(risks) for risks in of_delta.values())


def test_without_data_the_file_is_named() -> None:
    for figure in FIGURES:
        with pytest.raises(Missing):
            figure.draw(Data())
