"""What a comparison of systems refuses, whatever the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.avoidance.catalogue import SYSTEMS, Settings
from epsilens.avoidance.system import System
from epsilens.checks import finite, positive, probability, whole
from epsilens.errors import ParameterError


def several(given: Any) -> tuple[Any, ...]:
    """One value or several, as several; each once."""
    listed = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    return tuple(dict.fromkeys(listed))


def check_numbers(
    epsilons: Sequence[float],
    repetitions: int,
    k: int | Sequence[int] = 6,
    swapped_share: float | Sequence[float] = 0.1,
    prior: float = 0.5,
    seed: int = 2026,
    n_jobs: int = 1,
    base: int | Sequence[int] = 5,
    bound: int | None = None,
) -> None:
    """Refuse numbers of :func:`compare` that make no sense, whatever the data."""
    for epsilon in epsilons:
        positive("epsilon", epsilon)
    whole("repetitions", repetitions, 2)
    whole("n_jobs", n_jobs, 1)
    whole("seed", seed, 0)
    probability("prior", prior)
    for name, given in (("k", k), ("swapped_share", swapped_share), ("base", base)):
        if not several(given):
            raise ParameterError("needs at least one number, got none", parameter=name)
    for share in several(swapped_share):
        finite("swapped_share", share)
    for size in several(k):
        Settings(size)
    for multiple in several(base):
        Settings(base=multiple)
    if bound is not None:
        whole("bound", bound, 1)


def refuse_small_bound(bound: int | None, largest: int, systems: Sequence[System]) -> None:
    """Refuse a bound on counts that the table does not keep, or that a claim cannot be made for."""
    if bound is None:
        return
    if bound < largest:
        raise ParameterError("must be at least the largest count of the table", parameter="bound", got=bound)
    least = max((system.least_bound for system in systems), default=1)
    if bound < least:
        raise ParameterError(
            f"must be at least {least}: the printed deltas are for counts above the threshold",
            parameter="bound",
            got=bound,
        )


def refuse_theorems_at_equal_risk() -> None:
    """Refuse theorems where no epsilon is given."""
    raise ParameterError(
        "are about given epsilons, and an equal risk looks for them; leave out one of the two", parameter="theorems"
    )


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
