from __future__ import annotations

import epsilens as el
from epsilens.choice.questions.utility import Question, answer
from epsilens.report.charts.utility import marginal_distances_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "n"]})


def test_a_panel_for_every_noise_and_number_of_columns() -> None:
    asked = Question(("laplace", "gaussian-analytic"), (0.5, 2.0), (0.1, 0.01), (1, 2), repetitions=3)
    found = answer(asked, TABLE)
    drawn = marginal_distances_chart(found).to_dict()
    panels = [panel for row in drawn["vconcat"] for panel in row["hconcat"]]
    assert [panel["title"]["text"] for panel in panels] == [
        ["laplace noise", "1-way marginals"],
        ["laplace noise", "2-way marginals"],
        ["gaussian-analytic noise", "1-way marginals"],
        ["gaussian-analytic noise", "2-way marginals"],
    ]
    boxes = [box for values in drawn["datasets"].values() for box in values]
    assert {box["delta"] for box in boxes} == {"no delta", "0.1", "0.01"}
    assert len(boxes) == 2 * 2 + 2 * 2 * 2
    assert all(box["lowest"] <= box["median"] <= box["highest"] for box in boxes)
    assert drawn["description"].startswith("Box plots of total variation distances")
    assert "mean of 3 simulated releases" in " ".join(drawn["title"]["subtitle"])


def test_one_noise_is_named_in_the_subtitle() -> None:
    found = answer(Question(epsilons=(1.0,), ways=(1,), repetitions=2), TABLE)
    drawn = marginal_distances_chart(found).to_dict()
    assert drawn["vconcat"][0]["hconcat"][0]["title"]["text"] == ["1-way marginals"]
    assert "laplace noise in 3 cells with people" in str(drawn["title"]["subtitle"])
