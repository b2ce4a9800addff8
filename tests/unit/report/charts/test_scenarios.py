from __future__ import annotations

from collections import defaultdict

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.homogeneity import scenario_shares
from epsilens.report.charts.scenarios import COLOURS, EPSILONS, scenario_chart
from epsilens.report.words.explained import SCENARIOS

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})


def test_areas_fill_the_whole_and_are_the_exact_shares() -> None:
    drawn = scenario_chart(TABLE, assess(TABLE, Question(epsilons=(1.0,)))).to_dict()
    (rows,) = drawn["datasets"].values()
    by_epsilon: dict[float, list[float]] = defaultdict(list)
    for row in rows:
        by_epsilon[row["epsilon"]].append(row["share"])
    for epsilon, shares in by_epsilon.items():
        assert sum(shares) == pytest.approx(1.0, abs=1e-12)
        assert shares == pytest.approx(scenario_shares(TABLE, el.LaplaceNoise(1 / epsilon)).tolist(), abs=1e-14)
    assert len(by_epsilon) == EPSILONS[2]
    colour = drawn["encoding"]["color"]
    assert colour["scale"]["range"] == COLOURS
    assert [name.partition("  ")[2] for name in colour["scale"]["domain"]] == list(SCENARIOS)
    assert "Internal" in drawn["title"]["subtitle"]


def test_a_panel_for_each_mechanism_says_its_delta() -> None:
    question = Question(mechanisms=("laplace", "gaussian-probabilistic"), epsilons=(1.0,), delta=0.01)
    drawn = scenario_chart(TABLE, assess(TABLE, question)).to_dict()
    said = [
        " ".join(title if isinstance(title := panel["title"]["subtitle"], list) else [title])
        for panel in drawn["vconcat"]
    ]
    assert said[0].startswith("laplace noise;")
    assert said[1].startswith("gaussian-probabilistic noise, delta = 0.01;")
