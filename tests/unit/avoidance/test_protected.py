"""Lines of a published table."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from tests.support.avoidance import random_histogram

COUNTS = av.Histogram(np.array([[4, 0], [1, 5]]), ("q", "y"), (("a", "b"), ("no", "yes")), ("q",))


def test_a_grid_has_a_line_for_every_cell_and_blanks_where_counts_are_withheld() -> None:
    table = av.Suppression(2).protected(COUNTS, np.random.default_rng(1))
    assert list(table.lines()) == [("a", "no", "4"), ("a", "yes", ""), ("b", "no", ""), ("b", "yes", "5")]
    assert (len(table), table.withheld, table.blank) == (4, 2, "a count below 2")
    assert not table.shows(COUNTS.counts)
    half = av.Suppression(3, "equation-1").protected(COUNTS, np.random.default_rng(1))
    assert [line[-1] for line in half.lines()] == ["4", "1.5", "1.5", "5"]
    assert av.Suppression(1).protected(COUNTS, np.random.default_rng(1)).withheld == 1  # also an empty cell


def test_impossible_cells_are_not_lines() -> None:
    possible = np.array([[True, False], [True, True]])
    bounded = av.Histogram(COUNTS.counts, ("q", "y"), COUNTS.levels, ("q",), (), possible)
    assert len(av.Rounding(5).protected(bounded, np.random.default_rng(1))) == 3


@pytest.mark.parametrize("name", [name for name, kind in av.SYSTEMS.items() if not kind.budgeted])
def test_what_a_system_publishes_is_its_release_or_its_classes(name: str) -> None:
    histogram = random_histogram(1)
    system = av.build(name, 1.0, av.Settings(k=3, swap=("race",), share=0.5).for_histogram(histogram))
    table = system.protected(histogram, np.random.default_rng(5))
    assert table.columns == histogram.attributes
    assert all(len(line) == 4 for line in table.lines())
    if table.released is None:
        assert "hierarchies" in av.SYSTEMS[name].reads
        assert 0 < table.counts.sum() <= histogram.n_records
    else:
        expected = system.release(histogram, np.random.default_rng(5)).counts
        np.testing.assert_array_equal(table.released, expected)
        again = system.protected(histogram, np.random.default_rng(6)).released
        assert again is not None
        if not av.SYSTEMS[name].draws:
            np.testing.assert_array_equal(again, expected)


def test_classes_that_are_called_alike_are_added_up() -> None:
    rows: list[dict[str, str | int]] = [
        {"q": "a", "y": "no", "count": 2},
        {"q": "b", "y": "no", "count": 1},
        {"q": "a", "y": "no", "count": 3},
    ]
    assert list(av.ProtectedTable.of_rows(("q", "y"), rows).lines()) == [("a", "no", "5"), ("b", "no", "1")]
    assert len(av.ProtectedTable.of_rows(("q", "y"), [])) == 0


def test_full_domain_says_to_which_levels() -> None:
    found = av.FullDomainKAnonymity(5).protected(COUNTS, np.random.default_rng(1))
    assert (dict(found.generalised), found.loss) == ({"q": 1}, 1.0)
    assert list(found.lines()) == [("*", "no", "5"), ("*", "yes", "5")]
    assert repr(found) == "ProtectedTable(2 lines, q, y)"
