from __future__ import annotations

from types import SimpleNamespace

import pytest

import epsilens as el
from epsilens.choice.publication import Publication, assess_publication
from epsilens.homogeneity import Release
from epsilens.report.words.common import Grid, Note, finer_percent, percent
from epsilens.report.words.sequence import (
    closing_sentences,
    difference_sentences,
    rule_sentences,
    shown_sentences,
    summary,
)

JOINT = el.FrequencyTable(
    ("ax", "ay", "bx", "by"),
    el.FrequencyTable.from_counts([[3, 0, 1, 0], [1, 0, 0, 2]], cells={"town": ["a", "b"]}).store,
    ("town",),
    ("income", "ill"),
    (("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")),
)


def released(table: el.FrequencyTable, epsilon: float, name: str) -> Release:
    return Release(table, el.LaplaceNoise(1.0 / epsilon), el.PureDP(epsilon), name=name)


@pytest.fixture
def chain() -> Publication:
    return assess_publication(
        [released(JOINT.attribute("income"), 1.0, "income"), released(JOINT, 1.0, "both")], "laplace", delta=1e-6
    )


def test_the_words_are_those_of_the_numbers(chain: Publication) -> None:
    first, second = closing_sentences(chain)
    values = chain.to_dict()
    last = values["steps"][-1]
    for risk in last["risks"].values():
        assert percent(risk) in first
    assert f"{last['people']:,} people" in first
    told = finer_percent(last["largest"], values["at_least_one_attribute"][""], last["total"])
    assert second == (
        f"At least one attribute is given away for {told[1]}; it must lie between {told[0]} (everybody's riskiest "
        f"attribute alone, averaged) and {told[2]} (the sum over attributes)."
    )


def test_the_rule_to_take_is_named(chain: Publication) -> None:
    (advice,) = rule_sentences(chain.spent)
    assert advice.startswith("Take basic: epsilon = 2. ")  # no other rule has less, and it needs no delta
    gaussian = [
        Release(JOINT, el.DiscreteGaussianNoise(2.0), el.ZCDP(0.125), name=name, neighbours="add-remove")
        for name in ("a", "b")
    ]
    best, otherwise = rule_sentences(assess_publication(gaussian, "discrete-gaussian", delta=1e-6).spent)
    assert best.startswith("Take pld: epsilon = ")
    assert "chosen after looking at an earlier release, take basic instead: epsilon = " in otherwise
    (nothing,) = rule_sentences(assess_publication(gaussian, None).spent)
    assert nothing.startswith("No rule gives an epsilon")


def test_every_rule_is_explained_below_its_table(chain: Publication) -> None:
    notes = [block.text for block in summary(chain) if isinstance(block, Note)]
    for row in chain.spent.rows:
        assert any(note.startswith(f"{row.rule}: ") for note in notes)


def test_without_a_joint_table_only_bounds_are_given() -> None:
    apart = [released(JOINT.attribute(name), 1.0, name) for name in ("income", "ill")]
    found = assess_publication(apart, "laplace")
    assert found.some_attribute == {"": None}
    assert "cannot be told" in closing_sentences(found)[1]


def test_the_summary_has_a_row_per_attribute_and_a_row_per_rule(chain: Publication) -> None:
    given_away, costs = [block for block in summary(chain) if isinstance(block, Grid)]
    assert [row[:2] for row in given_away.rows] == [("income", "income"), ("both", "income"), ("", "ill")]
    assert given_away.rows[0][2] == percent(chain.steps[0].risks["income"])
    assert [row[0] for row in costs.rows] == [row.rule for row in chain.spent.rows]
    assert all(len(row) == len(grid.headings) for grid in (given_away, costs) for row in grid.rows)


def test_why_there_is_nothing_in_print_is_said() -> None:
    mixed = assess_publication([released(JOINT, 1.0, "both")], None)
    notes = [block.text for block in summary(mixed) if isinstance(block, Note)]
    assert "Not in print: the releases use different mechanisms." in notes


def test_a_difference_names_the_release_that_leaves_people_out() -> None:
    table = el.FrequencyTable.from_counts([[1, 0], [0, 2]])
    left = SimpleNamespace(larger="b", smaller="a", cohorts=("new",), table=table, averages=lambda: {"income": 0.25})
    (told,) = difference_sentences(SimpleNamespace(differences=[left]))  # type: ignore[arg-type]
    assert told.startswith("'b' less 'a' counts the 3 people of cohort new, whom 'a' leaves out")


def test_an_average_never_stands_alone(chain: Publication) -> None:
    income, ill = (shown_sentences(shown) for shown in chain.shown)
    assert income[0].startswith("income, after all releases. Worst off: ")
    assert income[1].startswith("At least one release shows people as ")
    assert " rightly and " in ill[1]
    assert income[2].startswith("Counted as harmful: every value but missing ones")
    declared = JOINT.with_harm("ill=y")
    found = assess_publication([released(declared, 1.0, "both")], "laplace")
    assert "shows a single value that counts as harmful, and it is theirs." in closing_sentences(found)[0]
    assert shown_sentences(found.shown[1])[2] == "Counted as harmful: y, as declared. Being shown as x is not counted."
