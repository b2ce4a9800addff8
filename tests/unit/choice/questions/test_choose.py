"""The question of ``choose`` is judged before any data is read, and its answer is what the library computes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.aggregates import PeopleAbove
from epsilens.choice.beside.profile_mechanisms import keeps_profile
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.questions.choose import Question, answer
from epsilens.errors import ParameterError
from epsilens.report.words.choose import choice_sentences
from epsilens.table.to_read import HierarchyToRead, TableToRead

TABLE = el.FrequencyTable.from_counts(
    [[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]],
    ["low", "high"],
    {"age": [str(20 + 10 * (i // 2)) for i in range(8)], "sex": ["f", "m"] * 4},
)
NOWHERE = TableToRead.of("nowhere.csv", ["age", "sex"], "income")
LEVELS = HierarchyToRead("nowhere.csv", ("block", "tract", "county"), ("age",))


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"max_risk": 1.5}, r"max_risk must lie in \(0, 1\], got 1.5; it is a probability"),
        ({"max_risk": 0.3, "max_error": 0.0}, "max_error must be > 0"),
        ({"max_risk": 0.3, "max_people": 2.5}, "max_people must be a whole number, got 2.5"),
        ({"max_risk": 0.3, "max_people": 2, "aggregate_by": "max"}, "max_people is an aggregate of its own"),
        ({"max_risk": 0.3, "mechanism": "laplac"}, "did you mean 'laplace'"),
        ({"max_risk": 0.3, "delta": 1e-6}, "'laplace' has no delta: epsilon alone is the budget; leave delta out"),
        ({"max_risk": 0.3, "mechanism": "gaussian"}, "needs a.*delta"),
        ({"max_risk": 0.3, "rho": True}, "'laplace' has no rho; choose epsilon instead"),
        ({"max_risk": 0.3, "rho": True, "mechanism": "discrete-gaussian", "delta": 0.1}, "delta belongs to"),
        ({"max_risk": 0.3, "rho": True, "mechanism": "discrete-gaussian", "profile": "3"}, "stated in epsilon"),
        ({"max_risk": 0.3, "profile": "foo"}, "profile must read like"),
        ({"max_risk": 0.3, "against": "laplace"}, "against names the mechanism itself"),
        ({"max_risk": 0.3, "against": "laplac"}, "against must be one of"),
        ({"max_risk": 0.3, "against": "gaussian-analytic"}, "'gaussian-analytic' needs a.*delta"),
        ({"max_risk": 0.3, "neighbours": "twins"}, "neighbours must be one of"),
        ({"max_risk": 0.3, "match": "all"}, "match must be one of any, share"),
        ({"max_risk": 0.3, "measure": "marginal", "size_model": "foo"}, "size_model must be one of"),
        ({"max_risk": 0.3, "size_model": "poisson"}, "'local' has no option size_model; it takes match and attributes"),
        ({"max_risk": 0.3, "prior": 0.2}, "prior is for posterior measures"),
        ({"max_risk": 0.3, "attributes": "max"}, "attributes='max' needs several sensitive columns"),
        ({"max_risk": 0.3, "attributes": "each"}, "attributes must be one of"),
        ({"max_risk": 0.3, "attack": "single"}, "attack belongs to a hierarchy"),
        ({"max_risk": 0.7, "measure": "posterior", "levers": True}, "levers change nothing for 'posterior'"),
        ({"max_risk": 0.7, "measure": "posterior", "aggregate_by": "max"}, "use aggregate_by='mean'"),
        ({"max_risk": 0.7, "measure": "posterior", "shares": (1.0,)}, "shares belongs to a hierarchy"),
        ({"max_risk": 3.0, "measure": "posterior-ratio"}, r"must lie in \(1, 2\], from nothing learnt"),
        ({"max_risk": 0.7, "data": LEVELS}, "'local' is one of a table; .*take measure='posterior-ratio'"),
        ({"max_risk": 0.7, "data": LEVELS, "measure": "posterior", "shares": (0.5, 0.5)}, r"per level \(3\), got 2"),
        ({"max_risk": 0.7, "data": LEVELS, "measure": "posterior", "match": "any"}, "it takes attack, prior, rare and"),
        ({"max_risk": 0.7, "data": LEVELS, "measure": "posterior", "rare": 0}, "rare must be >= 1"),
        ({"max_risk": 0.7, "data": LEVELS, "measure": "posterior", "attack": "x"}, "attack must be one of"),
    ],
)
def test_what_makes_no_sense_is_refused_without_data(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**{"data": NOWHERE, **asked})


def test_a_sum_over_attributes_is_bounded_by_their_number() -> None:
    two = TableToRead.of("nowhere.csv", "q", ["first", "second"])
    assert Question(max_risk=1.5, attributes="sum", data=two).asked.attributes == "sum"
    with pytest.raises(ParameterError, match=r"of a sum over 2 attributes must lie in \(0, 2\], got 2.5"):
        Question(max_risk=2.5, attributes="sum", data=two)


def test_a_question_without_a_place_fits_any_table_that_is_given() -> None:
    found = answer(Question(max_risk=0.4), TABLE)
    assert found.to_dict() == choose_budget(TABLE, max_risk=0.4).to_dict() | {
        "aggregate_words": "average risk over people",
        "worst_case": found.worst_case and found.worst_case.to_dict(),
    }
    with pytest.raises(ParameterError, match="say in data where they are"):
        answer(Question(max_risk=0.4))
    with pytest.raises(ParameterError, match="attributes='sum' needs several"):
        answer(Question(max_risk=0.4, attributes="sum"), TABLE)


def test_companions_stand_beside_the_choice() -> None:
    question = Question(max_risk=0.4, profile="max(0.25/p,3)", against="discrete-laplace", levers=True)
    found = answer(question, TABLE)
    assert found.profile is not None
    assert found.profile_limit == found.profile["epsilon"]
    assert found.budget == found.choice.capped(found.profile["epsilon"])
    assert found.public_budget == found.choice.public_budget_within(found.profile["epsilon"])
    assert found.matched_risk is not None
    assert [effect.kind for effect in found.lever_effects].count("none") == 1
    plain = found.to_dict()
    assert plain["combined_budget"] == found.budget
    assert plain["levers"] == [effect.to_dict() for effect in found.lever_effects]
    assert plain["matched_risk"] == found.matched_risk.to_dict()


def test_what_is_offered_keeps_the_profile_when_looked_at_itself() -> None:
    """Epsilon 2 was offered, where this profile is exceeded with a chance of 1.93e-6."""
    question = Question(max_risk=0.7, mechanism="discrete-gaussian", delta=1e-6, profile="20")
    found = answer(question, TABLE)
    assert found.profile_limit is not None
    assert found.budget == found.profile_limit < 2.0
    assert found.public_budget == 1.0
    assert question.risk_profile is not None
    assert keeps_profile(question.risk_profile, found.choice.dial, found.public_budget)
    assert f"but for a chance of {1e-6:g} at most" in " ".join(choice_sentences(found.to_dict()))


def test_a_delta_may_belong_to_the_second_mechanism_alone() -> None:
    question = Question(max_risk=0.4, against="gaussian-analytic", delta=1e-5)
    assert question.asked.delta is None
    assert question.asked_against is not None
    assert question.asked_against.delta == 1e-5


def test_no_budget_and_no_need_for_one() -> None:
    none, endless = answer(Question(max_risk=0.01), TABLE), answer(Question(max_risk=1.0), TABLE)
    assert (none.budget, endless.budget) == (None, None)
    assert "worst_case" not in none.to_dict()
    assert none.choice.remedies


def test_unknown_options_of_a_measure_are_named_with_what_it_takes() -> None:
    with pytest.raises(ParameterError, match="'local' has no option weighted; it takes match and attributes"):
        choose_budget(TABLE, weighted=True)
    with pytest.raises(ParameterError, match="'posterior' has no option alpha; it takes prior"):
        choose_budget(TABLE, max_risk=0.7, measure="posterior", alpha=(1.0, 1.0))


def test_a_statistic_is_not_an_aggregate() -> None:
    with pytest.raises(ParameterError, match=r"aggregate_by must be mean, .* got an object Mean"):
        choose_budget(TABLE, aggregate_by=el.Mean("age", 0, 99))  # type: ignore[arg-type]
    assert choose_budget(TABLE, max_risk=0.6, aggregate_by=PeopleAbove(9)).dial.aggregate == PeopleAbove(9)


def test_a_point_above_the_prior_is_the_ceiling() -> None:
    question = Question(max_gain=0.05, measure="posterior", prior=0.1, mechanism="discrete-gaussian", rho=True)
    assert question.max_risk == pytest.approx(0.15)
    assert replace(question, prior=None, max_risk=0.0).max_risk == 0.55
    plain = answer(replace(question, measure="posterior-ratio", prior=0.5, max_risk=0.0), TABLE).to_dict()
    assert (plain["max_gain"], plain["prior"], plain["max_risk"]) == (0.05, 0.5, pytest.approx(1.1))
    assert plain["risk"] == pytest.approx(1.1)
    with pytest.raises(ParameterError, match="give either max_risk or max_gain, and not both"):
        Question(max_gain=0.05, max_risk=0.3, measure="posterior")
    with pytest.raises(ParameterError, match="max_risk must lie in"):
        Question()
