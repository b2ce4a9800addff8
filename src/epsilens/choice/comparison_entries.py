"""The lines of a comparison to be: every system at every epsilon and every setting that it depends on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from epsilens.avoidance.catalogue import SYSTEMS, Settings, build, chosen_systems
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import System, checked_system
from epsilens.choice.choose.equal_risk import RiskCeiling, largest_safe_epsilon
from epsilens.choice.comparison_checks import refuse_no_epsilon
from epsilens.errors import ParameterError

VARIED = {"k": "k", "share": "swapped_share", "base": "base"}
"""The settings that may have several values, and the column of a comparison that each of them is."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A line of the comparison to be: a system, what it is compared on, and the settings that it depends on.

    ``settings`` are by column; ``told`` are those of them that have several values, which the label names.
    """

    name: str
    system: System
    basis: str
    settings: Mapping[str, float] = field(default_factory=dict)
    told: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """``suppression``, or ``suppression k=3`` where it is there with several k."""
        return " ".join([self.name, *(f"{SHORT[column]}={self.settings[column]:g}" for column in self.told)])


SHORT = {"k": "k", "swapped_share": "share", "base": "base"}
"""How a setting is called beside a name."""


def settings_of(name: str, values: Mapping[str, Sequence[float]]) -> Iterator[dict[str, float]]:
    """Every combination of those of the ``values`` that the system depends on; they are named as settings are."""
    read = [setting for setting in VARIED if setting in SYSTEMS[name].reads]
    for combination in itertools.product(*(values[setting] for setting in read)):
        yield dict(zip(read, combination, strict=True))


def refuse_unread(names: Sequence[str], values: Mapping[str, Sequence[float]]) -> None:
    """Refuse several values of a setting that none of the systems depends on."""
    for setting, listed in values.items():
        if len(listed) > 1 and not any(setting in SYSTEMS[name].reads for name in names):
            reading = [name for name in SYSTEMS if setting in SYSTEMS[name].reads]
            raise ParameterError(
                "has several values, but no chosen system depends on it",
                parameter=VARIED[setting],
                remedy=f"add one that does: {', '.join(reading)}" if reading else "give one",
            )


def entries_of(
    systems: str | Sequence[str | System],
    epsilons: Sequence[float],
    settings: Settings,
    values: Mapping[str, Sequence[float]],
    histogram: Histogram,
    ceiling: RiskCeiling | None,
    seed: int,
) -> tuple[list[Entry], list[str]]:
    """The lines of the comparison, and the systems that cannot keep the risk at any epsilon."""
    given = [systems] if isinstance(systems, str) else list(systems)
    budgets = [float(epsilon) for epsilon in epsilons]
    entries: list[Entry] = []
    left_out: list[str] = []
    texts = [item for item in given if isinstance(item, str)]
    names = chosen_systems(texts) if texts else ()
    refuse_unread(names, values)
    for name in names:
        for combination in settings_of(name, values):
            mine = replace(settings, **combination)  # type: ignore[arg-type]
            by_column = {VARIED[setting]: value for setting, value in combination.items()}
            told = tuple(VARIED[setting] for setting in combination if len(values[setting]) > 1)
            if ceiling is not None:
                epsilon = largest_safe_epsilon(name, mine, histogram, ceiling, seed)
                system = build(name, epsilon if epsilon is not None and math.isfinite(epsilon) else 1.0, mine)
                entry = Entry(name, system, ceiling.name, by_column, told)
                if epsilon is None:
                    left_out.append(entry.label)
                else:
                    entries.append(entry)
                continue
            refuse_no_epsilon(name, budgets)
            entries += [
                Entry(name, build(name, epsilon, mine), "epsilon", by_column, told)
                for epsilon in (budgets if SYSTEMS[name].budgeted else [1.0])
            ]
    own = [checked_system(item) for item in given if not isinstance(item, str)]
    entries += [Entry(system.name, system, "epsilon") for system in own]
    if not entries and not left_out:
        raise ParameterError("must name at least one system, or 'all'", parameter="systems")
    return entries, left_out
