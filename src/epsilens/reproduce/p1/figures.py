"""Figures 3 to 5: risks against epsilon and delta, with the spread of simulated releases."""

from __future__ import annotations

import numpy as np

from epsilens.arrays import as_floats
from epsilens.reproduce.claims import Claim
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p0.curves import BANKRUPTCY, Experiment, Mechanism, curve, noise_of
from epsilens.reproduce.p1.curves import APPLICATIONS, MECHANISMS, NAMES, RELEASES, analytical, law_of_release

DELTAS = as_floats(10.0 ** np.linspace(-5.0, -1.0, 41))
SOME = (0.1, 0.5, 1.0, 3.0, 10.0)
"""The epsilons at which the risk is drawn against delta."""
SURFACE_EPSILONS = as_floats(10.0 ** np.linspace(-3.0, 2.0, 31))
SURFACE_DELTAS = as_floats(10.0 ** np.linspace(-5.0, -1.0, 17))


def counted_as(name: str) -> str:
    """An application as the figures count its sets: of the Adult data each pair of a set and an income."""
    described, computed = APPLICATIONS[name]
    return name if described is computed else f"{name} (pairs)"


def with_spread(data: Data, experiment: Experiment, mechanism: Mechanism, delta: float | None, name: str) -> Series:
    """An analytical curve, with a standard deviation of single releases to either side of their mean."""
    found = analytical(data, experiment, mechanism, delta)
    law = law_of_release(data, experiment, mechanism, delta, found.epsilons.tolist())
    low, high = law.mean - law.deviation, np.minimum(law.mean + law.deviation, 1.0)
    return Series(name, found.epsilons.tolist(), found.risks.tolist(), low=low.tolist(), high=high.tolist())


def figure_3(data: Data) -> Drawing:
    """Laplace noise: the analytical risk, and mean and standard deviation of releases."""
    panels, told = [], []
    for name, (_, experiment) in APPLICATIONS.items():
        line = with_spread(data, experiment, "laplace", None, "analytical")
        panels.append(Panel(f"{counted_as(name)} data", "epsilon", "average risk", [line], log_x=True))
        law = law_of_release(data, experiment, "laplace", None, [1.0])
        told.append(f"{name}: {law.mean[0]:.3f} with {law.deviation[0]:.4f} from one release to the next")
    says = (
        f"The average over {RELEASES} releases has the analytical risk as its expectation; the band is one standard "
        f"deviation of single releases to either side. At epsilon = 1, {'; '.join(told)}."
    )
    return Drawing("P1", "Figure 3", "risk under Laplace noise", panels, says)


def figure_4(data: Data) -> Drawing:
    """Gaussian noise: against epsilon for both mechanisms, and against delta."""
    panels = []
    for name, (_, experiment) in APPLICATIONS.items():
        for mechanism in MECHANISMS[1:]:
            lines = [
                with_spread(data, experiment, mechanism, delta, f"delta = {delta:g}") for delta in experiment.deltas
            ]
            title = f"{counted_as(name)}, {NAMES[mechanism]}"
            panels.append(Panel(title, "epsilon", "average risk", lines, log_x=True, legend="at each delta"))
        panels.append(
            Panel(
                f"{counted_as(name)}, against delta (pDP)",
                "delta",
                "average risk",
                [_against_delta(data, experiment, epsilon) for epsilon in SOME],
                log_x=True,
                legend="at each epsilon",
            )
        )
    at = {delta: curve(data, BANKRUPTCY, "probabilistic", delta, False).at(3.0) for delta in (0.001, 0.1)}
    says = (
        f"Bands are one standard deviation of single releases. The risk of the Bankruptcy data at epsilon = 3 rises "
        f"from {at[0.001]:.3f} at delta = .001 to {at[0.1]:.3f} at .1, under (epsilon, delta)-pDP."
    )
    return Drawing("P1", "Figure 4", "risk under Gaussian noise", panels, says, columns=3)


def _against_delta(data: Data, experiment: Experiment, epsilon: float) -> Series:
    risks = experiment.risks(data, [noise_of("probabilistic", epsilon, float(delta)) for delta in DELTAS], False)
    return Series(f"epsilon = {epsilon:g}", DELTAS.tolist(), risks.tolist())


def figure_5(data: Data) -> Drawing:
    """The surface over both parameters, as a map."""
    panels, told = [], []
    cells = [(float(epsilon), float(delta)) for epsilon in SURFACE_EPSILONS for delta in SURFACE_DELTAS]
    for name, (_, experiment) in APPLICATIONS.items():
        risks = experiment.risks(data, [noise_of("probabilistic", *cell) for cell in cells], False)
        surface = Series("", [f"{e:.3g}" for e, _ in cells], [f"{d:.2g}" for _, d in cells], risks.tolist())
        panels.append(Panel(f"{counted_as(name)} data", "epsilon", "delta", [surface], "map", legend="risk"))
        grid = risks.reshape(len(SURFACE_EPSILONS), len(SURFACE_DELTAS))
        k = int(np.argmax(grid[:, -1] - grid[:, 0]))
        most = f"{grid[k, -1] - grid[k, 0]:.2f} at most, at epsilon = {SURFACE_EPSILONS[k]:.2g}"
        told.append(f"of the {name} data rises from {grid[0, 0]:.2f} to {grid[-1, -1]:.2f}, along delta by {most}")
    says = f"The risk {'; that '.join(told)}."
    return Drawing("P1", "Figure 5", "risk over epsilon and delta, (epsilon, delta)-pDP", panels, says)


CLAIMS: tuple[Claim, ...] = ()
FIGURES = (
    Figure("P1", "Figure 3", figure_3),
    Figure("P1", "Figure 4", figure_4),
    Figure("P1", "Figure 5", figure_5),
)
