from __future__ import annotations

import pytest

from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law, Sizes
from epsilens.reproduce.p0.theorems import exact_marginal
from epsilens.reproduce.p0.two_labels import beta_share, equations, marginal, s1
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdict_if_scaled, verdicts


@pytest.mark.slow
def test_verdicts() -> None:
    rows = rows_of("p0.two_labels")
    assert verdicts(rows) == {CONFIRMED: 14, MISPRINT: 4}
    assert departing(rows) == {"P0-4": {MISPRINT}, "P0-5": {MISPRINT}}
    wrong = {row.group for row in rows.values() if row.verdict == MISPRINT}
    assert wrong == {"Eq. (S1)", "Eq. (S4)", "Eq. (S9)"}


def test_the_observed_size_is_no_bound_of_definition_9() -> None:
    """It is below the marginal risk in every case, with f(n_i) in the first term only in most."""
    row = rows_of("p0.two_labels")["Eq. (S4), as a bound"]
    assert row.why.startswith("with a sum over all sizes in the place of the observed one: then it is at least")
    case = Case(Law("laplace", 0.001), (1, 0), sizes=Sizes(0.6))
    assert [marginal(case), exact_marginal(case)] == pytest.approx([0.0824, 0.1129], abs=5e-5)
    claims = [*equations("laplace", "12345"), *equations("gaussian", "67890")]
    claims = [claim for claim in claims if claim.place.where in ("4, as a bound", "9, as a bound")]
    below = [sum(each.printed(case) < each.true(case) - 1e-12 for case in each.cases) for each in claims]
    assert below == [60, 49]


def test_numbers_by_hand() -> None:
    assert beta_share(3, (1.0, 1.0)) == pytest.approx(0.5)
    case = Case(Law("laplace", 1e-9), (1, 1))
    assert s1(case) == pytest.approx(0.5, abs=1e-8)


def test_a_changed_formula_changes_verdicts() -> None:
    for claim in equations("gaussian", [f"Eq. (S{number})" for number in range(6, 11)]):
        if claim.relation == "equals":
            assert verdict_if_scaled(claim) == FALSE, claim.place.where
