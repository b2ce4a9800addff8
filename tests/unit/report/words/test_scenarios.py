from __future__ import annotations

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.report.charts.scenarios import scenario_chart
from epsilens.report.words.assess import summary
from epsilens.report.words.common import Grid, Note
from epsilens.report.words.scenarios import scenario_blocks

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"])


def shares_of(found: el.choice.Assessment) -> list[dict[str, float]]:
    return [budget.scenarios for budget in found.beside.budgets if budget.scenarios is not None]


def test_eight_rows_that_add_up() -> None:
    found = el.assess(TABLE, epsilon=(0.5, 2.0), scenarios=True)
    grid, *notes = scenario_blocks(found.lines, shares_of(found), "people")
    assert isinstance(grid, Grid)
    assert grid.headings == ("", "scenario", "epsilon\n0.5", "epsilon\n2")
    assert [row[0] for row in grid.rows] == ["1", "2", "3", "4", "5", "6", "7", "8", ""]
    assert grid.rows[-1][2:] == ("100.0 %", "100.0 %")
    assert all(isinstance(note, Note) for note in notes)
    first = shares_of(found)[0]
    assert grid.rows[0][2] == f"{100 * first['homogeneous, shows its own label']:.1f} %"


def test_deltas_are_told_apart_where_they_differ() -> None:
    one = el.assess(TABLE, "gaussian-analytic", 1.0, delta=0.01, scenarios=True)
    other = el.assess(TABLE, "gaussian-analytic", 1.0, delta=0.1, scenarios=True)
    grid = scenario_blocks([*one.lines, *other.lines], [*shares_of(one), *shares_of(other)], "people")[0]
    assert isinstance(grid, Grid)
    assert grid.headings[2:] == ("epsilon\n1\ndelta\n0.01", "epsilon\n1\ndelta\n0.1")


def test_scenarios_of_all_values_are_not_called_the_risk_of_harmful_ones() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [1, 2]], ["no", "yes"])
    for harmed, said in ((table, "together are the local risk"), (table.with_harm("label=yes"), "harmful or not")):
        found = assess(harmed, Question(epsilons=(1.0,), scenarios=True))
        notes = [block.text for block in summary(found) if isinstance(block, Note)]
        assert len([text for text in notes if said in text and "cannot tell" in text]) == 1
        drawn = scenario_chart(harmed, found).to_dict()
        assert ("together the local risk" in str(drawn["title"]["subtitle"])) is (harmed is table)
        assert ("Only harmful values count in risks." in notes) is (harmed is not table)
    heavy = assess(table.with_harm("label=yes*2"), Question(epsilons=(1.0,)))
    notes = [block.text for block in summary(heavy) if isinstance(block, Note)]
    assert "A risk counts each harmful value as often as it weighs, so that it may exceed 1." in notes
