"""Generalised tables, and what is drawn from them."""

from __future__ import annotations

import numpy as np

from epsilens import avoidance as av
from tests.support.avoidance import TREE, people


def test_generalised_values_are_intervals_sets_and_nodes() -> None:
    records = people(60, seed=1)
    plain = av.KAnonymity(20).anonymised(records)
    assert plain.n_classes >= 2
    assert plain.average_size == 60 / plain.n_classes
    for c in range(plain.n_classes):
        ages = records.values("age")[plain.class_of == c]
        towns = sorted(set(records.values("town")[plain.class_of == c]))
        assert plain.labels("age")[c] == f"{ages.min():g}-{ages.max():g}"
        assert plain.labels("town")[c] == (towns[0] if len(towns) == 1 else "{" + ", ".join(towns) + "}")
    tree = av.KAnonymity(20, hierarchies={"town": TREE}).anonymised(records)
    assert set(tree.labels("town")) <= {*TREE.nodes}


def test_intervals_of_bins_are_named_by_their_bins() -> None:
    counts = np.array([[3, 1], [1, 2], [2, 2]])
    for levels, merged in ((("[0, 20)", "[20, 40)", "[40, inf)"), "[0, inf)"), (("20", "30", "45"), "20 to 45")):
        ages = av.Histogram(counts, ("age", "y"), (levels, ("no", "yes")), ("age",), ("age",))
        assert av.KAnonymity(11).anonymised(ages).labels("age") == [merged]
        assert av.KAnonymity(3).anonymised(ages).labels("age")[0] == levels[0]


def test_reconstruction_draws_from_the_classes() -> None:
    records = people(200, seed=2)
    system = av.KAnonymity(10, hierarchies={"town": TREE})
    anonymous = system.anonymised(records)
    drawn = anonymous.reconstructed(np.random.default_rng(1))
    assert len(drawn) == 200
    assert drawn.values("ill").tolist() == records.values("ill").tolist()
    low, high = anonymous.interval("age")
    ages, of = drawn.values("age"), anonymous.class_of
    middle = 0.5 * (low + high)
    assert np.abs(ages - middle[of]).max() <= 0.25 * (high - low).max() * 6 + 1
    assert (ages >= 0).all()
    codes, starts = anonymous.sets("town")
    for row in range(200):
        admitted = codes[starts[of[row]] : starts[of[row] + 1]]
        assert drawn.columns["town"].codes[row] in admitted
