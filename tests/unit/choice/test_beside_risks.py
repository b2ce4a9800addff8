from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.beside_risks import BesideRisks, beside_attribute
from epsilens.homogeneity import average, local
from epsilens.homogeneity.measures import prepare

TABLE = el.FrequencyTable.from_counts([[3, 0, 0], [1, 1, 1], [0, 5, 0]], ["x", "y", "z"], {"town": list("abc")})
NOISES = [({"mechanism": "laplace", "epsilon": e}, el.LaplaceNoise(1 / e)) for e in (0.1, 0.9, 4.0)]


def test_what_was_not_asked_for_is_not_there() -> None:
    found = beside_attribute(TABLE, "ill", {"local": prepare("local", TABLE)}, NOISES)
    assert (found.laws, found.riskiest) == ((), None)
    assert [budget.to_dict() for budget in found.budgets] == [{}, {}, {}]
    assert BesideRisks().to_dict() == {}


def test_scenarios_bounds_laws_and_cells_stand_beside_their_noise() -> None:
    measures = ("local", "published-local", "marginal-shrinkage")
    prepared = {name: prepare(name, TABLE) for name in measures}
    found = beside_attribute(TABLE, "ill", prepared, NOISES, weighted=False, scenarios=True, riskiest=2)
    for budget, (_, noise) in zip(found.budgets, NOISES, strict=True):
        assert budget.scenarios is not None
        shares = list(budget.scenarios.values())
        assert shares[0] + shares[7] == pytest.approx(average(local(TABLE, noise), TABLE, weighted=False))
        warned = el.homogeneity.published.local(TABLE, noise).warning
        assert budget.bounds == {"published-local": warned}
    assert found.riskiest is not None
    assert (found.riskiest.ranked_by, found.riskiest.measures) == (1, ("local", "published-local"))
    assert [law.of for law in found.laws] == ["sizes", "shares"]
    whole = BesideRisks((found, found))
    assert len(whole.budgets) == 6
    assert len(whole.to_dict()["riskiest"]) == 4
