"""From noisy counts to released ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.release.tables.postprocessing import Choices
from epsilens.table import FrequencyTable
from tests.support.released_tables import release


@pytest.mark.parametrize(
    ("choices", "tables", "whole", "said"),
    [
        (
            Choices(consistent=True),
            1,
            True,
            r"needs several tables \(consistent\); name marginals, or levels that nest$",
        ),
        (
            Choices(consistent=True, rounded=True),
            2,
            False,
            "^rounded counts do not add up; choose consistent or rounded$",
        ),
        (Choices(rounded=True), 1, True, "^rounding is moot: .*; leave rounded out$"),
        (Choices(confidence=0.0), 1, True, "^confidence must lie strictly between 0 and 1, got 0$"),
    ],
)
def test_choices_that_contradict_each_other(choices: Choices, tables: int, whole: bool, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        choices.check(tables, whole)


def test_clipping_cuts_counts_and_intervals_and_states_its_bias(tmp_path: Path) -> None:
    empty = FrequencyTable.from_counts(np.r_[[[1, 0]], np.zeros((2_000, 2), dtype=int)], labels=["a", "b"])
    released = release(empty, tmp_path, schema=None, cells_are_public=True, budget=PureDP(0.5), non_negative=True)
    table = released.tables[0]
    assert (table.counts >= 0).all()
    assert (table.lower >= 0).all()
    (step,) = released.card["post_processing"]
    numbers = step["numbers"]["cell x label"]
    stated = numbers["bias_by_true_count"]["0"]
    assert numbers["largest_total_bias"] == pytest.approx(stated * 4002)
    assert released.internal["utility"][0]["exact_total_bias_of_clipping"] == pytest.approx(stated * 4002, rel=1e-2)
    assert table.counts.mean() == pytest.approx(stated, abs=6 * 2.8 / np.sqrt(4002))
    assert released.internal["utility"][0]["intervals_that_cover"] > 0.9
