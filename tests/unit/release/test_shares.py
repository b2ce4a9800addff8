from __future__ import annotations

from decimal import Decimal

import pytest

from epsilens.budget import ZCDP, PureDP
from epsilens.errors import ParameterError
from epsilens.release.shares import budget_part, budget_shares


def test_parts_never_exceed_the_whole() -> None:
    for weights in ([1, 1, 1], [0.1, 0.7, 3.3], [1, 1e-9]):
        shares = budget_shares(len(weights), weights, "tables")
        assert sum(shares) <= 1
        for whole in (PureDP(0.1), ZCDP(1 / 3)):
            parts = [Decimal(repr(next(iter(vars(budget_part(whole, share)).values())))) for share in shares]
            assert sum(parts) <= Decimal(repr(next(iter(vars(whole).values()))))
    assert budget_shares(4, None, "tables") == [Decimal("0.25")] * 4


def test_shares_that_are_not_shares() -> None:
    with pytest.raises(ParameterError, match=r"^1 shares of the budget for 2 tables; give one for each"):
        budget_shares(2, [1.0], "tables")
    with pytest.raises(ParameterError, match=r"^shares must be > 0, got -1$"):
        budget_shares(2, [1.0, -1.0], "tables")
