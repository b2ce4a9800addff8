"""From parameters to questions."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.project import asking
from epsilens.table.to_read import HierarchyToRead

TABLE: dict[str, Any] = {"source": "a.csv", "quasi_identifiers": ("age", "sex"), "sensitive": ("ill",)}


def test_parameters_become_fields() -> None:
    question = asking.assess({"unweighted": True, "epsilons": (1.0,)}, {"unweighted"}, riskiest=3)
    assert (question.weighted, question.riskiest, question.epsilons) == (False, 3, (1.0,))
    assert asking.choose({**TABLE, "max_risk": 0.3}, TABLE).max_risk == 0.3
    assert asking.knowledge({**TABLE, "largest_set": 1}).largest_set == 1
    assert asking.compare({**TABLE, "no_classify": True, "k": (2,)}, {"k"}).given == ("k",)
    found = asking.posterior_release({"levels": ("a",), "by": ("b",), "rho": (0.1,), "attack": "single"})
    assert found.budgets == (0.1,)
    hierarchy = asking.table_or_hierarchy({"source": "a", "levels": ("a",), "by": ("b",)}, {"levels"})
    assert isinstance(hierarchy, HierarchyToRead)
    fixed = {**TABLE, "fixed_epsilon": 1.0, "max_risk": 0.3, "mechanism": "gaussian-analytic"}
    assert asking.choose_delta(fixed, fixed).epsilon == 1.0


@pytest.mark.parametrize(
    ("ask", "given", "said"),
    [
        (asking.assess, {"unweighted": True, "weightings": ("cells",)}, "leave out unweighted"),
        (asking.assess, {"seed": 3}, "is that of a simulation"),
        (asking.choose, TABLE, "max_risk is missing"),
        (asking.choose, {**TABLE, "max_risk": 0.3, "by": ("a",)}, "belongs to a hierarchy"),
        (asking.choose, {**TABLE, "max_risk": 0.3, "levels": ("a",)}, "belongs to a table"),
        (asking.choose_delta, {**TABLE, "fixed_epsilon": 1, "max_risk": 0.3, "delta": 0.1}, "says nothing where"),
        (asking.compare, {**TABLE, "systems": ("laplace",), "base": (3,)}, "plays no part"),
        (asking.compare, {**TABLE, "hierarchy": ("x",)}, "must be COL=FILE.json"),
    ],
)
def test_what_would_be_ignored_is_refused(ask: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        ask(given, given)


def test_data_need_a_place() -> None:
    with pytest.raises(ParameterError, match="source is missing"):
        asking.table_of({"quasi_identifiers": ("a",), "sensitive": ("b",)})
    with pytest.raises(ParameterError, match="quasi_identifiers is missing"):
        asking.table_of({"source": "a.csv"})
