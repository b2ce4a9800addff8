from __future__ import annotations

from dataclasses import replace

import epsilens as el
from epsilens.choice.publication import assess_publication
from epsilens.homogeneity import Release
from epsilens.report.charts.sequence import publication_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2]], ["no", "yes"], {"sex": ["f", "m"]})


def test_a_panel_per_cohort_and_both_evaluations() -> None:
    first = Release(TABLE, el.LaplaceNoise(1.0), el.PureDP(1.0), name="first")
    found = assess_publication([first, replace(first, name="second", cohort="new")], "laplace")
    drawn = publication_chart(found, ["laplace", "laplace"]).to_dict()
    assert "laplace noise" in str(drawn["vconcat"][0]["title"]["subtitle"])
    assert [panel["title"]["text"] for panel in drawn["vconcat"]] == [
        "Risk of label after several releases", "Risk of label after several releases, cohort new",
    ]  # fmt: skip
    rows = drawn["datasets"][drawn["vconcat"][0]["data"]["name"]]
    assert {row["evaluation"] for row in rows} == {"exact", "in print"}
    (exact,) = [row["risk"] for row in rows if row["evaluation"] == "exact"]
    assert exact == found.steps[0].risks["label"]
