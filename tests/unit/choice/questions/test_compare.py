from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.choose.equal_risk import RiskCeiling
from epsilens.choice.comparison import compare
from epsilens.choice.questions.compare import Question, answer, check_axis, read_hierarchy
from epsilens.errors import ParameterError, SourceError
from epsilens.table.to_read import TableToRead

TABLE = el.FrequencyTable.from_counts(
    [[5, 1], [3, 2], [4, 0], [7, 6]], ["no", "yes"], {"town": ["a", "a", "b", "b"], "sex": ["f", "m"] * 2}
)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"systems": "laplas"}, "did you mean 'laplace'"),
        ({"epsilons": (0.0,)}, "epsilon must be > 0"),
        ({"epsilons": ()}, "epsilon needs at least one number"),
        ({"repetitions": 1}, "repetitions must be >= 2"),
        ({"n_jobs": 0}, "n_jobs must be >= 1"),
        ({"seed": -1}, "seed must be >= 0"),
        ({"k": 0}, "k must be"),
        ({"prior": 1.0}, "prior must lie strictly"),
        ({"swapped_share": float("nan")}, "swapped_share must be finite"),
        ({"equal_risk": "homogeneity"}, "equal_risk must be KIND=RISK"),
        ({"equal_risk": "luck=0.1"}, "homogeneity or posterior, got 'luck'"),
        ({"equal_risk": "posterior=0.7", "epsilons": (1.0,)}, "leave out epsilon"),
        ({"equal_risk": "posterior=0.7", "with_theorems": True}, "theorems are about given epsilons"),
        ({"systems": "laplace", "k": (2, 3)}, "k has several values, but no chosen system"),
        ({"bound": 0}, "bound must be >= 1"),
        (
            {"data": TableToRead.of("no.csv", "q", "y", unit="who", max_rows_per_unit=2)},
            "for one row per person.*read it with a max_rows_per_unit of 1",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_without_data(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**asked)


def test_the_answer_is_the_comparison(tmp_path: Path) -> None:
    question = Question(systems=("laplace", "suppression"), epsilons=(1.0,), repetitions=2, k=2, classify=False)
    direct = compare(TABLE, ["laplace", "suppression"], [1.0], 2, k=2, classify=False)
    steps: list[int] = []
    assert answer(question, TABLE, steps.append).to_dict() == direct.to_dict()
    assert sum(steps) == question.steps
    with pytest.raises(ParameterError, match="say in data where it is"):
        answer(question)


def test_a_universe_comes_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("town,ill\na,no\na,yes\nb,no\nb,no\n")
    data = TableToRead.of(tmp_path / "p.csv", "town", "ill", universe={"town": ["a", "b", "c"]})
    found = answer(Question(systems="laplace", epsilons=(1.0,), repetitions=2, k=2, data=data))
    assert found.baseline["cells"] == 6


def test_equal_risk_as_a_text_or_as_what_it_is() -> None:
    assert Question(equal_risk="posterior=0.7", prior=0.3).ceiling == RiskCeiling("posterior", 0.7, 0.3)
    assert Question(equal_risk=RiskCeiling("homogeneity", 0.1)).ceiling == RiskCeiling("homogeneity", 0.1)
    assert Question().budgets == (0.5, 1.0, 2.0, 4.0)


def test_an_axis_needs_two_values_of_what_a_system_depends_on() -> None:
    both = Question(systems=("laplace", "suppression"), k=(2, 4))
    assert check_axis("epsilon", both) == "epsilon"
    assert check_axis("k", both) == "k"
    with pytest.raises(ParameterError, match="did you mean 'share'"):
        check_axis("shares", both)
    with pytest.raises(ParameterError, match=r"axis needs a system that depends on share.*list them in swapped_share"):
        check_axis("share", both)
    with pytest.raises(ParameterError, match="axis needs a system that depends on epsilon, at two values or more"):
        check_axis("epsilon", Question(systems="suppression"))
    with pytest.raises(ParameterError, match="axis must not be epsilon where a risk is held equal"):
        check_axis("epsilon", Question(equal_risk="posterior=0.7"))
    assert both.steps == (4 + 2) * 10


def test_hierarchies_are_read_from_files(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"a": "*", "b": "*"}))
    assert read_hierarchy("town", path).leaves == ("a", "b")
    path.write_text(json.dumps({"a": 1}))
    with pytest.raises(SourceError, match="must map every child to its parent"):
        read_hierarchy("town", path)
