"""The question of ``evaluate``: what is published, what is true, what is claimed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.claimed_noise import Claim
from epsilens.choice.questions.evaluate import FurtherTable, PublishedToRead, Question, answer
from epsilens.errors import DataError, ParameterError
from epsilens.table.conditions import Condition
from epsilens.table.to_read import TableToRead

RNG = np.random.default_rng(7)
PEOPLE = pd.DataFrame({"town": RNG.choice(list("abcd"), 300), "ill": RNG.choice(["no", "yes"], 300, p=[0.8, 0.2])})
COUNTS = PEOPLE.groupby(["town", "ill"]).size().rename("n").reset_index()


def noisy(frame: pd.DataFrame, scale: float = 1.0) -> pd.DataFrame:
    return frame.assign(n=frame.n + el.DiscreteLaplaceNoise(scale).sample(len(frame), RNG))


def question(published: pd.DataFrame, claim: Claim | None = None, **given: object) -> Question:
    data = TableToRead.of(PEOPLE, "town", "ill")
    return Question(PublishedToRead(published, count="n"), data, claim, **given)  # type: ignore[arg-type]


def test_a_table_that_is_published_as_it_is() -> None:
    found = answer(question(COUNTS))
    assert found.accuracy.l1 == 0.0
    assert found.cells["people_in_exact_cells"] == 300
    assert found.shown_right == found.today.shown_right
    assert [marginal.distance for marginal in found.marginals] == [0.0] * 3
    assert found.noise is None


def test_other_tables_of_the_same_file() -> None:
    towns = COUNTS.groupby("town").n.sum().reset_index()
    several = pd.concat([noisy(COUNTS).assign(table="both"), noisy(towns).assign(table="towns")])
    claim = Claim.of("discrete-laplace", 1.0)
    assert claim is not None
    further = FurtherTable("towns", ("town",), (Condition("table", "=", ("towns",)),), claim)
    data = TableToRead.of(PEOPLE, "town", "ill")
    asked = Question(PublishedToRead(several, count="n", where="table=both"), data, claim, (further,))
    found = answer(asked)
    assert found.noise is not None
    assert found.noise.test is not None
    assert found.noise.test.counts == 8
    assert (found.further[0].name, found.further[0].test is not None) == ("towns", True)
    assert found.further[0].test.counts == 4  # type: ignore[union-attr]


def test_rows_of_people_that_were_drawn_leave_no_law_to_test() -> None:
    people = PEOPLE.assign(person=np.arange(300) // 2)
    data = TableToRead.of(people, "town", "ill", unit="person")
    claim = Claim.of("discrete-laplace", 1.0)
    found = answer(Question(PublishedToRead(COUNTS, count="n"), data, claim))
    assert found.noise is not None
    assert found.noise.reason is not None
    assert "drawn at random" in found.noise.reason


def test_synthetic_people() -> None:
    found = answer(Question(PublishedToRead(PEOPLE.sample(200, random_state=1)), TableToRead.of(PEOPLE, "town", "ill")))
    assert (found.reading.kind, found.reading.rows) == ("synthetic", 200)
    assert found.accuracy.total_published == 200.0


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="seed must be >= 0"):
        question(COUNTS, seed=-1)
    with pytest.raises(ParameterError, match="must read like"):
        PublishedToRead(COUNTS, where="town")
    with pytest.raises(ParameterError, match="quantile bins of 'town'"):
        Question(PublishedToRead(COUNTS), TableToRead.of(PEOPLE, "town", "ill", bins="town=q3"))
    with pytest.raises(DataError, match="share none"):
        answer(question(COUNTS.assign(town="elsewhere", ill=COUNTS.ill).drop_duplicates(["town", "ill"])))


def test_published_levels_that_nobody_has_are_named() -> None:
    more = pd.concat([COUNTS, pd.DataFrame({"town": ["Mars", "a"], "ill": ["no", "Ill"], "n": [3, 2]})])
    told = answer(question(more)).notes
    assert [sentence.partition(":")[0] for sentence in told] == [
        "Published levels of town that nobody of the truth has",
        "Published levels of ill that nobody of the truth has",
    ]
    assert "Mars." in told[0]
    assert answer(question(COUNTS)).notes == ()


def test_a_claim_of_noise_beyond_any_number_is_refuted() -> None:
    found = answer(question(COUNTS, Claim.of("discrete-laplace", 1e-300))).noise
    assert found is not None
    assert found.rejected
    assert found.bars
