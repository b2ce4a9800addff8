"""What a comparison of systems refuses, whatever the data."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.avoidance.catalogue import SYSTEMS, Settings
from epsilens.checks import finite, positive, probability, whole
from epsilens.errors import ParameterError


def check_numbers(
    epsilons: Sequence[float],
    repetitions: int,
    k: int = 6,
    swapped_share: float = 0.1,
    prior: float = 0.5,
    seed: int = 2026,
    n_jobs: int = 1,
) -> None:
    """Refuse numbers of :func:`compare` that make no sense, whatever the data."""
    for epsilon in epsilons:
        positive("epsilon", epsilon)
    whole("repetitions", repetitions, 2)
    whole("n_jobs", n_jobs, 1)
    whole("seed", seed, 0)
    probability("prior", prior)
    finite("swapped_share", swapped_share)
    Settings(k)


def refuse_several_rows(max_rows_per_unit: int) -> None:
    """Refuse a table in which a person may have several rows."""
    if max_rows_per_unit > 1:
        raise ParameterError(
            f"these systems and their deltas are for one row per person, and this table keeps up to "
            f"{max_rows_per_unit}; read it with a `max_rows_per_unit` of 1"
        )


def refuse_no_epsilon(name: str, epsilons: Sequence[float]) -> None:
    """Refuse a system that depends on epsilon where none was given."""
    if SYSTEMS[name].budgeted and not epsilons:
        raise ParameterError("needs at least one number: there is a system that depends on it", parameter="epsilon")
