"""``utility`` asks of noise and marginals alone, and its numbers are those of the library."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.questions import utility
from epsilens.choice.questions.utility import Answer, Question, answer
from epsilens.choice.whole_universe import over_universe
from epsilens.errors import DataError, ParameterError
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.table.to_read import TableToRead
from epsilens.utility.marginal_distance import all_marginals, marginal_distances

PEOPLE = pd.DataFrame(
    {
        "q": ["f", "f", "f", "m", "m", "m", "m", "f"],
        "r": ["x", "x", "z", "z", "z", "x", "x", "x"],
        "y": ["a", "a", "b", "b", "b", "a", "b", "a"],
        "w": ["s", "s", "t", "t", "s", "s", "s", "t"],
    }
)
UNIVERSE = {"q": ["f", "m", "n"], "r": ["x", "z"], "y": ["a", "b"], "w": ["s", "t"]}


def of(question: Question, sensitive: str | list[str] = "y", universe: bool = True, **more: object) -> Answer:
    columns = ("q", "r", *([sensitive] if isinstance(sensitive, str) else sensitive))
    declared = {name: UNIVERSE[name] for name in columns} if universe else None
    schema = el.Schema(["q", "r"], sensitive, universe=declared, **more)  # type: ignore[arg-type]
    return answer(question, el.read_table(PEOPLE, schema))


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"mechanisms": ()}, "name at least one mechanism"),
        ({"mechanisms": ("laplase",)}, "did you mean 'laplace'"),
        ({"deltas": (0.1,)}, "mechanism 'laplace' has no delta"),
        ({"mechanisms": ("gaussian-analytic",)}, "needs a delta"),
        ({"ways": (0,)}, "ways must be >= 1"),
        ({"ways": (4,)}, "ways must be at most 3, the number of columns of a table, got 4"),
        ({"repetitions": 1}, "repetitions must be >= 2"),
        ({"budget_of": "all"}, "budget_of is about several tables, and there is one; leave it out, or take"),
        ({"publish": "separate"}, "publish is about several sensitive columns, and there is one"),
        ({"sanitised": "cells"}, "sanitised must be one of table, marginals"),
        ({"seed": -1}, "seed must be >= 0"),
    ],
)
def test_what_makes_no_sense_is_refused_without_data(asked: dict[str, object], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(data=TableToRead.of("nowhere.csv", ["q", "r"], "y"), **asked)  # type: ignore[arg-type]


def test_too_many_marginals_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utility, "MOST_MARGINALS", 5)
    with pytest.raises(ParameterError, match="ways make 7 marginals, and at most 5 are looked at"):
        Question(data=TableToRead.of("nowhere.csv", ["q", "r"], "y"))
    with pytest.raises(ParameterError, match="say in data where it is"):
        answer(Question())


def test_every_budget_has_every_marginal_exact_and_simulated() -> None:
    question = Question(
        mechanisms=("laplace", "gaussian-analytic"), epsilons=(1.0, 4.0), deltas=(0.1, 0.01), repetitions=300
    )
    found = of(question)
    assert question.steps == len(found.lines) == 6
    assert [(line.epsilon, line.delta) for line in found.lines[2:4]] == [(1.0, 0.1), (4.0, 0.1)]
    whole = over_universe(el.read_table(PEOPLE, el.Schema(["q", "r"], "y", universe={n: UNIVERSE[n] for n in "qry"})))
    first, marginals = found.lines[0], all_marginals(("q", "r", "y"))
    exact = marginal_distances(whole, el.LaplaceNoise(1.0), marginals)
    assert [m.marginal for m in first.marginals] == marginals
    assert [m.expected for m in first.marginals] == [one.distance for one in exact]
    assert first.error == expected_absolute_error(el.LaplaceNoise(1.0))
    assert [s.marginals for s in first.by_ways] == [3, 3, 1]
    for marginal in first.marginals:
        assert marginal.low is not None
        assert marginal.high is not None
        assert marginal.low < marginal.distance < marginal.high
    summary = first.by_ways[0]
    assert summary.release_low is not None
    assert summary.release_high is not None
    assert summary.release_low < summary.median < summary.release_high
    # by hand: the marginal of everything, raised to 0, over its own total
    rng, counts = np.random.default_rng(5), np.maximum(whole.vectors, 0).ravel()
    drawn = np.maximum(np.floor(counts + rng.laplace(0.0, 1.0, (4000, counts.size)) + 0.5), 0.0)
    by_hand = 0.5 * np.abs(drawn / np.maximum(drawn.sum(axis=1), 1.0)[:, None] - counts / 8.0).sum(axis=1)
    last = first.marginals[-1]
    assert last.standard_error is not None
    assert abs(last.distance - by_hand.mean()) < 5.0 * math.hypot(last.standard_error, by_hand.std() / 63.0)
    # of the 2 cells without anybody, by hand as well
    assert first.empty_shown == pytest.approx(2 * (1.0 - float(el.LaplaceNoise(1.0).cdf(0.5)) ** 2))
    assert of(question, universe=False).lines[0].empty_shown is None
    assert of(question).to_dict() == found.to_dict()


def test_counts_below_0_may_stay() -> None:
    kept = of(Question(epsilons=(1.0,), keep_negative=True, ways=(1,), repetitions=50))
    raised = of(Question(epsilons=(1.0,), ways=(1,), repetitions=50))
    assert kept.to_dict()["negative_counts"] == "kept"
    assert [m.expected for m in kept.lines[0].marginals] == [m.expected for m in raised.lines[0].marginals]
    assert [m.mean for m in kept.lines[0].marginals] != [m.mean for m in raised.lines[0].marginals]


def test_several_tables_have_each_the_budget_or_share_it() -> None:
    each = of(Question(epsilons=(1.0,), publish="separate", repetitions=2), ["y", "w"])
    assert [(line.table, line.noise) for line in each.lines] == [
        ("y", el.LaplaceNoise(1.0)),
        ("w", el.LaplaceNoise(1.0)),
    ]
    assert {len(m.marginal) for m in each.lines[0].marginals} == {1, 2, 3}
    shared = of(Question(epsilons=(1.0,), publish="separate", budget_of="all", repetitions=2), ["y", "w"])
    assert (shared.tables, shared.lines[0].noise) == (2, el.LaplaceNoise(2.0))
    direct = of(Question(epsilons=(1.0,), sanitised="marginals", budget_of="all", repetitions=2, ways=(1,)), ["y", "w"])
    assert (direct.tables, direct.lines[0].noise, direct.lines[0].cell_error) == (4, el.LaplaceNoise(4.0), None)


def test_a_universe_too_large_to_list_has_exact_expectations(monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question(epsilons=(1.0,))
    listed = of(question)
    monkeypatch.setattr(utility, "MOST_COUNTS", 11)
    found = of(question)
    assert found.repetitions is None
    assert [m.mean for m in found.lines[0].marginals] == [None] * 7
    assert [m.expected for m in found.lines[0].marginals] == pytest.approx(
        [m.expected for m in listed.lines[0].marginals]
    )
    assert found.lines[0].empty_shown == pytest.approx(listed.lines[0].empty_shown)
    assert found.lines[0].cell_error == listed.lines[0].cell_error
    with pytest.raises(ParameterError, match="universe has 12 counts, and at most 11 are simulated; leave out"):
        of(Question(epsilons=(1.0,), repetitions=5))
    monkeypatch.setattr(utility, "MOST_COUNTS", 10)
    with pytest.raises(ParameterError, match="with structural zeros nothing is known of more"):
        of(question, structural_zeros=[{"q": "n", "y": "b", "r": "x"}])


def test_usual_marginals_are_those_that_there_are() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [1, 2]], cells={"sex": ["f", "m"]})
    assert answer(Question(epsilons=(1.0,), repetitions=2), table).to_dict()["ways"] == [1, 2]


def test_results_show_themselves_without_people() -> None:
    found = of(Question(epsilons=(1.0,), repetitions=2))
    assert "1 budget" in repr(found)
    assert "INTERNAL" in found._repr_html_()
    assert "laplace" in repr(found.lines[0])


def test_too_many_counts_are_refused_before_full_rows_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utility, "MOST_FOUND", 7)
    with pytest.raises(DataError, match="4 cells by 2 labels are 8 counts, and the marginals of at most 7"):
        of(Question(mechanisms=("laplace",)), universe=False)
