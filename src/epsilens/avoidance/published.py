"""The printed guarantees, bounds and exact expressions of P2, as printed.

Each system offers the right value next to these; ``audit`` says which of them hold.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.binomial import at_most
from epsilens.checks import positive, probability
from epsilens.errors import ParameterError
from epsilens.noise.laplace import LaplaceNoise

PUBLISHED_TABLE = {
    "laplace": {
        0.5: (0.0, 763.775, 3.655),
        1.0: (0.0, 342.885, 1.845),
        2.0: (0.0, 154.78, 0.905),
        4.0: (0.0, 67.34, 0.465),
    },
    "discrete-gaussian": {
        0.5: (0.363, 980.81, 4.945),
        1.0: (0.132, 659.215, 3.065),
        2.0: (0.017, 436.925, 2.2),
        4.0: (3e-4, 290.715, 1.495),
    },
    "dp-suppression": {
        0.5: (0.999, 935.525, 4.345),
        1.0: (0.999, 1003.035, 4.5),
        2.0: (0.999, 1018.335, 4.72),
        4.0: (0.999, 1014.63, 4.92),
    },
    "dp-swapping": {
        0.5: (0.868, 10906.79, 469.015),
        1.0: (0.874, 9859.26, 425.335),
        2.0: (0.899, 6841.19, 282.73),
        4.0: (0.969, 1664.63, 101.645),
    },
    "dp-k-anonymity": {
        0.5: (0.878, 2337.8, 22.65),
        1.0: (0.906, 3297.4, 32.1),
        2.0: (0.981, 4175.5, 37.65),
        4.0: (0.999, 4590.7, 40.75),
    },
}
"""Massachusetts: system -> epsilon -> (delta, l1 norm of the bias, alpha), as printed in Table 1."""

TEXAS = {
    "laplace": {
        0.5: (0.0, 901.21, 3.645),
        1.0: (0.0, 409.03, 1.815),
        2.0: (0.0, 187.59, 0.905),
        4.0: (0.0, 81.63, 0.46),
    },
    "discrete-gaussian": {
        0.5: (0.363, 1156.63, 4.62),
        1.0: (0.132, 777.455, 2.96),
        2.0: (0.017, 523.825, 1.995),
        4.0: (3e-4, 353.99, 1.545),
    },
    "dp-suppression": {
        0.5: (0.999, 1138.62, 4.53),
        1.0: (0.999, 1205.315, 4.47),
        2.0: (0.999, 1219.19, 4.71),
        4.0: (0.999, 1217.115, 4.91),
    },
    "dp-swapping": {
        0.5: (0.868, 12988.58, 437.105),
        1.0: (0.874, 11624.64, 394.28),
        2.0: (0.899, 8212.7, 266.78),
        4.0: (0.969, 2117.62, 75.48),
    },
    "dp-k-anonymity": {
        0.5: (0.878, 2963.3, 24.7),
        1.0: (0.906, 4296.8, 35.4),
        2.0: (0.981, 5406.7, 43.4),
        4.0: (0.999, 5992.0, 48.9),
    },
}
"""Texas, as printed in Table 2."""

OUTLIER = {
    "laplace": {
        0.5: (0.0, 2992.88, 4.02),
        1.0: (0.0, 1372.36, 2.0),
        2.0: (0.0, 628.335, 0.975),
        4.0: (0.0, 274.36, 0.48),
    },
    "discrete-gaussian": {
        0.5: (0.363, 3798.96, 4.885),
        1.0: (0.132, 2570.38, 3.235),
        2.0: (0.017, 1728.1, 2.62),
        4.0: (3e-4, 1162.0, 1.71),
    },
    "dp-suppression": {
        0.5: (0.999, 3687.445, 4.39),
        1.0: (0.999, 3911.82, 4.56),
        2.0: (0.999, 3969.165, 4.76),
        4.0: (0.999, 3962.755, 4.93),
    },
    "dp-swapping": {
        0.5: (0.868, 35385.63, 580.015),
        1.0: (0.874, 32134.71, 553.66),
        2.0: (0.899, 22242.12, 339.09),
        4.0: (0.969, 5634.95, 108.565),
    },
    "dp-k-anonymity": {
        0.5: (0.878, 10260.6, 34.5),
        1.0: (0.906, 14668.5, 46.1),
        2.0: (0.981, 18529.7, 54.4),
        4.0: (0.999, 20456.9, 61.5),
    },
}
"""The Outlier areas, as printed in Table 3."""

PUBLISHED_TABLES = {
    "P2 Table 1": ("Massachusetts", PUBLISHED_TABLE),
    "P2 Table 2": ("Texas", TEXAS),
    "P2 Table 3": ("Outlier", OUTLIER),
}
"""Where it is printed -> (of which data, what is printed)."""


_MOST_STEPS = 2_000
_LARGEST_SIZE = 1e12  # of a binomial law that is summed


def keep_probability(epsilon: float, levels: int) -> float:
    """Gamma = e^epsilon / (e^epsilon + n_Q - 1), the probability that swapping leaves quasi-identifiers alone.

    Symbols: n_Q is ``levels``.

    Source: P2 Eq. (4).
    """
    return 1.0 / (1.0 + (levels - 1) * math.exp(-positive("epsilon", epsilon)))


def suppression_delta(epsilon: float, k: int, bound: int) -> float:
    """Delta = 1 - e^(-epsilon (B - k)) / 4 for DP suppression, B > k the largest possible count.

    Source: P2 Theorem 1.
    Departs from print (P2-4): valid and nearly tight; the exact value is ``DPSuppression.delta(bound=B)``.
    """
    if bound <= k:
        raise ParameterError(f"must be above the threshold {k}, as the theorem has it", parameter="bound", got=bound)
    return -math.expm1(-epsilon * (bound - k) - math.log(4.0))


def suppression_probabilities(counts: npt.ArrayLike, epsilon: float, k: int) -> FloatArray:
    """p_i = P(x_i + eta_i < k), the probability that DP suppression hides a count; eta is Laplace of scale 2 / epsilon.

    Source: P2 Eq. (3).
    """
    return LaplaceNoise(2.0 / positive("epsilon", epsilon)).cdf(k - as_floats(counts))


def suppression_bias_bound(counts: npt.ArrayLike, epsilon: float, k: int) -> float:
    """||k/2 - x||_2 ||p||_2, a bound on the l1 norm of DP suppression's bias, by Cauchy and Schwarz.

    Source: P2 Theorem 2.
    """
    x = as_floats(counts).ravel()
    return float(np.linalg.norm(0.5 * k - x) * np.linalg.norm(suppression_probabilities(x, epsilon, k)))


def swapping_delta(epsilon: float, levels: int) -> float:
    """Delta = 1 - (1 - gamma^2) / (n_Q - 1) - ((1 - gamma) / (n_Q - 1))^2 for DP swapping, as printed.

    Source: P2 Theorem 3.
    Departs from print (P2-3): false; the last sign must be +, see ``DPSwapping.delta``.
    """
    gamma, rest = keep_probability(epsilon, levels), levels - 1
    return 1.0 - (1.0 - gamma**2) / rest - ((1.0 - gamma) / rest) ** 2


def swapping_bias_l1(counts: npt.ArrayLike, epsilon: float) -> float:
    """n_Q / (e^epsilon + n_Q - 1) sum_i D_mean(x_{I_i}), the l1 norm of DP swapping's bias.

    D_mean is the mean absolute deviation of the n_Q counts with the same other attributes. Symbols: ``counts`` has
    the n_Q quasi-identifiers on its last axis.

    Source: P2 Theorem 4.
    """
    x = as_floats(counts)
    levels = x.shape[-1]
    deviation = np.abs(x - x.mean(axis=-1, keepdims=True)).mean(axis=-1)
    away = math.exp(-epsilon)
    return float(levels * away / (1.0 + (levels - 1) * away) * levels * deviation.sum())


def sampling_probability(epsilon: float) -> float:
    """Beta = 1 - e^-epsilon, the share of records that DP k-anonymity keeps.

    Source: P2 Algorithm 6.
    """
    return -math.expm1(-positive("epsilon", epsilon))


def k_anonymity_delta(epsilon: float, bound: int, beta: float | None = None) -> float:
    """Delta = 1 - min over w = 1..B of F(floor((1 - e^-epsilon) w); w, beta)^2, F the binomial cdf.

    Symbols: B is ``bound``, the largest possible count; beta defaults to 1 - e^-epsilon.

    For a fixed floor F falls with w, so each of its steps has its smallest value at its last w, just before
    (m + 1) / (1 - e^-epsilon) for m = 0, 1, ...; only these are looked at, and B. Beyond the first 2,000 steps F is
    near 1/2, and smaller values have been seen.

    Source: P2 Theorem 5.
    Departs from print (P2-4): valid and useless, since sampling alone is (0, beta)-DP.
    """
    share = sampling_probability(epsilon)
    steps = np.arange(1.0, min(share * bound, _MOST_STEPS) + 2.0)
    last = np.ceil(steps / share) - 1.0
    near = np.concatenate([last - 1.0, last, last + 1.0, [1.0, float(bound)]])  # the division may be off by one
    w = np.unique(near[(near >= 1.0) & (near <= min(bound, _LARGEST_SIZE))])
    sampled = share if beta is None else beta
    # 1 - e^-epsilon is below 1, also where it is rounded to 1
    least = float(at_most(np.minimum(np.floor(share * w), w - 1.0), w, sampled).min())
    if last[0] > _LARGEST_SIZE:  # the first step, on which nobody is sampled
        least = min(least, math.exp(min(last[0], bound) * math.log1p(-sampled)))
    return 1.0 - least**2


def merge_bias(counts: npt.ArrayLike, k: int, beta: float) -> FloatArray:
    """P(Bin(x_i, beta) < k) for x_i >= k, else 0: how much likelier sampling makes it that a cell is merged.

    Source: P2 Theorem 6.
    """
    x = as_floats(counts)
    return as_floats(np.where(x >= k, at_most(k - 1, np.maximum(x, k), beta), 0.0))


def suppression_fairness_bound(counts: npt.ArrayLike, epsilon: float, k: int) -> float:
    """(x_n - x_1) p_1 + max(|k/2 - x_1|, |k/2 - x_n|) (p_1 - p_n), a bound on the alpha of DP suppression.

    Source: P2 Theorem 7.
    Departs from print (P2-6): the theorem that orders systems by it orders bounds, not fairness.
    """
    x = np.array([as_floats(counts).min(), as_floats(counts).max()])
    p = suppression_probabilities(x, epsilon, k)
    return float((x[1] - x[0]) * p[0] + np.abs(0.5 * k - x).max() * (p[0] - p[1]))


def swapping_fairness_bound(counts: npt.ArrayLike, epsilon: float, levels: int) -> float:
    """2 n_Q (x_n - x_1) / (e^epsilon + n_Q - 1), a bound on the alpha of DP swapping.

    Source: P2 Theorem 8.
    """
    x = as_floats(counts)
    away = math.exp(-epsilon)
    return float(2.0 * levels * away * (x.max() - x.min()) / (1.0 + (levels - 1) * away))


def laplace_fairness_bound(counts: npt.ArrayLike, epsilon: float) -> float:
    """e^(-epsilon x_1 / 2) (x_n - x_1) / 2, a bound on the alpha of clipped Laplace counts of scale 2 / epsilon.

    Source: P2 Theorem 9.
    """
    x = as_floats(counts)
    return float(0.5 * math.exp(-0.5 * epsilon * x.min()) * (x.max() - x.min()))


def discrete_gaussian_text_delta(epsilon: float) -> float:
    """The delta at which the text's discrete Gaussian of variance 4 / epsilon^2 has this epsilon.

    The text claims (epsilon^2 / 2 + epsilon sqrt(2 log(1 / delta)), delta) for every delta. The first is the nominal
    epsilon at delta = exp(-(1 - epsilon / 2)^2 / 2); from epsilon = 2 on it exceeds it at every delta below 1.

    Source: P2 section 3.
    Departs from print (P2-2, P2-4): the tables have another variance, 20 / epsilon; valid and very loose.
    """
    if positive("epsilon", epsilon) >= 2.0:
        return 1.0
    return math.exp(-0.5 * (1.0 - 0.5 * epsilon) ** 2)


def discrete_gaussian_text_epsilon(epsilon: float, delta: float) -> float:
    """epsilon^2 / 2 + epsilon sqrt(2 log(1 / delta)): what the text claims at ``delta`` for variance 4 / epsilon^2.

    Source: P2 section 3.
    """
    return 0.5 * epsilon**2 + positive("epsilon", epsilon) * math.sqrt(-2.0 * math.log(probability("delta", delta)))


def discrete_gaussian_delta(epsilon: float) -> float:
    """Delta = exp(-(epsilon - rho)^2 / (4 rho)) with rho = epsilon / 10: what the published tables claim.

    Source: P2 Tables 1 to 3.
    Departs from print (P2-4): valid and very loose.
    """
    rho = positive("epsilon", epsilon) / 10.0
    return math.exp(-((epsilon - rho) / (4.0 * rho)) * (epsilon - rho))
