from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess, assessment_curves
from epsilens.report.charts.assess import risk_curve_chart
from epsilens.report.charts.surface import surface_panel

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})


def test_tiles_cover_the_plane_and_have_the_risks_of_their_pairs() -> None:
    question = Question(
        mechanisms=("gaussian-probabilistic",), axis="both", epsilon_range=(0.1, 10.0), delta_range=(1e-6, 0.1)
    )
    ((name, surface),) = assessment_curves(TABLE, question)
    found = assess(TABLE, question)
    drawn = surface_panel(surface, name, found).to_dict()
    (tiles,) = drawn["datasets"].values()
    assert len(tiles) == len(surface.budgets)
    assert (min(t["e0"] for t in tiles), max(t["e1"] for t in tiles)) == pytest.approx((0.1, 10.0))
    assert (min(t["d0"] for t in tiles), max(t["d1"] for t in tiles)) == pytest.approx((1e-6, 0.1))
    assert all(t["e0"] <= t["epsilon"] <= t["e1"] and t["d0"] <= t["delta"] <= t["d1"] for t in tiles)
    assert "average over people" in str(drawn["title"]["subtitle"])
    whole = risk_curve_chart([(name, surface)], found).to_dict()
    assert whole["hconcat"][0]["title"]["text"] == "Homogeneity risk of label over epsilon and delta"
