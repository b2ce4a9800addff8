from __future__ import annotations

from epsilens.choice.questions.cell import Question, answer
from epsilens.report.words.cell import cell_sentences, summary, worded
from epsilens.report.words.common import Grid, Heading, Note


def test_a_table_for_every_number_of_labels_and_the_messages() -> None:
    found = answer(Question(people=(1, 4), labels=(2, 3), epsilons=(1.0,)))
    grids = [block for block in summary(found) if isinstance(block, Grid)]
    assert [grid.title for grid in grids] == ["All have the same of 2 labels", "All have the same of 3 labels"]
    assert grids[0].rows[1][:4] == ["1", "4", "0.6862", "0.9849"]
    floors, labels, people = cell_sentences(found)
    assert "stays above 2^-K: 0.25 with 2 labels, 0.125 with 3 labels" in floors
    assert labels.startswith("More labels are safer: at epsilon = 1 the risk of a cell of 1 person is 48.5 % with 2 ")
    assert "and it is 69.7 % at most however many they are" in people
    assert worded(found)["sentences"] == [floors, labels, people]


def test_cells_by_their_counts_and_noises_by_their_delta() -> None:
    question = Question(counts=((5, 0), (4, 1, 0)), mechanisms=("laplace", "gaussian"), deltas=(0.1,), epsilons=(0.5,))
    blocks = summary(answer(question))
    assert [block.text for block in blocks if isinstance(block, Heading)] == [
        "laplace noise, add-remove neighbours",
        "gaussian noise, delta = 0.1, add-remove neighbours",
    ]
    grid = next(block for block in blocks if isinstance(block, Grid))
    assert [row[1] for row in grid.rows] == ["5,0", "4,1,0"]
    assert cell_sentences(answer(Question(counts=((2, 3),), epsilons=(1.0,)))) == []


def test_of_given_counts_it_says_which_label_is_shown_and_why_a_risk_falls() -> None:
    found = answer(Question(counts=((5, 0), (4, 1)), epsilons=(0.1, 1.0)))
    grid = next(b for b in summary(found) if isinstance(b, Grid) and b.title.startswith("Who is shown as what"))
    assert grid.title.endswith("at epsilon = 1, in shares of the people of the cell")
    assert [row[:3] for row in grid.rows] == [
        ("5,0", "1", "5"),
        ("5,0", "2", "0"),
        ("4,1", "1", "4"),
        ("4,1", "2", "1"),
    ]
    (why,) = [text for text in cell_sentences(found) if "falls" in text]
    assert why.startswith("The risk of the cell 4,1 falls from ")
    rising = answer(Question(counts=((5, 0),), epsilons=(0.1, 1.0)))
    assert not any("falls" in text for text in cell_sentences(rising))
    many = answer(Question(counts=((5, *[0] * 9),), epsilons=(1.0,)))
    assert Note("Of the labels the first 8; JSON has all.") in summary(many)
