"""What a budget is worth for several people together: differential privacy protects persons, not families.

A budget is a promise about tables that differ in one person. People who share what is to be learnt, a household or a
school class, come and go together, so an adversary compares tables that differ in m people. What is left of the promise
follows in two ways.

**From the budget alone**, whatever the mechanism: go from one table to the other person by person, m steps, each of
which costs e^epsilon and delta once more. P_0 <= e^epsilon P_1 + delta <= e^(2 epsilon) P_2 + e^epsilon delta + delta
and so on, hence epsilon_m = m epsilon and delta_m = delta (1 + e^epsilon + ... + e^((m - 1) epsilon)). Of
zero-concentrated DP rho_m = m^2 rho (Bun and Steinke 2016, Proposition 27).

**From the law of the noise**: a count moves by m and not by 1, so that the privacy loss is
log f(x) / f(x - m), and epsilon_m is the smallest epsilon with delta(epsilon) <= delta of that loss, at the same delta.
For Laplace noise both agree. For Gaussian noise the budget alone soon promises nothing, since its delta_m grows as
e^(m epsilon), and the law does; its epsilon_m, at a delta that does not grow, is a little above m epsilon. It is exact
up to a hundred-millionth or so, on the safe side (:mod:`~epsilens.noise.loss_distribution`).

Assumes that all m people are in one cell, where they move a count the most: the l2 distance is m there, and only
sqrt(m) where each is in a cell of their own; the l1 distance is m either way.
"""

from __future__ import annotations

import math

from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP, count_sensitivity, counts_moved
from epsilens.checks import finite, whole
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.law import checked_noise
from epsilens.noise.loss_distribution import MovedCount, composed_epsilon

_NEXT_TO_NOTHING = 1e-300


def group_epsilon(noise: Noise, members: int, delta: float = 0.0, neighbours: str = "add-remove") -> float:
    """The smallest epsilon that ``noise`` keeps for ``members`` people together, at ``delta``; inf where none does.

    The smallest epsilon with E max(0, 1 - e^(epsilon - L)) <= delta, L = log f(X) / f(X - m) and X following f; at
    delta = 0 the largest L. Symbols: m is ``members``, f the law of ``noise``. Neighbours by substitution move two
    counts by m each, whose losses add up.

    Assumes that all of them are in one cell.
    """
    law, m = checked_noise(noise), whole("members", members, 1)
    moved = counts_moved(neighbours)
    if (bar := finite("delta", delta)) == 0.0:
        return law.largest_loss(float(m * moved))
    if not 0.0 < bar < 1.0:
        raise ParameterError("must lie in [0, 1)", parameter="delta", got=bar)
    return composed_epsilon([(MovedCount(law, float(m)), moved)], bar).epsilon


def group_budget(budget: Budget, members: int, mechanism: str | None = None, neighbours: str = "add-remove") -> Budget:
    """What ``budget``, a promise to one person, is worth for ``members`` people together.

    m epsilon of pure DP and m^2 rho of zCDP, with equality for our mechanisms. Of (epsilon, delta): with a
    ``mechanism`` the exact epsilon of its noise at the same delta (:func:`group_epsilon`), without one what every
    mechanism keeps, m epsilon and delta (e^(m epsilon) - 1) / (e^epsilon - 1); refused where that delta reaches 1, and
    nothing is promised any more. Symbols: m is ``members``.

    Assumes that all of them are in one cell.
    """
    m = whole("members", members, 1)
    if isinstance(budget, PureDP):
        return PureDP(m * budget.epsilon)
    if isinstance(budget, ZCDP):
        return ZCDP(m * m * budget.rho)
    if mechanism is not None:
        noise = calibrate(mechanism, budget, neighbours)
        return _promise(group_epsilon(noise, m, budget.delta, neighbours), budget.delta)
    log_delta = math.log(budget.delta) + _log_expm1(m * budget.epsilon) - _log_expm1(budget.epsilon)
    if log_delta >= 0.0:
        raise ParameterError(
            f"`epsilon` and `delta` of one person promise nothing to {m} people: their delta would reach 1",
            remedy="name the `mechanism`, whose own noise is worth more, or take a smaller `delta`",
        )
    return ApproxDP(m * budget.epsilon, math.exp(log_delta))


def person_budget(budget: Budget, members: int, mechanism: str | None = None, neighbours: str = "add-remove") -> Budget:
    """The budget of one person with which ``members`` people together have ``budget``: :func:`group_budget` inverted.

    epsilon / m of pure DP and rho / m^2 of zCDP. Of (epsilon, delta): with a ``mechanism`` its noise is calibrated to
    counts that move by m, and the epsilon that it keeps for one person at the same delta is returned; without one
    epsilon / m and delta (e^(epsilon / m) - 1) / (e^epsilon - 1). Symbols: m is ``members``.

    Assumes that all of them are in one cell.
    """
    m = whole("members", members, 1)
    if isinstance(budget, PureDP):
        return PureDP(budget.epsilon / m)
    if isinstance(budget, ZCDP):
        return ZCDP(budget.rho / (m * m))
    if mechanism is not None:
        noise = noise_for_group(mechanism, budget, m, neighbours)
        return _promise(group_epsilon(noise, 1, budget.delta, neighbours), budget.delta)
    log_delta = math.log(budget.delta) + _log_expm1(budget.epsilon / m) - _log_expm1(budget.epsilon)
    return ApproxDP(budget.epsilon / m, math.exp(log_delta))


def noise_for_group(mechanism: str, budget: Budget, members: int, neighbours: str = "add-remove") -> Noise:
    """The noise with which ``members`` people together have ``budget``: that of counts which move by so many."""
    m = whole("members", members, 1)
    calibrate(mechanism, budget, neighbours)  # what it does not take is refused in its own words
    sensitivity = m * count_sensitivity(neighbours, MECHANISMS[mechanism].norm)
    return calibrate(mechanism, budget, sensitivity=sensitivity)


def _promise(epsilon: float, delta: float) -> ApproxDP:
    """The pair as a budget; where delta alone is promise enough, with next to no epsilon."""
    if math.isinf(epsilon):
        raise ParameterError(
            f"no epsilon holds for so many `members` at a delta of {delta:g}", remedy="take a smaller budget"
        )
    return ApproxDP(max(epsilon, _NEXT_TO_NOTHING), delta)


def _log_expm1(x: float) -> float:
    """Log(e^x - 1) for x > 0."""
    return x + math.log(-math.expm1(-x))
