from __future__ import annotations

from epsilens.choice.questions.assess import Question, answer, assessment_curves
from epsilens.report.page.parts import Again, Folded
from epsilens.report.pages.assess import noises_of, page_of, shape_parts
from epsilens.table.frequency import FrequencyTable
from tests.unit.report.pages.conftest import SECTIONS_OF_ALL, read

ASKED = Question(mechanisms=("laplace", "gaussian"), epsilons=(0.5,), deltas=(1e-6,), measures=("local", "expected"))


def test_the_page_tells_everything_and_its_digits_are_those_of_json(table: FrequencyTable) -> None:
    found = answer(ASKED, table)
    page = page_of(found, table, assessment_curves(table, ASKED), Again("epsilens assess x", "import epsilens"))
    told = read(page)
    titles = [text for level, text in told.headings if level == 2]
    assert titles[:2] == ["In short", "The guarantee at every budget"]
    assert set(SECTIONS_OF_ALL) < set(titles)
    exact = {cell for row in told.rows for cell in row}
    for line in found.to_dict()["budgets"]:
        for number in (*line["risks"].values(), line["right"], line["wrong"], line["error"]):
            assert repr(number) in exact
    assert len(told.figures) == 5


def test_single_cells_stand_behind_a_question_that_says_why(table: FrequencyTable) -> None:
    page = page_of(answer(Question(epsilons=(1.0,)), table), table, [])
    (cells,) = (section for section in page.sections if section.title == "The riskiest cells")
    (folded,) = cells.parts
    assert isinstance(folded, Folded)
    assert cells.internal
    assert "Single cells can be single people" in folded.why


def test_several_attributes_have_what_is_known_of_them() -> None:
    import pandas as pd

    from epsilens.table import Schema, read_table

    people = pd.DataFrame({"age": [1, 1, 2, 2, 2], "ill": list("yynny"), "rich": list("nynyn")})
    two = read_table(people, Schema(["age"], ["ill", "rich"]))
    asked = Question(epsilons=(1.0,), publish="joint")
    titles = [section.title for section in page_of(answer(asked, two), two, []).sections]
    assert not {"What becomes of cells", "The riskiest cells"} & set(titles)


def test_the_shape_of_a_table_and_its_noises(table: FrequencyTable) -> None:
    found = answer(ASKED, table)
    assert len(noises_of(found)) == 2
    assert shape_parts(found, table)
