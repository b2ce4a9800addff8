"""The words of an assessment, straight from the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.report.words.assess import belief_sentence, diagnostics_text, summary, today_sentences, worded
from epsilens.report.words.common import Grid, Heading, Note, Text, percent

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
    assert first == "11 people in 3 cells of 1 quasi-identifiers; ill has 2 values."
    assert "2 cells show a single ill: 8 of 11 people (72.7 %)" in second
    assert third == "0 people are alone in their cell."
    assert diagnostics_text(found.today[0]).startswith("k-anonymity 3, l-diversity 1 distinct")


def test_where_nothing_is_shown_there_is_nothing_to_believe() -> None:
    mixed = el.FrequencyTable.from_counts([[5, 5]])
    found = assess(mixed, Question(epsilons=(1000.0,)))
    assert belief_sentence(found.lines[0]) == "At epsilon = 1000, no cell shows a single label."
    (beliefs, _) = [block for block in summary(found) if isinstance(block, Grid)]
    assert beliefs.rows[0][-1] == "-"


def test_the_summary_has_a_part_per_attribute_and_mechanism() -> None:
    question = Question(mechanisms=("laplace", "gaussian"), delta=1e-5, measures=("local", "hard"), repeats=2)
    found = assess(TABLE, question)
    blocks = summary(found)
    assert [block.text for block in blocks if isinstance(block, Heading)] == ["ill, as it is"]
    grids = [block for block in blocks if isinstance(block, Grid)]
    assert [grid.title for grid in grids[::2]] == ["ill with laplace noise", "ill with gaussian noise"]
    assert [row[0] for row in grids[1].rows] == ["local", "hard", "local, simulated", "its standard error"]
    assert all(len(row) == len(grid.headings) for grid in grids for row in grid.rows)
    assert float(grids[1].rows[0][3]) == pytest.approx(found.lines[2].risks["local"], abs=5e-5)
    notes = [block.text for block in blocks if isinstance(block, Note)]
    assert "gaussian noise is proved for epsilon < 1 only." in notes
    # one budget near 1 is told in words, and of two budgets both
    told = [block.text for block in blocks if isinstance(block, Text) and block.text.startswith("At epsilon")]
    assert [text.split(",")[0] for text in told] == ["At epsilon = 1", "At epsilon = 0.1", "At epsilon = 0.5"]


def test_averages_over_cells_and_shares_are_called_so() -> None:
    grids = [
        block
        for block in summary(assess(TABLE, Question(weighted=False, match="share", repeats=2)))
        if isinstance(block, Grid)
    ]
    assert grids[1].title == "Risk, average over cells, at epsilon"
    assert grids[1].rows[1][0] == "local-share, simulated"
