"""k-anonymity by whole columns and suppression."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.errors import ParameterError
from tests.support.avoidance import TREE, people, random_histogram


def test_published_classes_have_k_people_and_the_limit_holds() -> None:
    records = people(400)
    for k, limit in ((2, 0.0), (5, 0.05), (20, 0.3)):
        found = av.FullDomainKAnonymity(k, hierarchies={"town": TREE}, max_suppressed=limit).anonymised(records)
        assert found.sizes.min() >= k
        assert found.suppressed <= limit * 400
        assert int(found.sizes.sum()) + found.suppressed == 400
        assert sum(int(row["count"]) for row in found.rows()) == 400 - found.suppressed


def test_records_come_back_as_records_of_the_same_columns() -> None:
    records = people(200)
    released = av.FullDomainKAnonymity(4, max_suppressed=0.5).release(records, np.random.default_rng(1))
    assert list(released.columns) == list(records.columns)
    assert len(released) <= 200
    assert released.columns["age"].numbers is records.columns["age"].numbers


def test_fixed_levels_do_not_look_at_the_data() -> None:
    system = av.FullDomainKAnonymity(3, node={"race": 1})
    for seed in range(3):
        found = system.anonymised(random_histogram(seed))
        assert found.levels == (0, 1)
        assert found.sizes.min() >= 3
    assert system.name == "k-anonymity (full domain, fixed levels)"
    assert av.witness(system) is not None


def test_neighbours_are_told_apart() -> None:
    found = av.witness(av.FullDomainKAnonymity(2))
    assert found is not None
    assert found.probability == 1.0
    assert av.FullDomainKAnonymity(2).delta() == 1.0
    assert av.FullDomainKAnonymity(3).published_classes(np.array([[1, 1, 0]])) == ()


def test_remarks() -> None:
    histogram = av.Histogram(np.array([[4, 0], [1, 5]]), ("q", "y"), (("a", "b"), ("0", "1")), ("q",))
    (idle,) = av.FullDomainKAnonymity(4).remarks(histogram)
    assert idle == "does nothing here: every combination of quasi-identifiers has 4 people or more already"
    assert av.FullDomainKAnonymity(5).remarks(histogram) == ("generalises everybody who is published into one class",)
    assert av.FullDomainKAnonymity(5, max_suppressed=0.5).remarks(histogram) == (
        "generalises everybody who is published into one class",
        "leaves out 40 % of the people, whose class is smaller than 5",
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.FullDomainKAnonymity(0), "k must be"),
        (lambda: av.FullDomainKAnonymity(2, max_suppressed=1.5), "max_suppressed must be between 0 and 1, got 1.5"),
        (lambda: av.FullDomainKAnonymity(2, columns=()), "columns must name at least one"),
        (lambda: av.FullDomainKAnonymity(2, node={"q": -1}), "the level of 'q' must be"),
        (lambda: av.FullDomainKAnonymity(9999).anonymised(random_histogram(1)), "k must not exceed the number"),
        (lambda: av.FullDomainKAnonymity(2, ("rcae",)).anonymised(random_histogram(1)), "did you mean 'race'"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
