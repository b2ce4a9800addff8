"""Every measure of the registry obeys the same laws, and is what it says it is, on tables small enough to enumerate."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.choice.aggregates import Maximum, MeanRisk
from epsilens.choice.choose.dials import risk_dial
from epsilens.errors import ParameterError
from epsilens.homogeneity import FixedSize
from epsilens.homogeneity.measures import MEASURES, PreparedMeasure, prepare
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.frequency import FrequencyTable
from tests.unit.homogeneity.enumeration import dirichlet_multinomial, enumerated, local_risk, multinomial

CELLS = [(3, 0, 0), (1, 2, 0), (0, 4, 0), (0, 4, 0), (2, 1, 1), (0, 0, 1)]
TABLE = FrequencyTable.from_counts(CELLS)
JOINT = FrequencyTable(
    ("ax", "ay", "bx", "by"),
    FrequencyTable.from_counts([[3, 0, 1, 0], [1, 0, 0, 2], [0, 2, 2, 0]]).store,
    sensitive=("first", "second"),
    label_values=(("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")),
)
NOISES: list[Noise] = [LaplaceNoise(0.3), LaplaceNoise(4.0), GaussianNoise(1.2), DiscreteLaplaceNoise(0.9)]
EXACT = [name for name in MEASURES if not name.startswith("published-")]
ALPHA, SIZE = (0.5, 1.5, 0.9), 3


def mean_guess(counts: Sequence[int], noise: Noise, rule: str) -> float:
    """The chance that a member's own label is guessed, by going through every published cell."""
    reach = 12
    laws = [
        {m: float(noise.cdf(0.5 - c)) if m == 0 else float(noise.pmf(m - c)) for m in range(c + reach)} for c in counts
    ]
    risk = 0.0
    for published in itertools.product(*laws):
        p = math.prod(law[m] for law, m in zip(laws, published, strict=True))
        best = max(published)
        weights = [m if rule == "soft" else float(m == best and m > 0) for m in published]
        if sum(weights) > 0:
            risk += p * sum(w / sum(weights) * c / sum(counts) for w, c in zip(weights, counts, strict=True))
    return risk


def of_shares(counts: Sequence[int], noise: Noise, size: int) -> float:
    return enumerated(size, multinomial([c / sum(counts) for c in counts]), len(counts), noise, "any")


def of_dirichlet(noise: Noise, size: int) -> float:
    return enumerated(size, dirichlet_multinomial(ALPHA), len(ALPHA), noise, "any")


BY_ENUMERATION: dict[str, tuple[dict[str, Any], Callable[[Sequence[int], Noise], float]]] = {
    "local": ({}, lambda counts, noise: local_risk(counts, noise, "any")),
    "expected": ({}, lambda counts, noise: of_shares(counts, noise, sum(counts))),
    "shrinkage": ({"alpha": ALPHA}, lambda counts, noise: of_dirichlet(noise, sum(counts))),
    "marginal": ({"size_model": FixedSize(SIZE)}, lambda counts, noise: of_shares(counts, noise, SIZE)),
    "marginal-shrinkage": (
        {"size_model": FixedSize(SIZE), "alpha": ALPHA},
        lambda counts, noise: of_dirichlet(noise, SIZE),
    ),
    "hard": ({}, lambda counts, noise: mean_guess(counts, noise, "hard")),
    "soft": ({}, lambda counts, noise: mean_guess(counts, noise, "soft")),
}
"""By measure: options that make it small enough to enumerate, and the risk of a cell written without the package."""


@pytest.fixture(params=MEASURES)
def measure(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_risks_are_probabilities_and_one_per_signature(measure: str, noise: Noise) -> None:
    ready = prepare(measure, TABLE)
    assert isinstance(ready, PreparedMeasure)
    assert ready.name == measure
    risks = ready.risks(noise)
    assert risks.shape == ready.multiplicities.shape == (len(ready.vectors),)
    assert ready.multiplicities.sum() == TABLE.n_cells
    assert np.isfinite(risks).all()
    assert ((risks >= 0) & (risks <= 1 + 1e-12)).all()
    people = np.maximum(ready.vectors, 0).sum(axis=1) * ready.multiplicities
    assert ready.average(noise) == pytest.approx(float(people @ risks / people.sum()))


def test_the_order_of_cells_and_the_names_of_labels_do_not_matter(measure: str) -> None:
    noise = LaplaceNoise(0.8)
    reference = prepare(measure, TABLE).average(noise)
    turned = FrequencyTable.from_counts(CELLS[::-1])
    renamed = FrequencyTable.from_counts(np.array(CELLS)[:, [2, 0, 1]])
    assert prepare(measure, turned).average(noise) == pytest.approx(reference, rel=1e-9)
    assert prepare(measure, renamed).average(noise) == pytest.approx(reference, rel=1e-6)  # fits stop somewhere


def test_a_measure_with_one_risk_says_so(measure: str) -> None:
    risks = prepare(measure, TABLE).risks(LaplaceNoise(0.8))
    assert MEASURES[measure].one_risk == bool(np.ptp(risks) < 1e-12)
    if MEASURES[measure].one_risk:
        with pytest.raises(ParameterError, match="gives one risk for the whole table"):
            risk_dial(TABLE, "laplace", Maximum(), measure)
    else:
        assert risk_dial(TABLE, "laplace", Maximum(), measure).risk(1.0) > 0


@pytest.mark.parametrize("mechanism", ["laplace", "discrete-laplace", "gaussian-analytic"])
def test_a_slope_bound_holds_where_there_is_one(measure: str, mechanism: str) -> None:
    delta = 1e-5 if mechanism == "gaussian-analytic" else None
    dial = risk_dial(TABLE, mechanism, MeanRisk(), measure, delta)
    assert (dial.slope is not None) == MEASURES[measure].of_what_is_shown
    if dial.slope is not None:
        grid = np.geomspace(0.02, 40.0, 120)
        risks = np.array([dial.risk(float(epsilon)) for epsilon in grid])
        assert (np.abs(np.diff(risks)) / np.diff(np.log(grid))).max() <= dial.slope


def test_noise_without_end_is_summed_unless_the_measure_says_that_it_cannot(measure: str) -> None:
    dial = risk_dial(TABLE, "laplace", MeanRisk(), measure)
    at_zero, unprotected = dial.limits
    assert 0 <= at_zero <= 1 + 1e-12
    assert 0 <= unprotected <= 1 + 1e-12
    assert dial.risk(1e-7) == pytest.approx(at_zero, abs=1e-4)
    assert dial.risk(1e4) == pytest.approx(unprotected, abs=1e-9)
    if not MEASURES[measure].sums_over_counts:
        assert np.isfinite(prepare(measure, TABLE).risks(LaplaceNoise(1e100))).all()


def test_attributes_one_by_one_where_the_measure_has_them(measure: str) -> None:
    if MEASURES[measure].by_attribute:
        alone = risk_dial(JOINT, "laplace", MeanRisk(), measure, attributes="max").risk(1.0)
        assert 0 < alone < risk_dial(JOINT, "laplace", MeanRisk(), measure, attributes="sum").risk(1.0)
    else:
        with pytest.raises(ParameterError, match=r"attributes='max' is known for measure 'local' only"):
            risk_dial(JOINT, "laplace", MeanRisk(), measure, attributes="max")


def test_an_unknown_option_is_refused_by_name(measure: str) -> None:
    with pytest.raises(ParameterError, match=rf"measure '{measure}' has no option weighted; it takes \w+"):
        prepare(measure, TABLE, weighted=True)
    for name in MEASURES[measure].options:
        assert f"`{name}`" in refusal(measure).rule


def refusal(measure: str) -> ParameterError:
    with pytest.raises(ParameterError) as refused:
        prepare(measure, TABLE, weighted=True)
    return refused.value


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(0.4), DiscreteGaussianNoise(0.8)], ids=repr)
@pytest.mark.parametrize("name", EXACT)
def test_exact_measures_agree_with_enumeration(name: str, noise: Noise) -> None:
    """A measure that is not printed somewhere must be checked here: a new one cannot be left out."""
    options, of_cell = BY_ENUMERATION[name]
    ready = prepare(name, TABLE, **options)
    risks: FloatArray = ready.risks(noise)
    for vector, risk in zip(ready.vectors.tolist(), risks, strict=True):
        assert risk == pytest.approx(of_cell(vector, noise), abs=1e-9), vector


def test_what_is_printed_has_an_exact_counterpart() -> None:
    for name in MEASURES:
        if name.startswith("published-"):
            assert name.removeprefix("published-").removeprefix("p1-") in EXACT
