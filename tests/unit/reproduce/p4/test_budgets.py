from __future__ import annotations

from dataclasses import replace

import pytest

from epsilens.posterior import CENSUS_2020
from epsilens.posterior.census_2020 import Conversion, converted
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import budgets
from epsilens.reproduce.verdicts import judged
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, counts, row_of, unlike, verdicts


def test_all_hold() -> None:
    assert counts(budgets) == {CONFIRMED: 18}


def test_a_number_that_was_rounded_twice_is_a_misprint() -> None:
    row = judged(budgets.rho_of_group("Figure 6, rho", "0.247"), Data())
    assert (row.verdict, row.departs) == (MISPRINT, "P4-11")
    assert judged(budgets.rho_of_group("section 4.3", "0.246"), Data()).verdict == CONFIRMED
    assert row.exact == pytest.approx(0.246485, abs=5e-7)


def test_the_epsilon_of_the_census_beside_the_best_one() -> None:
    row = row_of(budgets, "section 1, epsilon")
    assert row.as_published == pytest.approx(17.915, abs=5e-4)
    assert row.exact == pytest.approx(17.158, abs=5e-4)


def test_the_quoted_epsilon_understates_privacy_while_a_smaller_one_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of(budgets, "section 5, epsilon")
    assert (row.verdict, row.exact) == (CONFIRMED, "17.915 is quoted, and 17.158 will do at delta = 1e-10")
    monkeypatch.setattr(budgets, "_best_epsilon", budgets._epsilon)
    assert row_of(budgets, "section 5, epsilon").verdict == FALSE


def test_other_shares_and_another_conversion_change_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = verdicts(budgets)
    block, *others = CENSUS_2020.levels
    larger = replace(CENSUS_2020, levels=(replace(block, share_of_total=2 * block.share_of_total), *others))
    monkeypatch.setattr(budgets, "CENSUS_2020", larger)
    changed = unlike(before, verdicts(budgets))
    assert {name.split(":")[0] for name in changed} == {
        "Table 2, block",
        "Table 2, shares of the levels",
        "section 2.3, rho of a block",
        "section 2.3, histogram of a block",
    }
    assert judged(budgets.epsilon_of_levels("section 5, epsilon"), Data()).verdict == FALSE

    def halved(rho: float, delta: float) -> Conversion:
        return replace(converted(rho, delta), published_epsilon=0.5 * converted(rho, delta).published_epsilon)

    monkeypatch.setattr(budgets, "converted", halved)
    assert row_of(budgets, "section 1, epsilon").verdict == FALSE
    assert row_of(budgets, "Theorem 1, conversion").verdict == FALSE


def test_divergences_and_epsilons_that_are_counted() -> None:
    assert budgets.renyi(0.1, 2.0) == pytest.approx(0.2, rel=1e-9)  # attained at whole orders
    assert budgets.needed_epsilon(2.56, 1e-10) < converted(2.56, 1e-10).epsilon < 17.2
