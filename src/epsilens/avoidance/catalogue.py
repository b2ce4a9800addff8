"""The systems by name, built for an epsilon and a few settings.

Whoever needs the names, or a fact that depends on the name, reads it here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.nearest import Swapping
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.published import PUBLISHED_TABLE
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import System
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.checks import one_of, whole
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Mechanism


@dataclass(frozen=True)
class Settings:
    """What systems need besides an epsilon.

    ``k``: the threshold of suppression and the size of classes. ``swap``: the columns to swap (all quasi-identifiers,
    unless named), ``levels`` their number of combinations, ``share`` how many rows traditional swapping swaps.
    ``hierarchies``: generalisation trees of categorical columns. ``base``: what counts are rounded to multiples of.
    """

    k: int = 6
    swap: tuple[str, ...] | None = None
    share: float = 0.1
    levels: int | None = None
    hierarchies: Mapping[str, GeneralisationHierarchy] = field(default_factory=dict)
    base: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1))
        object.__setattr__(self, "base", whole("base", self.base, 2))

    def for_histogram(self, histogram: Histogram) -> Settings:
        """The settings with the number of swapped combinations, refused where they do not fit the data."""
        names = self.swap if self.swap is not None else histogram.quasi_identifiers
        if not names:
            raise ParameterError("must name at least one column to swap", parameter="swap")
        if self.k > histogram.n_records:
            raise ParameterError(
                f"must not exceed the number of people, {histogram.n_records}", parameter="k", got=self.k
            )
        for name in self.hierarchies:
            axis = histogram.axis(one_of("hierarchies", name, histogram.quasi_identifiers))
            self.hierarchies[name].leaf_positions(histogram.levels[axis], name)
        levels = math.prod(histogram.counts.shape[axis] for axis in histogram.axes(names, "swap"))
        return replace(self, swap=tuple(names), levels=levels)


@dataclass(frozen=True)
class SystemKind:
    """How to build a system; ``budgeted`` where it depends on epsilon, ``reads`` the settings that it depends on."""

    build: Callable[[float, Settings], System]
    budgeted: bool
    reads: tuple[str, ...] = ()


_SWAPPED = ("swap", "levels")
_CLASSES = ("k", "hierarchies")

OTHERS: dict[str, SystemKind] = {
    "dp-suppression": SystemKind(lambda e, s: DPSuppression(s.k, e), True, ("k",)),
    "dp-suppression-one-threshold": SystemKind(lambda e, s: DPSuppression(s.k, e, "algorithm-2"), True, ("k",)),
    "dp-swapping": SystemKind(lambda e, s: DPSwapping(e, s.levels, s.swap), True, _SWAPPED),
    "dp-swapping-rows": SystemKind(lambda e, s: DPSwapping(e, s.levels, s.swap, "algorithm-4"), True, _SWAPPED),
    "dp-k-anonymity": SystemKind(lambda e, s: DPKAnonymity(s.k, e, hierarchies=s.hierarchies), True, _CLASSES),
    "suppression": SystemKind(lambda _, s: Suppression(s.k), False, ("k",)),
    "suppression-at-least-half": SystemKind(lambda _, s: Suppression(s.k, "equation-1"), False, ("k",)),
    "swapping": SystemKind(lambda _, s: Swapping(s.share, s.swap), False, ("share", "swap")),
    "swapping-different": SystemKind(
        lambda _, s: Swapping(s.share, s.swap, partners="different"), False, ("share", "swap")
    ),
    "swapping-cells": SystemKind(lambda _, s: Swapping(s.share, s.swap, unit="cells"), False, ("share", "swap")),
    "k-anonymity": SystemKind(lambda _, s: KAnonymity(s.k, hierarchies=s.hierarchies), False, _CLASSES),
    "k-anonymity-relaxed": SystemKind(
        lambda _, s: KAnonymity(s.k, strict=False, hierarchies=s.hierarchies), False, _CLASSES
    ),
}
"""Every system but noisy counts: a new one is a line here."""


class _Systems(Mapping[str, SystemKind]):
    """Noisy counts by every mechanism that an epsilon alone determines, read off their registry, and all others."""

    def __getitem__(self, name: str) -> SystemKind:
        return OTHERS[name] if name in OTHERS else self._noisy[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._noisy
        yield from OTHERS

    def __len__(self) -> int:
        return len(self._noisy) + len(OTHERS)

    @property
    def _noisy(self) -> dict[str, SystemKind]:
        return {
            name: _noisy_counts(mechanism)
            for name, mechanism in MECHANISMS.items()
            if mechanism.in_print or (mechanism.is_plain and not mechanism.has_delta)
        }


def _noisy_counts(mechanism: Mechanism) -> SystemKind:
    """Noise as in print for neighbours by substitution, which for epsilon alone is the mechanism's own calibration."""
    return SystemKind(lambda epsilon, _: NoisyCounts(mechanism.as_in_print(epsilon), epsilon=epsilon), budgeted=True)


SYSTEMS: Mapping[str, SystemKind] = _Systems()
"""All systems; the first ones depend on epsilon."""

PUBLISHED = tuple(PUBLISHED_TABLE)
"""The five systems of the published tables."""


def chosen_systems(names: str | Iterable[str]) -> tuple[str, ...]:
    """Names, ``all`` or ``published``, as names; each once."""
    given = (names,) if isinstance(names, str) else tuple(names)
    if not given:
        raise ParameterError("must name at least one system, or 'all'", parameter="systems")
    expanded: list[str] = []
    for name in given:
        if name == "all":
            expanded += SYSTEMS
        elif name == "published":
            expanded += PUBLISHED
        else:
            expanded.append(one_of("systems", name, [*SYSTEMS, "all", "published"]))
    return tuple(dict.fromkeys(expanded))


def build(name: str, epsilon: float, settings: Settings) -> System:
    """The system of that name; ``epsilon`` is not used by those that have none."""
    return SYSTEMS[one_of("system", name, SYSTEMS)].build(epsilon, settings)
