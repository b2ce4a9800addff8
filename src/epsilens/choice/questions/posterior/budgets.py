"""How a question about the adversary names its noise: by rho, by a mechanism and epsilon, or by a preset."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.checks import one_of, positive
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.mechanisms import refuse_needless_delta
from epsilens.posterior.census_2020 import CENSUS_2020
from epsilens.posterior.noises import one_noise

PRESETS = {"census-2020": CENSUS_2020}
DEFAULT_MECHANISM = "discrete-laplace"


def noise_of_count(rho: float | None, mechanism: str | None, epsilon: float | None, delta: float | None) -> Noise:
    """Discrete Gaussian noise from rho, or any mechanism's from epsilon and delta."""
    if rho is not None and epsilon is None:
        if mechanism is not None or delta is not None:
            raise ParameterError(
                "`rho` means discrete Gaussian noise", remedy="`mechanism` and `delta` go with `epsilon`"
            )
        return one_noise(rho, None)
    if epsilon is None or rho is not None:
        raise ParameterError("give either `rho` (discrete Gaussian noise) or `epsilon` with `mechanism`")
    name = one_of("mechanism", mechanism or DEFAULT_MECHANISM, MECHANISMS)
    if delta is not None:
        refuse_needless_delta([name])
    return calibrate(name, MECHANISMS[name].budget(epsilon, delta))


def rhos_of_levels(rho: Sequence[float], preset: str | None) -> tuple[float, ...]:
    """Budgets by level, lowest first: given, or those of a preset."""
    if bool(rho) == (preset is not None):
        raise ParameterError("give either `rho` or `preset=census-2020`")
    if preset is not None:
        return PRESETS[one_of("preset", preset, PRESETS)].histogram_rhos
    return tuple(positive("rho", value) for value in rho)


def at_least_one(name: str, values: Sequence[object]) -> None:
    """Refuse an empty list."""
    if not values:
        raise ParameterError("needs at least one number", parameter=name)
