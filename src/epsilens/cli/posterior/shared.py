"""What the sub-commands of ``epsilens posterior`` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.options import numbers
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.noise import Noise

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
PLOT = click.option("--plot", type=click.Path(), metavar="FILE", help="Draw a chart: .svg, .png or .html.")
PRIOR = click.option(
    "--prior", type=float, default=0.5, show_default=True, metavar="P", help="The attacker's probability beforehand."
)
PRIORS = click.option(
    "--prior",
    callback=numbers,
    default="0.5,0.2,0.1,0.02",
    show_default=True,
    metavar="P,..",
    help="The attackers' probabilities beforehand.",
)
RHOS = click.option(
    "--rho", callback=numbers, metavar="R,..", help="zCDP budgets, lowest level (or first release) first."
)
PUBLISHED = click.option("--published", is_flag=True, help="The stationary law of the published sampler instead.")


def show(result: dict[str, Any], as_json: bool, lines: Sequence[str], plot: str | None = None) -> None:
    """JSON or sentences, and where the chart went."""
    from epsilens.cli.terminal import print_json

    if as_json:
        print_json({"label": "publishable", **result})
        return
    for line in lines:
        click.echo(line)
    if plot is not None:
        click.echo(f"Chart written to {plot}.")


def chance(probability: float, digits: int = 4) -> str:
    """A probability with four decimals, or as many figures where it would read as 0."""
    small = 0 < probability < 10.0 ** (1 - digits)
    return f"{probability:.{digits - 1}g}" if small else f"{probability:.{digits}f}"


def checked_plot(plot: str | None) -> None:
    """Refuse a bad place before any work."""
    if plot is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(plot)


def draw(chart: Any, plot: str) -> None:
    """Write the chart."""
    from epsilens.report.charts.common import save_chart

    save_chart(chart, plot)


def noise_from(rho: float | None, mechanism: str | None, epsilon: float | None, delta: float | None) -> Noise:
    """Discrete Gaussian noise from rho, or any mechanism's from epsilon and delta."""
    from epsilens.budget import ZCDP
    from epsilens.checks import one_of
    from epsilens.noise import MECHANISMS, calibrate

    if (rho is None) == (epsilon is None):
        raise ParameterError("give either --rho (discrete Gaussian noise) or --epsilon with --mechanism")
    if rho is not None:
        if mechanism is not None or delta is not None:
            raise ParameterError("--rho means discrete Gaussian noise; --mechanism and --delta go with --epsilon")
        return calibrate("discrete-gaussian", ZCDP(rho))
    mechanism = mechanism or "discrete-laplace"
    assert epsilon is not None
    return calibrate(mechanism, MECHANISMS[one_of("mechanism", mechanism, MECHANISMS)].budget(epsilon, delta))


def rhos_from(rho: tuple[float, ...], preset: str | None) -> tuple[float, ...]:
    """Budgets by level: given, or those of a preset."""
    from epsilens.checks import one_of
    from epsilens.posterior import CENSUS_2020

    if bool(rho) == (preset is not None):
        raise ParameterError("give either --rho or --preset census-2020")
    if preset is None:
        return rho
    one_of("preset", preset, ("census-2020",))
    return CENSUS_2020.histogram_rhos
