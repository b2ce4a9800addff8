from __future__ import annotations

import numpy as np

from epsilens.choice.spread import spread
from epsilens.report.words.posterior_spread import posterior_spread_sentences


def test_who_is_worst_off_and_how_many_are_where() -> None:
    found = spread(np.array([0.005, 0.3, 0.8]), np.array([5, 3, 2]))
    average, bands = posterior_spread_sentences(found, 0.2525)
    assert average == (
        "The posterior itself is on average 0.2525. Worst off: 2 people, at 80.0 %; 2 people (20.0 %) are above 50 %."
    )
    assert bands == "Posteriors over people: 5 people at most 1 %, 3 people at 25 to 50 %, 2 people at 75 to 90 %."


def test_where_all_are_alike_one_sentence_will_do() -> None:
    (said,) = posterior_spread_sentences(spread(np.array([0.6]), np.array([7])), 0.6)
    assert said.endswith("All people are at the same risk, 60.0 %: nobody is worse off than the average; 7 people "
                         "(100.0 %) are above 50 %.")  # fmt: skip
