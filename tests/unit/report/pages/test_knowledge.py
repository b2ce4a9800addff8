from __future__ import annotations

import pandas as pd

from epsilens.choice.questions.knowledge import Question, answer
from epsilens.report.pages.knowledge import page_of
from epsilens.table import Schema, read_table
from tests.unit.report.pages.conftest import read


def test_every_set_of_attributes_with_all_digits() -> None:
    people = pd.DataFrame({"age": [1, 1, 2, 2, 2], "sex": list("fmfmm"), "ill": list("yynny")})
    asked = Question(epsilons=(1.0,))
    found = answer(asked, read_table(people, Schema(["age", "sex"], "ill")))
    told = read(page_of(found, asked))
    exact = {cell for row in told.rows for cell in row}
    for one in found.to_dict()["subsets"]:
        for risk in one["budgets"]:
            assert {repr(risk["added_up"]), repr(risk["published"])} <= exact
