from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, answer, assess, assessment_curves, curve_steps, steps
from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.attributes import attribute_risks
from epsilens.table.to_read import TableToRead

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 0], [0, 5]], labels=["no", "yes"])
PEOPLE = "sex,income,ill\nf,low,no\nf,low,no\nm,high,yes\nm,low,no\n"


def test_the_table_is_given_or_read_from_where_the_question_says(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    data = TableToRead.of(tmp_path / "people.csv", "sex", "income")
    question = Question(epsilons=(1.0,), data=data)
    given = el.read_table(tmp_path / "people.csv", el.Schema("sex", "income"))
    assert answer(question).to_dict() == answer(Question(epsilons=(1.0,)), given).to_dict()
    assert answer(question, given).to_dict() == assess(given, question).to_dict()
    with pytest.raises(ParameterError, match="say in data where it is"):
        answer(Question())


def test_steps_are_as_many_as_are_reported(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    table = TableToRead.of(tmp_path / "people.csv", "sex", ["income", "ill"]).read()
    question = Question(mechanisms=("laplace", "discrete-laplace"), epsilons=(1.0,))
    seen: list[int] = []
    assess(table, question, seen.append)
    assert sum(seen) == steps(question, 2) == 6
    seen.clear()
    assessment_curves(table, question, seen.append)
    assert sum(seen) == curve_steps(question, 2)


@pytest.mark.parametrize("measures", [("local",), ("local", "hard"), ("expected",)])
def test_two_threads_find_what_one_does(
    measures: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    data = TableToRead.of(tmp_path / "people.csv", "sex", "income", harmful=["income=low"])
    question = Question(measures=measures, mechanisms=("laplace", "discrete-laplace"), epsilons=(0.5, 2.0), data=data)
    alone = answer(question).to_dict()
    monkeypatch.setattr("epsilens.choice.questions.assess._MANY_SIGNATURES", 1)
    monkeypatch.setattr("epsilens.threads.usable_cores", lambda: 2)
    seen: list[int] = []
    assert answer(question, progress=seen.append).to_dict() == alone
    assert sum(seen) == steps(question, 1)


def test_default_budgets_of_the_classic_gaussian_stop_below_1() -> None:
    result = assess(TABLE, Question(mechanisms=("gaussian",), delta=1e-5))
    assert [line.epsilon for line in result.lines] == [0.1, 0.5]
    ((_, curve),) = assessment_curves(TABLE, Question(mechanisms=("gaussian",), delta=1e-5))
    assert max(vars(budget)["epsilon"] for budget in curve.budgets) < 1


def test_several_attributes_are_assessed_alone_and_jointly() -> None:
    table = el.FrequencyTable(
        ("a | x", "a | y", "b | x"),
        el.FrequencyTable.from_counts([[2, 1, 0], [0, 0, 3]]).store,
        sensitive=("first", "second"),
        label_values=(("a", "x"), ("a", "y"), ("b", "x")),
    )
    result = assess(table, Question(epsilons=(1.0,)))
    assert [attribute.sensitive for attribute in result.today] == ["first", "second", "first x second"]
    assert [attribute.diagnostics.homogeneous_cells for attribute in result.today] == [2, 1, 1]
    noise = el.LaplaceNoise(1.0)
    alone = el.FrequencyTable.from_counts([[3, 0], [0, 3]])
    assert result.lines[0].risks["local"] == pytest.approx(float(np.mean(el.homogeneity.local(alone, noise))))


TWO = pd.DataFrame({"q": ["f", "f", "f", "m", "m"], "y": ["a", "a", "b", "b", "b"], "w": ["s", "s", "t", "t", "s"]})


def test_it_says_in_which_tables_attributes_are_and_takes_them_together() -> None:
    table = el.read_table(TWO, el.Schema("q", ["y", "w"]))
    noise = el.LaplaceNoise(1.0)
    usual = assess(table, Question(epsilons=(1.0,))).to_dict()
    assert [row["published"] for row in usual["budgets"]] == ["separate", "separate", "joint"]
    alone = np.stack([el.homogeneity.local(table.attribute(name), noise) for name in "yw"], axis=1)
    (together,) = usual["overall"]
    assert together["max"]["local"] == pytest.approx(alone.max(axis=1) @ [0.6, 0.4])
    assert together["sum"]["local"] == pytest.approx(alone.sum(axis=1) @ [0.6, 0.4])
    joint = assess(table, Question(epsilons=(1.0,), publish="joint"))
    within = attribute_risks(table, noise)
    assert [line.risks["local"] for line in joint.lines[:2]] == pytest.approx([0.6, 0.4] @ within)
    assert joint.overall[0].largest["local"] == pytest.approx(within.max(axis=1) @ [0.6, 0.4])
    divided = assess(table, Question(epsilons=(2.0,), publish="separate", budget_of="all", measures=("expected",)))
    assert [line.noise for line in divided.lines] == [noise, noise]  # the combination has no such measure
    curves = dict(assessment_curves(table, Question(publish="joint")))
    assert curves["y"].risks[60] == pytest.approx(
        assess(table, Question(epsilons=(curves["y"].to_rows()[60]["epsilon"],), publish="joint"))
        .lines[0]
        .risks["local"]
    )


def test_empty_cells_of_the_universe_count_in_zero_inflated_fits_alone() -> None:
    universe = {"q": ["f", "m", "n", "o"]}
    question = Question(epsilons=(1.0,), measures=("published-marginal-shrinkage",), size_model="zero-inflated-poisson")
    plain, inflated = (
        assess(el.read_table(TWO, el.Schema("q", ["y", "w"], universe=declared)), question)
        for declared in (None, universe)
    )
    assert plain.universe is None
    assert inflated.universe is not None
    assert (inflated.universe.cells, inflated.universe.counts, inflated.universe.found) == (4, 16, ("y", "w"))
    for before, after in zip(plain.lines, inflated.lines, strict=True):
        assert after.risks["published-marginal-shrinkage"] < before.risks["published-marginal-shrinkage"]
        assert after.belief == before.belief
