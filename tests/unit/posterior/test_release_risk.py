"""Risk over a whole release."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise
from epsilens.table.hierarchy import Situations

RHO = (0.1, 0.25, 0.05)
SITUATIONS = Situations.of(
    [[1, 1, 1], [1, 1, 4], [1, 3, 9], [2, 2, 9], [5, 9, 20], [1, 1, 1]], [3, 3, 2, 0, 4, 3], [1, 2, 3, 4, 5, 6]
)


def test_equal_situations_are_put_together() -> None:
    assert len(SITUATIONS.cells) == 5
    assert SITUATIONS.n_people == 1 * 7 + 2 + 3 + 8 + 25


def test_every_attack_gives_each_person_their_own_risk() -> None:
    direct = {
        "single": [posterior.expected_single_level(RHO[0], 0.2)] * 4,
        "two-level": [
            posterior.expected_two_level(1, 3, RHO[:2], 0.2),
            posterior.expected_two_level(1, 3, RHO[:2], 0.2),
            posterior.expected_two_level(3, 2, RHO[:2], 0.2),
            posterior.expected_unique_at_levels(RHO[:2], 0.2),  # an only child: its parent counts the same people
        ],
        "unique-levels": [posterior.expected_unique_at_levels(RHO[:levels], 0.2) for levels in (3, 2, 1, 2)],
    }
    for attack, risks in direct.items():
        ours = posterior.release_risk(SITUATIONS, RHO, 0.2, attack, rare=2)
        assert ours.people.tolist() == [7, 2, 3, 8]
        assert ours.risk_ratio == pytest.approx([risk.risk_ratio for risk in risks], abs=1e-10)
        assert ours.correct_decision == pytest.approx([risk.correct_decision for risk in risks], abs=1e-10)
        assert ours.mean_ratio == pytest.approx(ours.people @ ours.risk_ratio / 20)
        assert ours.people_above(0.0) == 20
        assert ours.people_above(ours.risk_ratio.max()) == 0
        quantiles = ours.quantiles((0.0, 0.5, 1.0))
        assert quantiles[0.0] == ours.risk_ratio.min()
        assert quantiles[1.0] == ours.risk_ratio.max()


def test_realised_risks_agree_with_simulation() -> None:
    rng = np.random.default_rng(12)
    draws = 1_500
    child, parent = (DiscreteGaussianNoise(1 / np.sqrt(2 * rho)) for rho in RHO[:2])
    ours = posterior.release_risk(SITUATIONS, RHO, 0.2, "two-level")
    position = 2  # counts (1, 3, 9), two siblings
    values = np.array(
        [
            posterior.two_level(int(a), int(b), int(c), 2, RHO[:2], 0.2).risk_ratio
            for a, b, c in zip(
                1 + child.sample(draws, rng),
                3 + parent.sample(draws, rng),
                2 + child.sample((draws, 2), rng).sum(axis=1),
                strict=True,
            )
        ]
    )
    share = (values > 1.3).mean()
    assert abs(ours.exceedance(position, 1.3) - share) < 5 * np.sqrt(share * (1 - share) / draws)
    assert ours.expected_people_above(1.3) == pytest.approx(
        sum(n * ours.exceedance(i, 1.3) for i, n in enumerate(ours.people))
    )
    assert ours.expected_people_above(5.0) == 0.0
    for attack in ("single", "unique-levels"):
        realised = posterior.release_risk(SITUATIONS, RHO, 0.2, attack)
        first = posterior.exceedance_single_level(1.3, RHO[0], 0.2)
        assert realised.exceedance(2, 1.3) == pytest.approx(first, abs=1e-12)


def test_millions_of_cells_are_a_few_situations() -> None:
    rng = np.random.default_rng(1)
    size = 400_000
    first = rng.integers(1, 4, size)
    counts = np.column_stack([first, first + rng.poisson(2.0, size)])
    situations = Situations.of(counts, rng.integers(5, 9, size))
    assert len(situations.cells) < 300
    ours = posterior.release_risk(situations, RHO, attack="two-level", rare=1)
    assert ours.n_people == int((first == 1).sum())


def test_bad_input() -> None:
    with pytest.raises(DataError, match="cannot count more people than its parent: at level 1"):
        Situations.of([[1, 2, 1]], [0])
    with pytest.raises(DataError, match="must be >= 1"):
        Situations.of([[0, 2]], [0])
    with pytest.raises(ParameterError, match="attack='two-level' needs 2 levels"):
        posterior.release_risk(Situations.of([[1], [2]], [0, 0]), RHO, attack="two-level")
    with pytest.raises(ParameterError, match="nobody's count"):
        posterior.release_risk(Situations.of([[3, 4]], [0]), RHO)
    with pytest.raises(ParameterError, match="did you mean 'single'"):
        posterior.release_risk(SITUATIONS, RHO, attack="singel")
    with pytest.raises(ParameterError, match="must be one of"):
        posterior.CENSUS_2020.histogram_rho("blok group")


def test_people_with_several_rows_are_refused_for_their_risk_would_be_understated() -> None:
    several = Situations.of([[1, 2]], [3], max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="are those of one row per person, and these groups keep up to 2; read"):
        posterior.release_risk(several, [0.1, 0.2])


def test_families_are_in_counts_that_hold_them() -> None:
    direct = {
        "single": [posterior.expected_single_level(RHO[0], 0.2, family=2)] * 2,
        "two-level": [
            posterior.expected_unique_at_levels(RHO[:2], 0.2, family=2),
            posterior.expected_two_level(6, 4, RHO[:2], 0.2, family=2),  # 4 others in the parent and the two
        ],
        "unique-levels": [posterior.expected_unique_at_levels(RHO[:levels], 0.2, family=2) for levels in (2, 1)],
    }
    for attack, risks in direct.items():
        ours = posterior.release_risk(SITUATIONS, RHO, 0.2, attack, rare=5, family=2)
        assert ours.people.tolist() == [8, 25]
        assert ours.posterior == pytest.approx([risk.posterior for risk in risks], abs=1e-10)
        above = ours.exceedance(1, 0.5 / 0.2)
        assert above == pytest.approx(risks[1].correct_decision, abs=1e-9)
    with pytest.raises(ParameterError, match="must be >= 3"):
        posterior.release_risk(SITUATIONS, RHO, rare=2, family=3)
    with pytest.raises(ParameterError, match="no count at the lowest level is 3"):
        posterior.release_risk(SITUATIONS, RHO, rare=3, family=3)
    with pytest.raises(ParameterError, match="between 3 and 4"):
        posterior.release_risk(SITUATIONS, RHO, rare=4, family=3)
