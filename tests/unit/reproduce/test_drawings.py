from __future__ import annotations

from tests.support.reproduction import PANELS


def test_series_have_as_many_points_on_every_axis() -> None:
    for panel in PANELS:
        for series in panel.series:
            assert len(series.x) == len(series.y)
            assert len(series.z) in (0, len(series.x))
            assert len(series.low) == len(series.high)
