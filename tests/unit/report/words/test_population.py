from __future__ import annotations

import epsilens as el
from epsilens.report.words.assess import summary
from epsilens.report.words.common import Grid, Heading, Note, Text
from epsilens.report.words.population import ATTACKERS, population_blocks, unseen_sentences

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5], [1, 0]], ["no", "yes"], {"town": list("abcd")})


def texts(found: el.Assessment) -> str:
    return " ".join(block.text for block in population_blocks(found.population) if isinstance(block, Text))


def test_a_sample_is_told_in_one_block() -> None:
    found = el.assess(TABLE, epsilon=(0.5, 1.0), sampling_fraction=0.25)
    blocks = summary(found)
    assert Heading("If this is a sample") in blocks
    said = texts(found)
    assert "12 people stand for 48 of the population by its sampling fraction, 25.0 % of it." in said
    assert "believing a cell that shows a single label is right" in said
    assert "1 person is alone in a cell of the sample" in said
    assert "by leaving out one person of the sample after the other" in said
    grids = [block for block in population_blocks(found.population) if isinstance(block, Grid)]
    risks, attackers = grids
    assert [row[0] for row in risks.rows] == ["no noise", "0.5", "1"]
    assert len(risks.headings) == len(risks.rows[0]) == 7
    assert [row[0] for row in attackers.rows] == list(ATTACKERS)
    assert attackers.rows[0][2:4] == ["100.0 %", "33.3 %"]


def test_nothing_is_told_of_a_table_that_is_not_a_sample() -> None:
    found = el.assess(TABLE, epsilon=1.0)
    assert list(population_blocks(found.population)) == []
    assert Heading("If this is a sample") not in summary(found)


def test_below_guessing_the_table_teaches_nothing() -> None:
    common = el.FrequencyTable.from_counts([[9, 1], [8, 2], [9, 1]], ["no", "yes"])
    assert "teaches less than is known without it" in texts(el.assess(common, epsilon=0.05, sampling_fraction=0.5))
    assert "teaches less" not in texts(el.assess(TABLE, epsilon=5.0, sampling_fraction=0.5))


def test_values_that_harm_nobody_are_not_guessed() -> None:
    said = texts(el.assess(TABLE.with_harm("label=no"), epsilon=1.0, sampling_fraction=0.5))
    assert "a cell that shows a single harmful label is right" in said
    assert "by guessing the commonest harmful value without the table" in said


def test_weights_that_have_to_do_with_the_value_are_told() -> None:
    import pandas as pd

    people = pd.DataFrame({"town": list("aaaabbbb"), "ill": list("ynnnyynn"), "w": [9, 1, 1, 1, 9, 9, 1, 1]})
    for weights, told in ((people.w, True), (2 + 0 * people.w, False)):
        table = el.read_table(people.assign(w=weights), el.Schema("town", "ill"), weight="w")
        blocks = population_blocks(el.assess(table, epsilon=1.0).population)
        said = [block.text for block in blocks if isinstance(block, Note) and "being asked may have" in block.text]
        assert bool(said) is told


def test_a_law_at_its_limit_is_told() -> None:
    alone = el.FrequencyTable.from_counts([[1, 0], [0, 1], [1, 0]])
    blocks = population_blocks(el.assess(alone, epsilon=1.0, sampling_fraction=0.5).population)
    assert any("not in the sample: no cell has two labels" in block.text for block in blocks if isinstance(block, Note))


def test_anybody_of_the_cell_and_everybody_in_the_sample() -> None:
    found = el.assess(TABLE, epsilon=1.0, sampling_fraction=1.0, match="any")
    grid = next(block for block in population_blocks(found.population) if isinstance(block, Grid))
    assert grid.headings[-1] == "anybody of\nthe cell"
    assert grid.rows[0][2] == "-"
    assert found.population is not None
    assert unseen_sentences(found.population) == []


def test_cells_out_of_sight_are_told_with_and_without_a_universe() -> None:
    import pandas as pd

    people = pd.DataFrame({"town": list("aab"), "ill": ["y", "n", "y"]})
    plain = el.read_table(people, el.Schema("town", "ill"))
    assert "these cells are not published" in texts(el.assess(plain, epsilon=1.0, sampling_fraction=0.5))
    declared = el.read_table(people, el.Schema("town", "ill", universe={"town": ["a", "b", "c"]}))
    assert "published as well" in texts(el.assess(declared, epsilon=1.0, sampling_fraction=0.5))
    zeros = el.Schema("town", "ill", structural_zeros=[{"town": "b", "ill": "n"}])
    found = el.assess(el.read_table(people, zeros), epsilon=1.0, sampling_fraction=0.5)
    assert "not counted apart" in texts(found)


def test_measures_that_guess_are_told_as_guesses() -> None:
    found = el.assess(TABLE, "gaussian-analytic", 1.0, delta=(0.01, 0.1), measure="hard", sampling_fraction=0.5)
    assert "believing the hard guess is right" in texts(found)
    grid = next(block for block in population_blocks(found.population) if isinstance(block, Grid))
    assert grid.headings[:2] == ["delta", "epsilon"]
