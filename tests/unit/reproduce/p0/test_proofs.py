from __future__ import annotations

import pytest

from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p0.proofs import gammas, scenario_1, scenario_8, scenario_8_with_slip, steps
from epsilens.reproduce.p0.theorems import printed_local
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdict_if_scaled, verdicts


def test_verdicts() -> None:
    rows = rows_of("p0.proofs")
    assert verdicts(rows) == {CONFIRMED: 13, FALSE: 2, MISPRINT: 1}
    assert departing(rows) == {"P0-1": {FALSE}, "P0-21": {MISPRINT}}
    assert "it is 0.250125, and 0.374812 is true" in rows["section S1, without loss of generality for more labels"].why


@pytest.mark.parametrize("law", [Law("laplace", 0.7), Law("gaussian", 1.3)], ids=str)
def test_what_print_writes_out_is_what_the_room_has(law: Law) -> None:
    for rest in ((), (0,), (0, 0)):
        assert scenario_1(4, 2 + len(rest), law) == pytest.approx(printed_local(Case(law, (4, 0, *rest))), rel=1e-12)
        assert scenario_8(4, 2 + len(rest), law) == pytest.approx(printed_local(Case(law, (3, 1, *rest))), rel=1e-12)
    assert scenario_8(1, 2, law) == 0.0
    assert gammas(3, (1.0, 1.0)) == pytest.approx(0.5)


def test_the_slip_would_show_in_every_cell() -> None:
    law = Law("gaussian", 1.0)
    assert scenario_8_with_slip(4, 3, law) > scenario_8(4, 3, law)


def test_a_changed_formula_changes_verdicts() -> None:
    for claim in steps("laplace"):
        assert verdict_if_scaled(claim) == FALSE, claim.place.where
