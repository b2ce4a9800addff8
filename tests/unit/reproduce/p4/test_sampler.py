from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.posterior import two_level
from epsilens.reproduce.p4.sampler import chain
from epsilens.reproduce.p4.setting import RHO_BLOCK, RHO_GROUP


@pytest.mark.parametrize("noisy", [(2, 1, -1), (0, -2, 14), (1, 4, -20), (-3, 0, 0)])
@pytest.mark.parametrize("published", [False, True])
def test_its_stationary_law_is_the_posterior_and_print_has_another(
    noisy: tuple[int, int, int], published: bool
) -> None:
    found = chain(*noisy, asks=not published)
    known = two_level(*noisy, 27, (RHO_BLOCK, RHO_GROUP), published=published)
    assert float(found.present) == pytest.approx(known.posterior, rel=1e-9)
    for parent, share in zip(found.parents, found.parent_pmf, strict=True):
        assert share == pytest.approx(known.parent_pmf.get(int(parent), 0.0), abs=1e-12)


def test_people_known_of_and_another_prior() -> None:
    found = chain(5, 6, 2, rho=(0.2, 0.4), siblings=3, prior=0.1, known=4)
    known = two_level(5, 6, 2, 3, (0.2, 0.4), prior=0.1, known=4, sum_law="approximate")
    assert float(found.present) == pytest.approx(known.posterior, rel=1e-9)


def test_many_noisy_counts_at_once() -> None:
    together = chain(np.arange(-1.0, 3.0)[:, None, None], np.arange(-2.0, 4.0)[:, None], np.arange(-9.0, 9.0, 3.0))
    assert together.present.shape == (4, 6, 6)
    assert float(together.present[3, 4, 2]) == pytest.approx(float(chain(2, 2, -3).present), rel=1e-9)


def test_errors_are_those_of_a_chain_that_runs() -> None:
    """A chain of strong dependence, run 400 times for 200 steps: its spread is the one that is computed."""
    noisy, rho, steps, runs = (0, 0, 0), (1.5, 0.05), 200, 400
    law = chain(*noisy, rho=rho, siblings=1)
    assert float(law.carried) > 0.3
    rng = np.random.default_rng(5)
    up = _upwards(noisy, rho)
    state = (rng.random(runs) < float(law.present)).astype(int)
    there, alone = np.zeros(runs), np.zeros(runs)
    for _ in range(steps):
        parent = np.where(
            state == 1,
            rng.choice(law.parents, runs, p=law.given_present),
            rng.choice(law.parents, runs, p=law.given_absent),
        )
        state = (rng.random(runs) < np.where(parent >= 1, up(parent), 0.0)).astype(int)
        there += state
        alone += parent == 0
    spread = math.sqrt(2.0 / runs)  # relative standard error of a standard deviation, doubled
    assert there.std() / steps == pytest.approx(float(law.error(steps)), rel=2.5 * spread)
    assert alone.std() / steps == pytest.approx(law.parent_error(0, steps), rel=2.5 * spread)
    assert abs(there.mean() / steps - float(law.present)) < 4.0 * float(law.error(steps)) / math.sqrt(runs)


def _upwards(noisy: tuple[int, int, int], rho: tuple[float, float]) -> Callable[[FloatArray], FloatArray]:
    """P(X1 = 1 | X2), from the squares it is made of."""
    x1, _, y = noisy

    def weight(child: int, parent: FloatArray) -> FloatArray:
        return np.exp(-rho[0] * (x1 - child) ** 2 - rho[0] * (y - parent + child) ** 2)

    return lambda parent: weight(1, parent) / (weight(0, parent) + weight(1, parent))
