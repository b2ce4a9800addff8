from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from epsilens.reproduce.p0.curves import (
    ADULT,
    BANKRUPTCY,
    EPSILONS,
    PAIRS,
    SUBSET,
    SUBSET_EXPECTED,
    Curve,
    Experiment,
    curve,
    limit,
    noise_of,
    s_shaped,
)
from tests.support.judged import data_of

X = np.log(EPSILONS)
LOGISTIC = 1.0 / (1.0 + np.exp(-2.0 * X))


@pytest.mark.parametrize(
    ("risks", "holds", "seen"),
    [
        (LOGISTIC, True, "from 0.000 to 1.000, most steeply at epsilon = "),
        (np.full_like(X, 0.3), False, "it does not rise but stays at 0.3000"),
        (LOGISTIC - 0.2 * np.exp(-((X + 4) ** 2)), False, "it falls from"),
        (np.exp(X - X[-1]), False, "it still rises at epsilon = 100, where it ends"),
        (0.5 * (1 / (1 + np.exp(-6 * (X + 3))) + 1 / (1 + np.exp(-6 * (X - 3)))), False, "it becomes steeper twice"),
    ],
)
def test_what_is_s_shaped(risks: np.ndarray, holds: bool, seen: str) -> None:
    found = s_shaped(Curve(EPSILONS, risks))
    assert found.holds is holds
    assert found.seen.startswith(seen)


@pytest.mark.parametrize(
    ("experiment", "weighted", "exact", "risks"),
    [
        (SUBSET, False, False, [0.19165, 0.27688, 0.35850, 0.47920, 0.68804]),
        (SUBSET, True, False, [0.21229, 0.29036, 0.35195, 0.43477, 0.56547]),
        (SUBSET_EXPECTED, False, False, [0.18638, 0.27954, 0.37052, 0.50660, 0.74523]),
        (SUBSET_EXPECTED, True, False, [0.20732, 0.29377, 0.36478, 0.46273, 0.62221]),
        (SUBSET, False, True, [0.19106, 0.26335, 0.33462, 0.45273, 0.68731]),
        (SUBSET, True, True, [0.21025, 0.26103, 0.30649, 0.38902, 0.56426]),
        (BANKRUPTCY, False, False, [0.30500, 0.46333, 0.59734, 0.76383, 0.99569]),
        (BANKRUPTCY, True, True, [0.32933, 0.50832, 0.63774, 0.79036, 0.99624]),
        (ADULT, False, True, [0.32465, 0.40229, 0.48203, 0.60111, 0.80330]),
        (ADULT, True, True, [0.31255, 0.29126, 0.30551, 0.33938, 0.40276]),
    ],
)
def test_the_values_of_findings(
    data_dir: Path, experiment: Experiment, weighted: bool, exact: bool, risks: list[float]
) -> None:
    noises = [noise_of("laplace", epsilon) for epsilon in (0.1, 0.5, 1.0, 2.0, 10.0)]
    assert experiment.risks(data_of(data_dir), noises, weighted, exact) == pytest.approx(risks, abs=5e-6)


def test_the_adult_data_as_published(data_dir: Path) -> None:
    found = curve(data_of(data_dir), PAIRS, "laplace", None, weighted=False)
    assert [found.at(e) for e in (0.001, 0.1, 1.0, 10.0)] == pytest.approx([0.2511, 0.3127, 0.5653, 0.9948], abs=5e-5)
    assert limit(PAIRS, False, True, False, data_of(data_dir)) == pytest.approx(0.25, abs=1e-5)


def test_the_exact_risk_of_the_adult_data_falls_and_rises(data_dir: Path) -> None:
    """FINDINGS, P0 item 9."""
    found = curve(data_of(data_dir), ADULT, "laplace", None, weighted=True, exact=True)
    assert found.at(0.001) == pytest.approx(0.4003, abs=5e-5)
    assert found.risks.min() < 0.2913
    assert found.at(1.0) == pytest.approx(0.3055, abs=5e-5)
