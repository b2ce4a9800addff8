"""Small tables: neighbours among them, and the laws of what is published."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.enumeration import AuditNeighbours, Counts, neighbouring_pairs
from epsilens.noise.divergence import Distribution


@pytest.mark.parametrize(
    ("neighbours", "expected"),
    [
        ("add-remove", {((1, 1), (0, 0)), ((1, 0), (1, 0)), ((0, 0), (0, 0))}),
        ("substitute", {((0, 1), (0, 0)), ((0, 0), (1, 0))}),
        ("qid", {((0, 1), (0, 0))}),
    ],
)
def test_neighbours(neighbours: str, expected: set[object]) -> None:
    table = ((1, 0), (0, 0))
    tables = [((a, b), (c, d)) for a in range(3) for b in range(2) for c in range(2) for d in range(2)]
    found = {after for before, after in neighbouring_pairs(tables, neighbours) if before == table}  # type: ignore[arg-type]
    assert found >= expected
    if neighbours == "qid":
        assert found == expected
    assert len(found) == {"add-remove": 5, "substitute": 3, "qid": 1}[neighbours]


def systems(epsilon: float) -> list[av.System]:
    return [
        av.DPSuppression(2, epsilon),
        av.DPSuppression(3, epsilon),
        av.DPSuppression(2, epsilon, "algorithm-2"),
        av.DPSwapping(epsilon, 2),
        av.DPSwapping(epsilon, 3, reading="algorithm-4"),
        av.DPKAnonymity(2, epsilon),
    ]


def small_law(system: av.System, table: Counts) -> Distribution:
    small = system.enumeration()
    assert small is not None
    assert small.law is not None
    return small.law(table)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_output_laws_sum_to_one_and_match_releases(epsilon: float) -> None:
    rng = np.random.default_rng(9)
    for system in systems(epsilon):
        row = (2, 1, 0) if "swapping" in system.name and system.levels == 3 else (2, 1)  # type: ignore[attr-defined]
        table = (row, tuple(0 for _ in row))
        if isinstance(system, av.DPKAnonymity):
            assert sum(small_law(system, table).values()) == pytest.approx(1.0)
            continue
        law = small_law(system, table)
        assert sum(law.values()) == pytest.approx(1.0, abs=1e-12)
        counts: dict[object, int] = {}
        for _ in range(2000):
            released = system.release(np.array(table), rng)
            if isinstance(system, av.DPSwapping):
                output: object = tuple(tuple(int(v) for v in line) for line in released)
            else:
                output = tuple(float(v) for v in released.ravel())
            counts[output] = counts.get(output, 0) + 1
        for output, mass in law.items():
            error = math.sqrt(mass * (1 - mass) / 2000) if mass < 1 else 0.0
            assert abs(counts.get(output, 0) / 2000 - mass) <= 5 * error + 2e-3, (system.name, output)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("neighbours", ["add-remove", "substitute", "qid"])
def test_enumeration_attains_the_closed_forms(epsilon: float, neighbours: AuditNeighbours) -> None:
    for system in systems(epsilon):
        bound = 7 if isinstance(system, av.DPSuppression) else 8 if isinstance(system, av.DPKAnonymity) else None
        found = av.audit(system, neighbours, bound=bound)
        assert found.exact is not None
        assert found.enumerated <= found.exact + 1e-12
        if not isinstance(system, av.DPKAnonymity):  # whose classes are too small here to show everything
            assert found.enumerated == pytest.approx(found.exact, abs=1e-9)
    everything = av.audit(av.DPKAnonymity(1, epsilon), neighbours, bound=8)
    assert everything.enumerated == pytest.approx(1 - math.exp(-epsilon), abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_moments_are_those_of_the_output_law(epsilon: float) -> None:
    counts = np.array([[4, 1, 0], [2, 2, 3]])
    for system in (
        av.DPSuppression(4, epsilon),
        av.DPSuppression(3, epsilon),
        av.DPSuppression(4, epsilon, "algorithm-2"),
        av.DPSuppression(3, epsilon, "algorithm-2"),
        av.DPSwapping(epsilon, 3),
        av.DPSwapping(epsilon, 3, reading="algorithm-4"),
    ):
        law = system.output_law(tuple(tuple(int(c) for c in row) for row in counts))
        outputs = np.array([np.ravel(np.asarray(output)) for output in law])
        mass = np.array(list(law.values()))
        mean = mass @ outputs
        exact = system.moments(counts)
        np.testing.assert_allclose(exact.bias.ravel(), mean - counts.ravel(), atol=1e-10, err_msg=system.name)
        np.testing.assert_allclose(exact.variance.ravel(), mass @ outputs**2 - mean**2, atol=1e-9, err_msg=system.name)
