from __future__ import annotations

import epsilens as el
from epsilens.report.charts.knowledge import KINDS, MOST_SETS, sets_chart

CELLS = {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "m"]}


def test_bars_and_dots_of_every_set() -> None:
    table = el.FrequencyTable.from_counts([[4, 0], [1, 2], [0, 3], [0, 3]], ["ill", "well"], CELLS)
    drawn = sets_chart(el.knowledge(table, epsilon=1.0)).to_dict()
    rows = [row for values in drawn["datasets"].values() for row in values]
    bars = [row for row in rows if "kind" in row]
    assert [row["kind"] for row in bars] == list(KINDS) * 3
    assert bars[-3]["risk"] == 10 / 13
    dots = [row for row in rows if "known" in row]
    assert [(row["attribute"], row["known"]) for row in dots[:2]] == [("age", True), ("sex", False)]
    matrix = drawn["vconcat"][1]["layer"]
    assert [layer["encoding"]["y"]["scale"]["domain"] for layer in matrix] == [["age", "sex"]] * 2
    assert drawn["description"].startswith("Bars for sets of known attributes. All attributes disclose 76.9 %")
    assert "laplace noise at epsilon = 1" in " ".join(drawn["title"]["subtitle"])


def test_of_many_sets_the_worst_of_every_size() -> None:
    columns = {f"q{i}": [str(j >> i & 1) for j in range(64)] for i in range(6)}
    table = el.FrequencyTable.from_counts([[1 + j % 3, j % 2] for j in range(64)], cells=columns)
    drawn = sets_chart(el.knowledge(table, epsilon=1.0)).to_dict()
    rows = [row for values in drawn["datasets"].values() for row in values]
    assert len({row["set"] for row in rows}) == MOST_SETS
    assert "24 of 63 sets, the worst of each size" in " ".join(drawn["title"]["subtitle"])
