from __future__ import annotations

import epsilens as el
from epsilens.report.words.common import Note, Text
from epsilens.report.words.laws import bound_notes, law_blocks

TABLE = el.FrequencyTable.from_counts([[3, 0, 0], [1, 1, 1], [0, 5, 0], [1, 2, 0], [2, 0, 2]], ["no", "yes", "so"])


def test_each_law_is_a_sentence_and_its_warning_stands_below() -> None:
    found = el.assess(TABLE, epsilon=1.0, measure=("marginal", "shrinkage"), size_model="zero-inflated-poisson")
    sizes, warning, shares, *notes = law_blocks(found.beside.attributes[0].laws)
    assert isinstance(sizes, Text)
    assert sizes.text.startswith("Sizes of cells (marginal): zero-inflated Poisson, share 0, mean 3.")
    assert isinstance(warning, Note)
    assert warning.text.startswith("Warning: no empty cells are known")
    assert isinstance(shares, Text)
    assert shares.text.startswith("Shares of values (shrinkage): Dirichlet with alpha no ")
    assert len(notes) == 3
    assert law_blocks([]) == []


def test_a_law_that_was_given_has_no_aic() -> None:
    (law,) = el.assess(TABLE, epsilon=1.0, measure="marginal", size_model="fixed=4").beside.attributes[0].laws
    said, *notes = law_blocks([law])
    assert isinstance(said, Text)
    assert said.text.startswith("Sizes of cells (marginal): all the same, size 4; as given, distance ")
    assert "AIC" not in said.text
    assert len(notes) == 2


def test_many_labels_are_cut_in_words_and_not_in_numbers() -> None:
    wide = el.FrequencyTable.from_counts([[2, 1, 0, 0, 0, 1, 0, 0, 0, 3], [0, 0, 1, 1, 1, 0, 2, 1, 1, 1]])
    found = el.assess(wide, epsilon=1.0, measure="shrinkage", alpha=[1.0] * 10)
    said = law_blocks(found.beside.attributes[0].laws)[0]
    assert isinstance(said, Text)
    assert "7 1 and 2 more, sum 10; as given." in said.text
    assert len(found.to_dict()["laws"][0]["parameters"]["alpha"]) == 10


def test_a_bound_that_is_none_is_told() -> None:
    found = el.assess(
        TABLE, epsilon=(0.1, 5.0), measure=("published-local", "published-marginal-shrinkage", "published-p1-local")
    )
    local, generic = bound_notes(found.lines, [more.bounds for more in found.beside.budgets])
    assert isinstance(local, Note)
    assert local.text.startswith(
        "published-local: printed as an upper bound, but the exact risk is above it in 1 of 5 cells at epsilon = 0.1"
    )
    assert isinstance(generic, Note)
    assert "the exact risk is above it at epsilon" in generic.text
    two_labels = el.FrequencyTable.from_counts([[3, 0], [1, 2]])
    held = el.assess(two_labels, epsilon=(0.1, 5.0), measure="published-local")
    (holds,) = bound_notes(held.lines, [more.bounds for more in held.beside.budgets])
    assert holds == Note("published-local: printed as an upper bound, and it is one at all these budgets.")
