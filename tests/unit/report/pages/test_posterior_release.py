from __future__ import annotations

import pandas as pd

from epsilens.choice.questions.posterior.release import Question, answer
from epsilens.report.pages.dials import dial_of_hierarchy
from epsilens.report.pages.posterior_release import page_of
from tests.unit.report.pages.conftest import read


def test_everybody_who_is_rare_with_all_digits_and_a_dial() -> None:
    people = pd.DataFrame({"block": list("aabbc"), "tract": list("xxxxy"), "sex": list("fmfmm")})
    asked = Question(levels=("block", "tract"), by=("sex",), rho=(0.1, 0.2))
    situations = asked.read(people)
    found = answer(asked, situations)
    told = read(page_of(found, dial=dial_of_hierarchy(found, situations)))
    exact = {cell for row in told.rows for cell in row}
    assert {repr(found.risk.mean_ratio), repr(found.mean_posterior)} <= exact
    assert ["all levels together", "0.3"] in told.rows
    assert "One dial" in [text for level, text in told.headings if level == 2]
