from __future__ import annotations

import math

import pytest

from epsilens.reproduce.claims import Formula
from epsilens.reproduce.p0.empirical_bayes import (
    CLAIMS,
    Table,
    between_cells,
    cell_product,
    printed_alpha,
    total_variance,
)
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdict_if_scaled, verdicts


def test_verdicts() -> None:
    rows = rows_of("p0.empirical_bayes")
    assert verdicts(rows) == {CONFIRMED: 11, FALSE: 2, MISPRINT: 3}
    assert departing(rows) == {"P0-6": {FALSE, MISPRINT}}
    theta = rows["section S2, alpha for K >= 2"]
    assert (theta.verdict, theta.as_published) == (MISPRINT, None)
    assert theta.why.startswith("p in the place of theta, which is defined nowhere: then it equals the truth")


def test_the_estimate_has_no_denominator() -> None:
    """FINDINGS, P0 item 6."""
    table = Table((4, 2, 7), (1.0, 2.0))
    assert math.isnan(printed_alpha(table, 13 * (1 / 3) * (2 / 3)))
    assert printed_alpha(table, total_variance(table)) == pytest.approx(1.0)


def test_a_variance_between_cells_is_not_one_of_totals() -> None:
    table = Table((3, 3, 3, 3), (1.0, 1.0, 1.0))
    assert between_cells(table) == pytest.approx(cell_product(3, table.alpha))
    assert total_variance(table) == pytest.approx(4 * between_cells(table))


def test_a_changed_formula_changes_verdicts() -> None:
    formulas = [claim for claim in CLAIMS if isinstance(claim, Formula)]
    assert len(formulas) == 15
    for claim in formulas:
        assert verdict_if_scaled(claim) == FALSE, claim.place.where
