"""The audit: neighbours, enumeration, verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.audit import neighbouring_pairs, output_law
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise


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


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_output_laws_sum_to_one_and_match_releases(epsilon: float) -> None:
    rng = np.random.default_rng(9)
    for system in systems(epsilon):
        row = (2, 1, 0) if "swapping" in system.name and system.levels == 3 else (2, 1)  # type: ignore[attr-defined]
        table = (row, tuple(0 for _ in row))
        if isinstance(system, av.DPKAnonymity):
            assert sum(output_law(system, table).values()) == pytest.approx(1.0)
            continue
        law = output_law(system, table)
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
def test_enumeration_attains_the_closed_forms(epsilon: float, neighbours: av.system.Neighbours) -> None:
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
        law = output_law(system, tuple(tuple(int(c) for c in row) for row in counts))
        outputs = np.array([np.ravel(np.asarray(output)) for output in law])
        mass = np.array(list(law.values()))
        mean = mass @ outputs
        exact = system.moments(counts)
        np.testing.assert_allclose(exact.bias.ravel(), mean - counts.ravel(), atol=1e-10, err_msg=system.name)
        np.testing.assert_allclose(exact.variance.ravel(), mass @ outputs**2 - mean**2, atol=1e-9, err_msg=system.name)


def test_verdicts_and_sentences() -> None:
    swapping = av.audit(av.DPSwapping(0.5, 2), "qid")
    assert swapping.verdict == "false"
    assert swapping.sentence == "claims 0.2449, but delta is 0.53: (1, 1) against (0, 2) has 0.53"
    rows = av.audit(av.DPSwapping(0.5, 2, reading="algorithm-4"), "qid")
    assert (rows.verdict, rows.exact) == ("valid", 0.0)
    assert "true but loose" in rows.sentence
    suppression = av.audit(av.DPSuppression(6, 0.5), bound=9)
    assert suppression.sentence == "claims 0.9442, true and nearly tight: delta is 0.9284"
    for system in (av.Suppression(3), av.Suppression(3, "equation-1"), av.KAnonymity(2)):
        plain = av.audit(system, epsilon=2.0)
        assert (plain.verdict, plain.exact, plain.enumerated) == ("no claim", 1.0, 1.0)
        assert plain.sentence.startswith("makes no claim")
    assert av.Suppression(3).delta(bound=2) == 0.0
    laplace = av.audit(av.NoisyCounts.as_published("laplace", 0.5))
    assert (laplace.verdict, laplace.enumerated) == ("valid", 0.0)
    assert laplace.to_dict()["witness"]


def test_clipped_noise_is_no_worse_than_unclipped() -> None:
    for law in ("gaussian", "discrete-gaussian", "discrete-laplace"):
        clipped = av.audit(av.NoisyCounts.as_published(law, 1.0))
        unclipped = av.audit(av.NoisyCounts.as_published(law, 1.0, clipped=False))
        assert clipped.enumerated <= unclipped.enumerated + 1e-15
        assert unclipped.enumerated == pytest.approx(unclipped.exact, abs=1e-12)


def test_bad_audits() -> None:
    with pytest.raises(ParameterError, match="no epsilon of its own"):
        av.audit(av.Suppression(3))
    with pytest.raises(ParameterError, match=r"epsilon must be the 0.5 that .* was built for, got 1"):
        av.audit(av.DPSwapping(0.5, 2), epsilon=1.0)
    with pytest.raises(ParameterError, match="is not enumerated"):
        av.audit(av.Swapping(0.1), epsilon=1.0)
    with pytest.raises(ParameterError, match="no list of outputs"):
        av.audit(av.NoisyCounts(LaplaceNoise(1.0), rounded=False), epsilon=1.0)


@pytest.mark.parametrize("epsilon", [0.5, 30.0, 1500.0, 3000.0])
def test_pure_noise_has_no_delta_at_its_own_epsilon_however_large(epsilon: float) -> None:
    for law in (LaplaceNoise, DiscreteLaplaceNoise):
        assert av.noise_delta(law(2 / epsilon), epsilon, 2) == 0.0
        assert av.noise_delta(law(1 / epsilon), epsilon, 1) == 0.0
    assert av.noise_delta(DiscreteLaplaceNoise(2.0), 0.9, 2) > 0.0
