"""Section 4 with Figures 3 to 5: the risk against epsilon and delta, and what 500 simulated releases average to.

A release shows each homogeneous set rightly or not, independently of the others. So the average risk of a release has
a known law: its mean is the average of the probabilities p_j, its variance the sum of p_j (1 - p_j) over the square of
the number of sets, and the average over 500 releases has a variance of a 500th of that. No release need be simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.reproduce.claims import Claim, Finding, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.asymptotes import between_gaussians
from epsilens.reproduce.p0.curves import (
    BANKRUPTCY,
    BELOW_ONE,
    EPSILONS,
    FAR,
    MORE,
    PAIRS,
    REACHED,
    SLIGHT,
    TITLES,
    Curve,
    Experiment,
    Mechanism,
    curve,
    curves,
    deltas_of,
    noise_of,
    s_shaped,
    worst_of,
)
from epsilens.reproduce.p0.experiments import AS_PAIRS
from epsilens.reproduce.p0.observations import RISING, alike, spread_over_deltas
from epsilens.reproduce.printed import Printed

P1 = partial(Place, "P1")
RELEASES = 500
ADULT_ONLY = "P0-8"
"""The entry on how print counts the sets of the Adult data."""
MECHANISMS: tuple[Mechanism, ...] = tuple(TITLES)
NAMES: dict[Mechanism, str] = {
    "laplace": "Laplace",
    "gaussian": "(epsilon; delta)-DP Gaussian",
    "probabilistic": "(epsilon; delta)-pDP Gaussian",
}
"""As parts of a place, which commas divide."""
DELTA = 0.001
"""At which print picks its epsilon."""
ADULT = Experiment("Adult", tables.adult, "published-p1-local", MORE)
"""By the six quasi-identifiers: sets that are heterogeneous have no risk by Definition 3.3."""
APPLICATIONS = {"Adult": (ADULT, PAIRS), "Bankruptcy": (BANKRUPTCY, BANKRUPTCY)}
"""The two applications: as print describes them, and as it computed them."""


@dataclass(frozen=True)
class Law:
    """The average risk of a release: its mean and standard deviation, one of each per noise."""

    mean: FloatArray
    deviation: FloatArray

    @property
    def standard_error(self) -> FloatArray:
        """Of the average over print's releases."""
        return as_floats(self.deviation / math.sqrt(RELEASES))


def law_of_release(
    data: Data, experiment: Experiment, mechanism: Mechanism, delta: float | None, epsilons: Sequence[float]
) -> Law:
    """The law of Definition 3.3's risk, averaged over the sets of a table, from scipy's laws of noise."""
    from scipy import stats

    counts = experiment.table(data).counts
    largest, homogeneous = counts.max(axis=1), (counts > 0).sum(axis=1) == 1
    sizes, times = np.unique(largest[homogeneous], return_counts=True)
    means, deviations = [], []
    for epsilon in epsilons:
        size = noise_of(mechanism, float(epsilon), delta).size
        law = stats.laplace(scale=size) if mechanism == "laplace" else stats.norm(scale=size)
        chances = law.sf(0.5 - sizes) * law.cdf(0.5) ** (counts.shape[1] - 1)
        means.append(float(times @ chances) / len(counts))
        deviations.append(math.sqrt(float(times @ (chances * (1.0 - chances)))) / len(counts))
    return Law(as_floats(means), as_floats(deviations))


def matches(mechanism: Mechanism, experiment: Experiment, data: Data) -> Finding:
    """Whether the analytical curves are what the simulated releases average to, within four standard errors."""
    worst, seen = -1.0, ""
    for delta in deltas_of(experiment, mechanism):
        found = analytical(data, experiment, mechanism, delta)
        law = law_of_release(data, experiment, mechanism, delta, found.epsilons.tolist())
        gaps = np.abs(found.risks - law.mean)
        excess = gaps - 4.0 * law.standard_error  # at the ends of a curve there is no error left but that of rounding
        k = int(np.argmax(gaps if gaps.max() > 1e-9 else law.standard_error))
        if float(excess.max()) > worst:
            worst = float(excess.max())
            seen = (
                f"at epsilon = {found.epsilons[k]:.2g}{'' if delta is None else f', delta = {delta:g}'} it is "
                f"{found.risks[k]:.4f}, the releases average to {law.mean[k]:.4f} with a standard error of "
                f"{law.standard_error[k]:.2g}"
            )
    return Finding(worst <= 1e-9, seen)


def analytical(data: Data, experiment: Experiment, mechanism: Mechanism, delta: float | None) -> Curve:
    """Eq. (3.2) or (3.11) as print applies it: every set is taken for a homogeneous one."""
    if experiment is not ADULT:
        return curve(data, experiment, mechanism, delta, False)
    epsilons = BELOW_ONE if mechanism == "gaussian" else EPSILONS
    sizes = tables.adult(data).counts.sum(axis=1)
    values, times = np.unique(sizes, return_counts=True)
    noises = [noise_of(mechanism, float(epsilon), delta) for epsilon in epsilons]
    risks = [float(noise.cdf(0.5)) * float(times @ noise.sf(0.5 - values)) / len(sizes) for noise in noises]
    return Curve(epsilons, as_floats(risks))


def around_one(mechanism: Mechanism, experiment: Experiment, data: Data) -> Finding:
    """How far the risk is from 1 at epsilon = 10."""
    found = [
        (f"delta = {delta:g}" if delta else "", each)
        for delta, each in curves(data, experiment, mechanism, False).items()
    ]
    worst, whose = worst_of(found, lambda each: 1.0 - each.at(10.0))
    return Finding(worst <= REACHED, f"at epsilon = 10 it is {1.0 - worst:.3f}{f' ({whose})' if whose else ''}")


def shaped(mechanism: Mechanism, experiment: Experiment, data: Data) -> Finding:
    """Whether all curves of a mechanism are S-shaped."""
    found = [s_shaped(each) for each in curves(data, experiment, mechanism, False).values()]
    return next((each for each in found if not each.holds), found[0])


def fastest(experiment: Experiment, data: Data) -> Finding:
    """Whether the risk under Laplace noise grows fastest between .1 and 10."""
    found = curve(data, experiment, "laplace", None, False)
    share = (found.at(10.0) - found.at(0.1)) / (found.risks[-1] - found.risks[0])
    return Finding(
        0.1 < found.steepest < 10.0 and share > 0.5,
        f"it is steepest at epsilon = {found.steepest:.2g}, and {share:.0%} of its growth lies between .1 and 10",
    )


def knee(experiment: Experiment, data: Data) -> float:
    """Our epsilon before the risk starts to rise faster: where its slope is a quarter of the greatest."""
    from epsilens.choice.knee import knee_of

    def risk(epsilon: float) -> float:
        return experiment.at(data, noise_of("probabilistic", epsilon, DELTA), False)

    found = data.once(("knee", experiment), lambda: knee_of(risk, 1e-3, 1e2))
    return math.nan if found.epsilon is None else found.epsilon


def delta_not_obvious(experiment: Experiment, data: Data) -> Finding:
    """How far the curves of different deltas are apart, probabilistic Gaussian noise."""
    spread = spread_over_deltas(data, experiment, "probabilistic", False)[0]
    return Finding(spread <= SLIGHT, f"between the deltas of Figure 4 the risk differs by up to {spread:.3f}")


def back_calculated(data: Data) -> Finding:
    """Whether a level of risk fixes epsilon once delta is given, and delta once that epsilon is."""
    from scipy import optimize

    level, pairs, apart = 0.4, [], 0.0
    for delta in (1e-6, 1e-4, 1e-3, 1e-2, 0.1):
        epsilon = math.exp(
            optimize.brentq(lambda x, d=delta: _excess(data, math.exp(x), d, level), -6.0, 4.0, xtol=1e-14)
        )
        back = math.exp(
            optimize.brentq(lambda y, e=epsilon: _excess(data, e, math.exp(y), level), -25.0, -0.5, xtol=1e-14)
        )
        apart = max(apart, abs(math.log(back / delta)))
        pairs.append(f"({epsilon:.3f}, {delta:g})")
    return Finding(apart < 1e-6, f"a risk of {level} of the Bankruptcy data is had at {', '.join(pairs)} and between")


def _excess(data: Data, epsilon: float, delta: float, level: float) -> float:
    return BANKRUPTCY.at(data, noise_of("probabilistic", epsilon, delta), False) - level


def one_epsilon(data: Data) -> Finding:
    """Whether one epsilon belongs to a level of risk: whether the risk of Definition 3.3 rises with epsilon."""
    found = [
        (f"the {name} data over {'people' if weighted else 'sets'}", curve(data, each, "laplace", None, weighted))
        for name, (each, _) in APPLICATIONS.items()
        for weighted in (False, True)
    ]
    told = [f"of {name} from {each.risks[0]:.4f} to {each.risks[-1]:.4f}" for name, each in found]
    below = [each.risks[each.risks < each.risks[-1] - 1e-9] for _, each in found]
    return Finding(
        all(float(np.diff(risks).min()) > 0.0 for risks in below)
        and all(float(np.diff(each.risks).min()) >= -1e-12 for _, each in found),
        f"the risk rises with epsilon, {', '.join(told)}: scenario 8, under which it might fall, has none here",
    )


def lower_end(mechanism: Mechanism, experiment: Experiment, data: Data) -> float:
    """The risk as epsilon tends to 0, whatever delta: the largest over the deltas of print."""
    noises = [noise_of(mechanism, 1.0 / FAR, delta) for delta in deltas_of(experiment, mechanism)]
    return float(experiment.risks(data, noises, False).max())


def quarter(name: str, mechanism: Mechanism) -> Number:
    """The lower asymptote of one plot."""
    described, computed = APPLICATIONS[name]
    pairs = (Reading(AS_PAIRS, partial(lower_end, mechanism, computed)),)
    return Number(
        P1(
            f"section 4, lower asymptote of the {name} data with {NAMES[mechanism]} noise",
            "the risk as epsilon tends to 0 (printed as 1/4)",
            ADULT_ONLY if name == "Adult" else None,
        ),
        Printed(".25"),
        partial(lower_end, mechanism, described),
        readings=pairs if name == "Adult" else (),
    )


def sentence(
    name: str,
    where: str,
    what: str,
    text: str,
    check: Callable[[Experiment, Data], Finding],
    departs: str | None = None,
) -> Statement:
    """A sentence about one application; of the Adult data as print describes them, and as it counts their sets."""
    described, computed = APPLICATIONS[name]
    others = ((AS_PAIRS, partial(check, computed)),) if name == "Adult" else ()
    entry = departs if others or departs != ADULT_ONLY else None
    place = P1(f"{where} of the {name} data", what, entry)
    return Statement(place, text, partial(check, described), others)


CLAIMS: tuple[Claim, ...] = (
    *(
        sentence(
            name,
            f"{figure}, {NAMES[mechanism]} noise",
            f"the analytical risk beside the average of {RELEASES} releases",
            "they match",
            partial(matches, mechanism),
            ADULT_ONLY,
        )
        for figure, mechanisms in (("Figure 3", ("laplace",)), ("Figure 4", ("gaussian", "probabilistic")))
        for mechanism in MECHANISMS
        if mechanism in mechanisms
        for name in APPLICATIONS
    ),
    *(quarter(name, mechanism) for mechanism in MECHANISMS for name in APPLICATIONS),
    *(
        sentence(
            name,
            f"section 4, {NAMES[mechanism]} noise beyond epsilon = 10",
            "the risk for epsilon above 10",
            "around 100 %",
            partial(around_one, mechanism),
            ADULT_ONLY if mechanism == "laplace" else "P0-22",
        )
        for mechanism in RISING
        for name in APPLICATIONS
    ),
    *(
        sentence(
            name,
            f"section 4, shape with {NAMES[mechanism]} noise",
            "the risk against epsilon",
            "S-shaped",
            partial(shaped, mechanism),
        )
        for mechanism in RISING
        for name in APPLICATIONS
    ),
    *(
        sentence(
            name,
            "section 4, fastest growth",
            "where the risk grows fastest, Laplace noise",
            "between epsilon = .1 and 10",
            fastest,
        )
        for name in APPLICATIONS
    ),
    Statement(
        P1("section 4, two Gaussian mechanisms", "the risk under both Gaussian mechanisms, epsilon below 1"),
        "that of (epsilon, delta)-pDP is slightly larger, by less than .05",
        partial(between_gaussians, [experiment for experiment, _ in APPLICATIONS.values()]),
    ),
    Statement(
        P1("section 4, two data sets", "the curves of the Adult and of the Bankruptcy data", "P0-8"),
        "they are similar",
        partial(alike, False, ADULT),
        ((AS_PAIRS, partial(alike, False, PAIRS)),),
    ),
    *(
        sentence(
            name,
            "Figure 5, effect of delta",
            "the risk against delta, probabilistic Gaussian noise",
            "the change is not obvious: slight",
            delta_not_obvious,
            "P0-22",
        )
        for name in APPLICATIONS
    ),
    *(
        Number(
            P1(f"section 4, choice for the {name} data", f"epsilon before the risk rises faster, delta = {DELTA:g}"),
            Printed("0.5"),
            partial(knee, computed),
            leaves_open="where a risk starts to rise at a faster rate",
        )
        for name, (_, computed) in APPLICATIONS.items()
    ),
    *(
        Number(
            P1(f"section 4, seconds with {noise} noise", f"how long the {RELEASES} releases of the Adult data took"),
            Printed(seconds),
            None,
            leaves_open="by which program; its computer is not at hand",
        )
        for noise, seconds in (("Laplace", "27"), ("Gaussian", "34"))
    ),
    Statement(
        P1("section 4, back-calculation", "pairs of epsilon and delta that have a given risk"),
        "there are many, and one parameter fixes the other",
        back_calculated,
    ),
    Statement(
        P1("section 4, back-calculation of epsilon", "the epsilon that has a given risk, Laplace noise"),
        "a level of risk is kept up to one epsilon",
        one_epsilon,
    ),
)
