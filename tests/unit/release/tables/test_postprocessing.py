"""From noisy counts to released ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP
from epsilens.errors import ParameterError
from epsilens.release.tables.postprocessing import Choices
from epsilens.table import FrequencyTable, Schema
from tests.support.released_tables import LEVELS, SCHEMA, release


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


PEOPLE = pd.DataFrame({"region": ["north"] * 40 + ["south"], "sex": ["f"] * 41, "illness": ["no", "yes"] * 20 + ["no"]})
HOLES = Schema(["region", "sex"], "illness", universe=LEVELS, structural_zeros=[{"region": "south", "sex": "x"}])
NESTED = [("region",), ("region", "sex")]
OVERLAPPING = [("region", "sex"), ("sex", "illness"), ("region", "illness")]


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [
        ("discrete-laplace", PureDP(800.0)),
        ("discrete-laplace", PureDP(5000.0)),
        ("discrete-laplace", PureDP(1e-9)),
        ("discrete-gaussian", ZCDP(1e6)),
        ("discrete-gaussian", ZCDP(1e-18)),
    ],
)
@pytest.mark.parametrize("schema", [SCHEMA, HOLES], ids=["complete", "structural zeros"])
@pytest.mark.parametrize("marginals", [NESTED, OVERLAPPING], ids=["nested", "overlapping"])
def test_no_budget_makes_consistency_fail_once_it_is_paid_for(
    mechanism: str, budget: Budget, schema: Schema, marginals: list[tuple[str, ...]], tmp_path: Path
) -> None:
    """Variances of noise that is all but none are too small for a double, and nothing may be divided by them."""
    released = release(
        PEOPLE,
        tmp_path,
        mechanism=mechanism,
        budget=budget,
        total=PureDP(1e6) if isinstance(budget, PureDP) else ZCDP(1e9),
        schema=schema,
        marginals=marginals,
        consistent=True,
        non_negative=True,
        shares=[1.0, 2.0, 3.0][: len(marginals)],
    )
    truth = [PEOPLE.groupby(list(columns)).size().to_dict() for columns in marginals]
    for table, expected in zip(released.tables, truth, strict=True):
        for part in (table.counts, table.standard_errors, table.lower, table.upper):
            assert np.isfinite(part).all()
        assert ((table.lower <= table.counts) & (table.counts <= table.upper)).all()
        if table.standard_errors.max() < 1e-9:  # without noise to speak of, counts are the true ones
            assert sorted(np.rint(table.counts[table.counts > 0.5])) == sorted(expected.values())
            assert (table.upper - table.lower).max() < 0.01
    step = released.card["post_processing"][0]
    assert step["step"] == "consistency"
    assert "the law of each fitted count" in step["effect"]


def test_a_shown_cell_says_that_its_interval_allows_for_being_shown(tmp_path: Path) -> None:
    released = release(
        pd.concat([PEOPLE] * 20),
        tmp_path,
        schema=Schema(["region", "sex"], "illness"),
        threshold_delta=1e-6,
        budget=PureDP(1.0),
        total=ApproxDP(2.0, 1e-5),
        out=tmp_path / "o.csv",
    )
    table = released.tables[0]
    assert ((table.lower >= 1) & (table.lower <= table.counts) & (table.counts <= table.upper)).all()
    assert "given that it is shown" in released.card["post_processing"][0]["effect"]
    assert "(not simultaneous), given that it is shown." in (tmp_path / "o.card.md").read_text()


def test_the_card_says_that_half_widths_of_tables_are_those_before_consistency(tmp_path: Path) -> None:
    released = release(PEOPLE, tmp_path, marginals=NESTED, consistent=True, budget=PureDP(2.6), out=tmp_path / "o.csv")
    text = (tmp_path / "o.card.md").read_text()
    assert "| standard error before consistency | interval before consistency |" in text
    numbers = released.card["post_processing"][0]["numbers"]
    for table in released.tables:
        widest = float((np.asarray(table.upper) - np.asarray(table.lower)).max()) / 2.0
        assert numbers[table.name]["largest_half_width_after"] == pytest.approx(widest, rel=1e-6)
