"""The words of an assessment, straight from the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.report.words.assess import (
    belief_sentence,
    budget_blocks,
    diagnostics_grid,
    summary,
    today_blocks,
    today_sentences,
    worded,
)
from epsilens.report.words.common import Grid, Heading, Note, Text, percent
from tests.support.blocks import average_grids, grids_of

COUNTS = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})
TABLE = replace(COUNTS, sensitive=("ill",))


def test_every_budget_has_its_sentence_in_the_json() -> None:
    found = assess(TABLE, Question(mechanisms=("laplace", "discrete-laplace"), epsilons=(0.5, 2.0)))
    plain = worded(found)
    assert [row["sentence"] for row in plain["budgets"]] == [belief_sentence(line) for line in found.lines]
    without = {**plain, "budgets": [{k: v for k, v in row.items() if k != "sentence"} for row in plain["budgets"]]}
    assert without == found.to_dict()


def test_the_sentences_say_the_numbers() -> None:
    found = assess(TABLE, Question(epsilons=(1.0,)))
    (line,) = found.lines
    said = belief_sentence(line)
    assert said.startswith(
        f"At epsilon = 1, {percent(line.belief.right)} of people are in cells that show a single ill"
    )
    assert percent(line.belief.wrong) in said
    first, second, third = today_sentences(found, found.today[0])
    assert first == "11 people in 3 cells of 1 quasi-identifier; ill has 2 values."
    assert "2 cells show a single ill: 8 of 11 people (72.7 %)" in second
    assert third == "0 people are alone in their cell."
    assert diagnostics_grid(found.today[0]).rows[:2] == [
        ("k-anonymity", "people in the smallest cell", "3"),
        ("l-diversity, distinct", "values in the cell with the fewest", "1"),
    ]
    # the sentence has the digits of the table
    assert f"is right {percent(line.belief.precision)} of the time" in said


def test_the_answer_comes_first() -> None:
    blocks = summary(assess(TABLE.with_harm("ill=yes"), Question(epsilons=(0.1, 1.0, 5.0))))
    said = [block.text for block in blocks if isinstance(block, Text)]
    assert said[0].startswith("Published as it is, ")
    assert "with a harmful value to anyone who knows their quasi-identifiers, all of them as ill=yes." in said[0]
    assert said[1].startswith("At epsilon = 1, ")
    assert said[2].startswith("By local risk at epsilon = 1, ")
    assert said[3].startswith("Counted as harmful: ill=yes, as declared.")
    assert len([text for text in said if text.startswith("At epsilon = 1,")]) == 1


def test_people_are_counted_to_the_last_one() -> None:
    large = replace(el.FrequencyTable.from_counts([[1200, 1111]], ["no", "yes"], {"sex": ["f"]}), sensitive=("ill",))
    found = assess(large, Question(epsilons=(1.0,)))
    assert diagnostics_grid(found.today[0]).rows[0][-1] == "2,311"


def test_one_is_not_several() -> None:
    alone = replace(el.FrequencyTable.from_counts([[1, 0]], ["no", "yes"], {"sex": ["f"]}), sensitive=("ill",))
    found = assess(alone, Question(epsilons=(1.0,)))
    assert today_sentences(found, found.today[0]) == [
        "1 person in 1 cell of 1 quasi-identifier; ill has 2 values.",
        "Published as it is, 1 cell shows a single ill: 1 of 1 person (100.0 %) is disclosed to anyone who knows their "
        "quasi-identifiers.",
        "1 person is alone in a cell.",
    ]
    assert Text("1 row above the bound per person was left out.") in summary(replace(found, dropped_rows=1))


def test_budgets_are_rows_and_a_measure_is_explained_once() -> None:
    question = Question(
        mechanisms=("laplace", "discrete-laplace"), measures=("local", "marginal-shrinkage"), epsilons=(0.1, 1.0, 5.0)
    )
    blocks = summary(assess(TABLE, question))
    risks = [block for block in blocks if isinstance(block, Grid) and block.title.startswith("Risk")]
    assert [grid.headings for grid in risks] == [["epsilon", "local", "marginal-\nshrinkage"]] * 2
    assert [row[0] for row in risks[0].rows] == ["0.1", "1", "5"]
    for measure in question.measures:
        assert len([b for b in blocks if isinstance(b, Note) and b.text.startswith(f"{measure}: ")]) == 1


def test_where_nothing_is_shown_there_is_nothing_to_believe() -> None:
    mixed = el.FrequencyTable.from_counts([[5, 5]])
    found = assess(mixed, Question(epsilons=(1000.0,)))
    assert belief_sentence(found.lines[0]) == "At epsilon = 1000, no cell shows a single label."
    (_, beliefs, _) = average_grids(summary(found))
    assert beliefs.rows[0][-1] == "-"


def test_the_summary_has_a_part_per_attribute_and_mechanism() -> None:
    question = Question(mechanisms=("laplace", "gaussian"), delta=1e-5, measures=("local", "hard"), repeats=2)
    found = assess(TABLE, question)
    blocks = summary(found)
    assert [block.text for block in blocks if isinstance(block, Heading)] == ["ill, as it is"]
    _, *grids = average_grids(blocks)
    assert [grid.title for grid in grids[::2]] == ["ill with laplace noise", "ill with gaussian noise"]
    assert grids[1].headings == ["epsilon", "local", "hard", "local,\nsimulated", "SD", "standard\nerror"]
    assert all(len(row) == len(grid.headings) for grid in grids_of(blocks) for row in grid.rows)
    assert float(grids[1].rows[2][1]) == pytest.approx(found.lines[2].risks["local"], abs=5e-5)
    notes = [block.text for block in blocks if isinstance(block, Note)]
    assert "gaussian noise is proved for epsilon < 1 only." in notes
    # one budget near 1 is told in words, and of two budgets both
    told = [block.text for block in blocks if isinstance(block, Text) and block.text.startswith("At epsilon")]
    assert [text.split(",")[0] for text in told] == ["At epsilon = 1", "At epsilon = 0.1", "At epsilon = 0.5"]


def test_averages_over_cells_and_shares_are_called_so() -> None:
    _, *grids = average_grids(summary(assess(TABLE, Question(weighted=False, match="share", repeats=2))))
    assert grids[1].title == "Risk, average over cells"
    assert grids[1].headings[2] == "local-share,\nsimulated"


def test_a_risk_that_is_not_0_does_not_read_as_0_and_people_are_whole() -> None:
    table = el.FrequencyTable.from_counts([[5180, 5200]], ["y", "n"])
    found = assess(table, Question(epsilons=(0.001, 0.01)))
    grids = average_grids(summary(found))
    assert grids[0].rows[0][-1] == "10,380"
    assert [row[1] for row in grids[-1].rows] == ["0.0056", "< 0.0001"]


def test_the_summary_is_what_is_said_of_today_and_of_the_budgets() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [1, 2]])
    assessment = assess(table, Question(epsilons=(0.5, 1.0)))
    told, parts = summary(assessment), [*today_blocks(assessment, assessment.today[0]), *budget_blocks(assessment)]
    assert [block for block in parts if isinstance(block, Grid)] == [x for x in told if isinstance(x, Grid)]
    assert {block.text for block in parts if isinstance(block, Text)} <= {x.text for x in told if isinstance(x, Text)}
