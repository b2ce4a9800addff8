"""The question of ``choose`` is judged before any data is read, and its answer is what the library computes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.aggregates import PeopleAbove
from epsilens.choice.beside.profile_mechanisms import keeps_profile
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.questions.choose import Question, answer
from epsilens.choice.questions.choose_people import told_of_people
from epsilens.choice.whole_universe import over_universe
from epsilens.errors import ParameterError
from epsilens.report.words.choose import choice_sentences
from epsilens.table.to_read import HierarchyToRead, TableToRead
from epsilens.utility import mean_cell_error

TABLE = el.FrequencyTable.from_counts(
    [[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]],
    ["low", "high"],
    {"age": [str(20 + 10 * (i // 2)) for i in range(8)], "sex": ["f", "m"] * 4},
)
NOWHERE = TableToRead.of("nowhere.csv", ["age", "sex"], "income")
TWO = TableToRead.of("nowhere.csv", ["age", "sex"], ["income", "ill"])
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
        ({"max_risk": 0.3, "size_model": "poisson"}, "no option size_model; it takes match, attributes, publish and"),
        ({"max_risk": 0.3, "prior": 0.2}, "prior is for posterior measures"),
        ({"max_risk": 0.3, "attributes": "max"}, "attributes='max' needs several sensitive columns"),
        ({"max_risk": 0.3, "attributes": "each"}, "attributes must be one of"),
        ({"max_risk": 0.3, "attack": "single"}, "attack belongs to a hierarchy"),
        ({"max_risk": 0.7, "measure": "posterior", "levers": True}, "levers change nothing for 'posterior'"),
        ({"max_risk": 0.7, "measure": "posterior", "aggregate_by": "max"}, "use aggregate_by='mean'"),
        ({"max_risk": 0.7, "measure": "posterior", "shares": (1.0,)}, "shares belongs to a hierarchy"),
        ({"max_risk": 3.0, "measure": "posterior-ratio"}, r"must lie in \(1, 2\], from nothing learnt"),
        ({"max_risk": 0.3, "publish": "separate"}, "publish is about several sensitive columns, and there is one"),
        ({"max_risk": 0.3, "data": TWO, "publish": "apart"}, "publish must be one of joint, separate"),
        (
            {"max_risk": 0.3, "data": TWO, "budget_of": "all"},
            "budget_of is about several tables; add publish='separate'",
        ),
        (
            {"max_risk": 0.7, "data": TWO, "publish": "separate", "measure": "posterior"},
            "is about one count of a person",
        ),
        (
            {"max_risk": 0.3, "data": TWO, "publish": "separate", "attributes": "joint", "measure": "expected"},
            "the combination of what separate tables show, is known for measure 'local' only",
        ),
        (
            {"max_risk": 0.3, "data": TWO, "publish": "separate", "profile": "3"},
            "profile is about all that is published of a person; add budget_of='all'",
        ),
        ({"max_risk": 0.7, "data": LEVELS}, "'local' is one of a table; .*take measure='posterior-ratio'"),
        ({"max_risk": 0.7, "data": LEVELS, "measure": "posterior", "shares": (0.5, 0.5)}, r"per level \(3\), got 2"),
        (
            {"max_risk": 0.7, "data": LEVELS, "measure": "posterior", "match": "any"},
            "it takes attack, prior, family, rare and",
        ),
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
        "universe": None,
        "published_error": mean_cell_error(TABLE, found.choice.noises[0]),
        **told_of_people("epsilon", found.taken, found.table, found.people),
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
    with pytest.raises(ParameterError, match="'local' has no option weighted; it takes match, attributes, publish and"):
        choose_budget(TABLE, weighted=True)
    with pytest.raises(ParameterError, match="'posterior' has no option alpha; it takes prior"):
        choose_budget(TABLE, max_risk=0.7, measure="posterior", alpha=(1.0, 1.0))


def test_a_statistic_is_not_an_aggregate() -> None:
    with pytest.raises(ParameterError, match=r"aggregate_by must be mean, .* got an object Mean"):
        choose_budget(TABLE, aggregate_by=el.Mean("age", 0, 99))  # type: ignore[arg-type]
    assert choose_budget(TABLE, max_risk=0.6, aggregate_by=PeopleAbove(9)).dial.aggregate == PeopleAbove(9)


PEOPLE = pd.DataFrame(
    [
        (age, sex, income, ill)
        for age, sex, income, ill, times in [
            ("20", "f", "low", "no", 4), ("20", "m", "low", "yes", 2), ("20", "m", "high", "no", 1),
            ("30", "f", "high", "no", 3), ("30", "f", "low", "no", 1), ("30", "m", "high", "yes", 1),
        ]
        for _ in range(times)
    ],
    columns=["age", "sex", "income", "ill"],
)  # fmt: skip


@pytest.mark.parametrize("budget_of", ["each", "all"])
@pytest.mark.parametrize(("attributes", "ceiling"), [(None, 0.6), ("sum", 1.1), ("joint", 0.3)])
def test_separate_tables_are_chosen_for_as_they_are_published(
    attributes: str | None, ceiling: float, budget_of: str
) -> None:
    """Every budget of the safe set and none beside it, by the product of what the tables show."""
    table = el.read_table(PEOPLE, el.Schema(["age", "sex"], ["income", "ill"]))
    question = Question(max_risk=ceiling, attributes=attributes, publish="separate", budget_of=budget_of)
    found = answer(question, table)
    people = table.counts.sum(axis=1) / table.n_records
    tables = [table.attribute(name) for name in table.sensitive]

    def risk(epsilon: float) -> float:
        noise = el.LaplaceNoise((2.0 if budget_of == "all" else 1.0) / epsilon)
        if attributes == "joint":
            alone = [
                np.array([[_alone(row, k, noise) for k in range(2)] for row in one.counts.tolist()]) for one in tables
            ]
            held = table.counts > 0
            where = [(one.index(a), two.index(b)) for one, two in [(tables[0].labels, tables[1].labels)]
                     for a, b in table.label_values]  # fmt: skip
            both = sum(held[:, k] * alone[0][:, i] * alone[1][:, j] for k, (i, j) in enumerate(where))
            return float(people @ both)
        risks = np.stack([el.homogeneity.local(one, noise) for one in tables], axis=1)
        return float(people @ (risks.sum(axis=1) if attributes == "sum" else risks.max(axis=1)))

    for epsilon in np.geomspace(0.01, 30.0, 60):
        inside = any(safe.low <= epsilon <= safe.high for safe in found.choice.safe_set)
        assert inside == (risk(float(epsilon)) <= ceiling)
    plain = found.to_dict()
    assert (plain["publish"], plain["budget_of"], plain["attributes"]) == ("separate", budget_of, attributes or "max")
    assert len(found.choice.noises) == 2
    assert found.worst_case is not None
    together = found.choice.finite_budget * (1 if budget_of == "all" else 2)
    assert found.worst_case.odds_factor == pytest.approx(math.exp(together), rel=1e-6)
    assert "published as separate tables" in choice_sentences(plain)[1]


def _alone(counts: list[int], k: int, noise: el.LaplaceNoise) -> float:
    shown = [float(noise.sf(0.5 - count)) for count in counts]
    return math.prod(p if j == k else 1.0 - p for j, p in enumerate(shown))


def test_counts_of_the_universe_are_previewed() -> None:
    universe = {"age": ["20", "30", "40"], "sex": ["f", "m"], "income": ["low", "high"]}
    table = el.read_table(PEOPLE, el.Schema(["age", "sex"], "income", universe=universe))
    plain = answer(Question(max_risk=0.4, levers=True), table).to_dict()
    assert plain["universe"] == {"cells": 6, "counts": 12, "further_cells": 2, "further_counts": 4, "found": []}
    noise = answer(Question(max_risk=0.4), table).choice.noises[0]
    assert plain["published_error"] == pytest.approx(mean_cell_error(over_universe(table), noise))
    bare = answer(Question(max_risk=0.4, levers=True), el.read_table(PEOPLE, el.Schema(["age", "sex"], "income")))
    assert bare.to_dict()["safe_set"] == plain["safe_set"]  # nobody is in an empty cell
    assert [lever["cells"] for lever in plain["levers"] if lever["name"] == "drop sex"] == [3]
    assert "No universe is declared" in choice_sentences(bare.to_dict())[1]


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
