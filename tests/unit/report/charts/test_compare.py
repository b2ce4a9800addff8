from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.comparison import CRITERIA, HARM_CRITERIA, compare
from epsilens.report.charts.compare import BY_VALUE, chart_paths, comparison_charts, save_comparison_charts


@pytest.fixture(scope="module")
def table() -> el.FrequencyTable:
    rng = np.random.default_rng(11)
    counts = rng.negative_binomial(1, 0.15, (12, 2))
    cells = {"town": [str(i) for i in range(4) for _ in range(3)], "age": ["20", "30", "40"] * 4}
    return el.FrequencyTable.from_counts(counts, ["no", "yes"], cells)


def test_every_criterion_has_a_chart(table: el.FrequencyTable, tmp_path: Path) -> None:
    result = compare(table, ["laplace", "suppression", "dp-k-anonymity"], (0.5, 1.0), 4, k=3, group="age")
    charts = comparison_charts(result)
    assert set(charts) == {*CRITERIA, BY_VALUE}
    for criterion, chart in charts.items():
        text = str(chart.to_dict())
        assert "dp-k-anonymity" in text, criterion
        assert "Internal" in text
    written = save_comparison_charts(compare(table, ["laplace"], (1.0,), 2, k=3, classify=False), tmp_path / "c.svg")
    assert (tmp_path / "c-bias_l1.svg") in written
    assert all(path.stat().st_size > 1000 for path in written)
    assert list(chart_paths(tmp_path / "x.png", ["delta"]).values()) == [tmp_path / "x-delta.png"]
    at_risk = compare(table, ["laplace", "k-anonymity"], repetitions=2, k=3, equal_risk=("posterior", 0.8))
    assert "epsilon" in str(comparison_charts(at_risk)["rmse"].to_dict())


def test_no_epsilon_hides_another_and_none_has_the_colour_of_another(table: el.FrequencyTable) -> None:
    many = tuple(0.5 * k for k in range(1, 10))
    result = compare(table, ["laplace", "suppression"], many, 2, k=3, classify=False)
    drawn = comparison_charts(result)["delta"].to_dict()
    encodings = [layer["encoding"] for layer in drawn["layer"] if "color" in layer["encoding"]]
    colour = encodings[0]["color"]["scale"]
    assert len(set(colour["range"])) == len(colour["domain"]) == len(many) + 1
    assert encodings[0]["yOffset"]["scale"]["domain"] == [f"{epsilon:g}" for epsilon in many]
    assert "yOffset" not in encodings[2]  # what has no epsilon stands in the middle
    assert "town x age x label" in drawn["title"]["subtitle"]


def test_at_equal_risk_the_epsilon_stands_beside_the_name_where_nothing_crosses_it(table: el.FrequencyTable) -> None:
    at_risk = compare(table, ["laplace"], repetitions=2, k=3, equal_risk=("posterior", 0.8), classify=False)
    drawn = comparison_charts(at_risk)["rmse"].to_dict()
    (name,) = {row["system"] for rows in drawn["datasets"].values() for row in rows if "system" in row}
    assert name == f"laplace, epsilon {at_risk.rows[0]['epsilon']:.3g}"
    assert not [layer for layer in drawn["layer"] if layer["mark"]["type"] == "text"]


def test_harmful_values_are_drawn_apart_where_some_harm_nobody(table: el.FrequencyTable) -> None:
    declared = compare(table.with_harm("label=yes"), ["laplace"], (1.0,), 2, k=3, classify=False)
    charts = comparison_charts(declared)
    assert set(HARM_CRITERIA) <= set(charts)
    assert charts["harmful_wrong"].to_dict()["title"]["text"].startswith("Share of people shown with one harmful value")
