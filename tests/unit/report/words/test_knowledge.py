"""What is said about attackers who know some attributes."""

from __future__ import annotations

import pytest

import epsilens as el
from epsilens.report.words.common import Grid
from epsilens.report.words.knowledge import notes, sentences, summary, typical, worded, worst_sets

CELLS = {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "m"]}
TABLE = el.FrequencyTable.from_counts([[4, 0], [1, 2], [0, 3], [0, 3]], ["ill", "well"], CELLS)


def test_three_sentences_that_never_leave_an_average_alone() -> None:
    found = el.knowledge(TABLE, epsilon=[0.5, 1.0], share=0.4)
    today, after, advice = sentences(found)
    assert today == (
        "Today 10 of 13 people (76.9 %) are disclosed to somebody who knows all 2 quasi-identifiers (6 as "
        "label=well and 4 as label=ill); age alone is enough for 40.0 %."
    )
    assert after.startswith("With laplace noise at epsilon = 1 that risk is ")
    assert "worst-off person" in after
    assert "nobody above 50 %" in after or "people above 50 %" in after
    assert advice == "Of what is disclosed age carries most (80.0 %)."
    assert typical(found) == 1
    assert len(worded(found)["sentences"]) == 3


def test_tables_and_notes() -> None:
    found = el.knowledge(TABLE, epsilon=1.0)
    grids = [block for block in summary(found) if isinstance(block, Grid)]
    assert [len(grid.rows) for grid in grids] == [4, 3, 2, 3]
    assert grids[0].rows[0][0] == "(nothing)"
    assert all(len(row) == len(grid.headings) for grid in grids for row in grid.rows)
    said = " ".join(notes(found))
    assert "sums of them are too large, so values that nobody has appear" in said
    assert "declare one" in said


def test_sets_of_every_size_are_shown() -> None:
    found = el.knowledge(TABLE, epsilon=1.0)
    assert [one.attributes for one in worst_sets(found, 2)] == [(), ("age",), ("age", "sex")]


@pytest.mark.parametrize(
    ("share", "largest", "told"),
    [
        (0.9, None, "no set of attributes looked at discloses 90.0 %, the most is 76.9 % (age and sex)"),
        (0.7, None, "age and sex are needed for 70.0 %"),
        (0.7, 1, "the most is 46.2 % (age)"),
    ],
)
def test_what_is_enough(share: float, largest: int | None, told: str) -> None:
    found = el.knowledge(TABLE, epsilon=1.0, share=share, largest_set=largest)
    assert told in sentences(found)[0]
    assert ("that takes all sets" in " ".join(notes(found))) == (largest == 1)


def test_nobody_disclosed_and_harmless_values() -> None:
    mixed = el.FrequencyTable.from_counts([[4, 3], [1, 2]], ["ill", "well"], {"age": ["20", "30"]})
    alone = el.knowledge(mixed, epsilon=1.0)
    assert "nobody is, whatever of it is known" in sentences(alone)[0]
    assert "there is nobody who knows less" in sentences(alone)[1]
    assert alone.enough.today == ()
    two = el.FrequencyTable.from_counts([[4, 3], [1, 2]], ["ill", "well"], {"age": ["20", "30"], "sex": ["f", "m"]})
    assert sentences(el.knowledge(two, epsilon=1.0))[2] == "No column need be coarsened for what is disclosed today."
    harmed = el.knowledge(TABLE.with_harm("label=ill"), epsilon=1.0)
    assert "Counted as harmful: label=ill, as declared. Being shown as label=well is not counted." in notes(harmed)
    assert "quasi-identifiers, all as label=ill; " in sentences(harmed)[0]
    assert [value["disclosed"] for value in worded(harmed)["by_value"]] == [4, 6]
    assert harmed.harmless == ("well",)


def test_where_more_knowledge_is_less_risk_one_sentence_says_so() -> None:
    counts = [[2, 0], [2, 0], [0, 2], [0, 2]]
    found = el.knowledge(el.FrequencyTable.from_counts(counts, cells=CELLS), "laplace", 1.0)
    assert found.falls[0].fewer.attributes == ("age",)
    assert any("Under noise who knows more does not always learn more" in note for note in notes(found))


def test_one_attacker_may_be_asked_about() -> None:
    found = el.knowledge(TABLE, epsilon=1.0, knows="age")
    first, today, *_ = sentences(found)
    assert first.startswith("Who knows only age learns of 6 of 13 people (46.2 %) today; with laplace noise ")
    assert first.endswith(" if that marginal is published itself.")
    assert today.startswith("Today 10 of 13 people")
    assert worded(found)["knows"]["attributes"] == ["age"]
    every = el.knowledge(TABLE, epsilon=1.0, knows=["sex", "age"])
    assert sentences(every)[0].startswith("Who knows age and sex learns of 10 of 13 people (76.9 %) today; with ")
    nobody = el.knowledge(TABLE, epsilon=1.0, knows=("sex",))
    assert sentences(nobody)[0].startswith("Who knows only sex learns of nobody today; ")
