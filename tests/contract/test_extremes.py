"""Every measure, law and rule at its extremes: a number, or one line that says the limit; never a warning, NaN or hang.

Warnings are errors here, so that an overflow on the way to a number fails too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.accounting.composition import compose
from epsilens.accounting.rules import RULE_BOOK
from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.errors import EpsilensError
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.absolute_error import absolute_sum, expected_absolute_error
from epsilens.noise.composed_loss import ComposedLoss
from epsilens.noise.loss import PrivacyLoss
from epsilens.noise.mechanisms import laws
from epsilens.noise.sums import noise_of_sum
from epsilens.utility.accuracy import clipping_bias, half_width, standard_error

pytestmark = pytest.mark.slow

AMOUNTS = (5e-324, 1e-300, 1e-200, 1e-5, 1e4, 1e200, 1.7e308)
DELTAS = (1e-300, 0.999)
SIZES = (1e-300, 1e-200, 1e-12, 0.02, 1e12, 1e200, 1e300)
TABLES = {
    "a billion": el.FrequencyTable.from_counts([[10**9, 5, 0], [5 * 10**8, 5 * 10**8 - 3, 2], [3, 0, 1]]),
    "a hundred million": el.FrequencyTable.from_counts([[10**8, 5], [5 * 10**7, 5 * 10**7]]),
    "a thousand labels": el.FrequencyTable.from_counts([[1] * 1000, [0] * 999 + [50]]),
}


def answered(asked: Callable[[], Any]) -> Any:
    """The answer, none where it is refused in one line that says what to do or which limit there is."""
    refusal = None
    try:
        answer = asked()
    except EpsilensError as error:
        refusal = str(error)
    if refusal is not None:
        assert "\n" not in refusal
        return None
    assert not np.isnan(np.asarray(answer, dtype=np.float64)).any()
    return answer


def size_of_noise(mechanism: str, budget: Budget, sensitivity: float) -> float:
    return calibrate(mechanism, budget, sensitivity=sensitivity).size


def budgets(kind: type[Budget]) -> list[Budget]:
    if kind in (PureDP, ZCDP):
        return [PureDP(amount) if kind is PureDP else ZCDP(amount) for amount in AMOUNTS]
    pair = ApproxDP if kind is ApproxDP else ProbabilisticDP
    return [pair(amount, delta) for amount in AMOUNTS for delta in DELTAS]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("sensitivity", [1.0, 1e9])
def test_budgets_become_noise_that_keeps_its_order(mechanism: str, sensitivity: float) -> None:
    for kind in MECHANISMS[mechanism].rules:
        for delta in DELTAS if kind in (ApproxDP, ProbabilisticDP) else (None,):
            sizes = []
            for budget in budgets(kind):
                if delta is None or getattr(budget, "delta", None) == delta:
                    size = answered(partial(size_of_noise, mechanism, budget, sensitivity))
                    sizes += [] if size is None else [size]
            assert all(after <= before * (1.0 + 1e-12) for before, after in pairwise(sizes))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("law", laws())
def test_laws_answer_at_every_size(law: str, size: float) -> None:
    noise: Noise = laws()[law].of_size(size)
    x = np.array([-1e300, -1e12, -3.0, -0.5, 0.0, 0.5, 1.0, 2.0, 1e6, 1e300])
    k = np.array([-1e15, -3.0, 0.0, 1.0, 7.0, 1e9, 1e15])
    for function, points in ((noise.cdf, x), (noise.sf, x), (noise.logcdf, x), (noise.logsf, x), (noise.pmf, k)):
        assert not np.isnan(function(points)).any()
    np.testing.assert_allclose(noise.cdf(x) + noise.sf(x), 1.0, rtol=1e-12)
    assert np.isfinite(noise.sample(5, np.random.default_rng(0))).all()
    for asked in (
        lambda: noise.reach(1e-6),
        lambda: PrivacyLoss(noise).advantage(),
        lambda: PrivacyLoss(noise, 2).exceedance(1.0),
        lambda: ComposedLoss((noise, noise)).trade_off([0.01, 0.5]),
        lambda: expected_absolute_error(noise),
        lambda: absolute_sum(noise, 10**5),
        lambda: noise_of_sum(noise, 100).logpmf([0.0]),
        lambda: standard_error(noise, rounded=True),
        lambda: half_width(noise, 0.95),
        lambda: clipping_bias(noise, [0.0, 5.0, 1e9]),
    ):
        answered(asked)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("measure", MEASURES)
def test_measures_answer_for_huge_cells_and_many_labels(measure: str, table: str) -> None:
    ready = prepare(measure, TABLES[table], **({"alpha": "moments"} if "alpha" in MEASURES[measure].options else {}))
    for noise in (el.LaplaceNoise(1e-200), el.LaplaceNoise(0.3), el.DiscreteGaussianNoise(1e4), el.GaussianNoise(1e12)):
        risks = answered(partial(ready.risks, noise))
        if risks is not None:
            assert ((np.asarray(risks) >= 0.0) & (np.asarray(risks) <= 1.0 + 1e-12)).all()


@pytest.mark.parametrize("rule", RULE_BOOK)
def test_rules_compose_what_is_tiny_and_what_is_huge(rule: str) -> None:
    for budget in (PureDP(1e-200), PureDP(1e200), ApproxDP(1e200, 0.5), ZCDP(1e-200), ZCDP(1e4), ZCDP(1e200)):
        for delta in (1e-300, 1e-6, 0.999):
            row = compose([budget] * 2, delta=delta, rules=[rule]).rows[0]
            for amount in (row.epsilon, row.delta, row.rho):
                assert amount is None or (amount >= 0.0 and not math.isnan(amount))


@pytest.mark.parametrize("noise", [el.GaussianNoise(0.00707), el.DiscreteGaussianNoise(0.00707)], ids=lambda n: n.name)
def test_the_loss_of_rho_ten_thousand_lies_below_its_conversion(noise: Noise) -> None:
    total = compose([noise], delta=1e-6, rules=["pld"]).rows[0].epsilon
    rho = 0.5 / 0.00707**2
    assert total is not None
    assert 0.5 * rho < total <= ZCDP(rho).epsilon(1e-6) * (1.0 + 1e-9)
