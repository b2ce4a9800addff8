"""The systems by name, built for an epsilon and a few settings.

Whoever needs the names, or a fact that depends on the name, reads it here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.discrepancy import DiscrepancySwapping
from epsilens.avoidance.full_domain import FullDomainKAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.nearest import Swapping
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.published import PUBLISHED_TABLE
from epsilens.avoidance.rounding import RandomRounding, Rounding, checked_base
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
    ``max_suppressed``: the share of people that full-domain generalisation may leave out, ``node`` the levels to which
    it generalises columns, where they are fixed.
    """

    k: int = 6
    swap: tuple[str, ...] | None = None
    share: float = 0.1
    levels: int | None = None
    hierarchies: Mapping[str, GeneralisationHierarchy] = field(default_factory=dict)
    base: int = 5
    max_suppressed: float = 0.05
    node: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1))
        object.__setattr__(self, "base", checked_base(self.base))

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
    """How to build a system; ``budgeted`` where it depends on epsilon, ``reads`` the settings that it depends on.

    ``draws``: whether a plain system publishes something that is drawn at random. ``about`` says in one line what it
    does.
    """

    build: Callable[[float, Settings], System]
    budgeted: bool
    reads: tuple[str, ...] = ()
    draws: bool = False
    about: str = ""

    @property
    def sees_order(self) -> bool:
        """Whether it matters to it that the levels of a column have an order: to distances and to intervals."""
        return bool({"share", "hierarchies"} & set(self.reads))


_SWAPPED = ("swap", "levels")
_CLASSES = ("k", "hierarchies")

OTHERS: dict[str, SystemKind] = {
    "dp-suppression": SystemKind(
        lambda e, s: DPSuppression(s.k, e),
        True,
        ("k",),
        about="counts whose noisy value is below k are replaced by k/2, each with noise of its own (Eq. 2)",
    ),
    "dp-suppression-one-threshold": SystemKind(
        lambda e, s: DPSuppression(s.k, e, "algorithm-2"),
        True,
        ("k",),
        about="counts below one noisy threshold are replaced by half of it (Algorithm 2)",
    ),
    "dp-swapping": SystemKind(
        lambda e, s: DPSwapping(e, s.levels, s.swap),
        True,
        _SWAPPED,
        about="whole cells keep their quasi-identifiers or get others at random (Eq. 4)",
    ),
    "dp-swapping-rows": SystemKind(
        lambda e, s: DPSwapping(e, s.levels, s.swap, "algorithm-4"),
        True,
        _SWAPPED,
        about="people keep their quasi-identifiers or get others at random (Algorithm 4)",
    ),
    "dp-k-anonymity": SystemKind(
        lambda e, s: DPKAnonymity(s.k, e, hierarchies=s.hierarchies),
        True,
        _CLASSES,
        about="k-anonymity (Mondrian) of a random sample of the people (Algorithm 6)",
    ),
    "discrete-gaussian-text": SystemKind(
        lambda e, _: NoisyCounts.as_in_the_text(e),
        True,
        about="discrete Gaussian noise of variance 4 / epsilon^2, as the paper's text has it",
    ),
    "suppression": SystemKind(
        lambda _, s: Suppression(s.k),
        False,
        ("k",),
        about="counts below k are withheld, or read as k/2 (Algorithm 1)",
    ),
    "suppression-at-least-half": SystemKind(
        lambda _, s: Suppression(s.k, "equation-1"),
        False,
        ("k",),
        about="counts are raised to k/2 at least (Eq. 1)",
    ),
    "rounding": SystemKind(
        lambda _, s: Rounding(s.base),
        False,
        ("base",),
        about="counts are rounded to the nearest multiple of a base, halves up",
    ),
    "random-rounding": SystemKind(
        lambda _, s: RandomRounding(s.base),
        False,
        ("base",),
        True,
        about="counts are rounded up or down to a multiple of a base at random, right on average",
    ),
    "swapping": SystemKind(
        lambda _, s: Swapping(s.share, s.swap),
        False,
        ("share", "swap"),
        True,
        about="people exchange values with the nearest person (Algorithm 3), mostly one who is alike: little changes",
    ),
    "swapping-different": SystemKind(
        lambda _, s: Swapping(s.share, s.swap, partners="different"),
        False,
        ("share", "swap"),
        True,
        about="the same with the nearest who differs, mostly in the swapped columns alone: counts hardly change",
    ),
    "swapping-cells": SystemKind(
        lambda _, s: Swapping(s.share, s.swap, unit="cells"),
        False,
        ("share", "swap"),
        True,
        about="cells, with everybody in them, exchange values with the nearest cell (Algorithm 3)",
    ),
    "swapping-discrepancy": SystemKind(
        lambda _, s: DiscrepancySwapping(s.share, s.swap),
        False,
        ("share", "swap"),
        True,
        about="pairs of people are drawn in proportion to their discrepancy and exchange values (section 3)",
    ),
    "swapping-discrepancy-cells": SystemKind(
        lambda _, s: DiscrepancySwapping(s.share, s.swap, unit="cells"),
        False,
        ("share", "swap"),
        True,
        about="pairs of cells are drawn in proportion to their discrepancy and exchange values (section 3)",
    ),
    "k-anonymity": SystemKind(
        lambda _, s: KAnonymity(s.k, hierarchies=s.hierarchies),
        False,
        _CLASSES,
        about="people are put into classes of k or more by Mondrian, those with equal values together",
    ),
    "k-anonymity-relaxed": SystemKind(
        lambda _, s: KAnonymity(s.k, strict=False, hierarchies=s.hierarchies),
        False,
        _CLASSES,
        about="the same, and people with equal values may be parted",
    ),
    "k-anonymity-full-domain": SystemKind(
        lambda _, s: FullDomainKAnonymity(s.k, None, s.hierarchies, s.max_suppressed, s.node),
        False,
        (*_CLASSES, "max_suppressed", "node"),
        about="whole columns are generalised with the least loss, and classes below k left out (section 3)",
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
    size = "variance 20 / epsilon" if mechanism.has_delta else "scale 2 / epsilon"
    return SystemKind(
        lambda epsilon, _: NoisyCounts(mechanism.as_in_print(epsilon), epsilon=epsilon),
        budgeted=True,
        about=f"{mechanism.law.title} noise of {size}, as in the published tables",
    )


SYSTEMS: Mapping[str, SystemKind] = _Systems()
"""All systems; the first ones depend on epsilon."""

PUBLISHED = tuple(PUBLISHED_TABLE)
"""The five systems of the published tables."""
GROUPS = ("all", "published")
"""Names that stand for several systems."""


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
            expanded.append(one_of("systems", name, [*SYSTEMS, *GROUPS]))
    return tuple(dict.fromkeys(expanded))


def build(name: str, epsilon: float, settings: Settings) -> System:
    """The system of that name; ``epsilon`` is not used by those that have none."""
    return SYSTEMS[one_of("system", name, SYSTEMS)].build(epsilon, settings)
