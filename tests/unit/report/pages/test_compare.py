from __future__ import annotations

import pandas as pd

from epsilens.choice.questions.compare import Question, answer
from epsilens.report.pages.compare import page_of
from epsilens.table import Schema, read_table
from tests.unit.report.pages.conftest import read


def test_systems_side_by_side_with_all_digits() -> None:
    people = pd.DataFrame({"age": [1, 1, 2, 2, 2], "ill": list("yynny")})
    table = read_table(people, Schema(["age"], "ill"))
    asked = Question(systems=("laplace", "suppression"), epsilons=(1.0,), repetitions=3, k=2, classify=False)
    found = answer(asked, table)
    page = page_of(found, asked)
    told = read(page)
    exact = {cell for row in told.rows for cell in row}
    assert all(repr(float(row["l1_error"])) in exact for row in found.to_dict()["rows"])
    public = [section.title for section in page.publishable().sections]
    assert public == ["What is compared", "What is assumed", "What is not covered", "Methods"]
