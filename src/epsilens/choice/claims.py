"""Whether a published table bears out what somebody claims of its noise.

The test itself is :mod:`epsilens.noise.goodness_of_fit`. Here is what it takes to ask it: which counts were to get
noise, what became of them before they were published, and which budgets the answer speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, FloatArray
from epsilens.budget import ZCDP
from epsilens.choice.claimed_noise import Claim
from epsilens.errors import counted, verb
from epsilens.noise.goodness_of_fit import (
    FitTest,
    PublishedLaw,
    SizesNotRejected,
    Transformed,
    expected_residuals,
    fit_test,
    holm,
    no_negative_by_chance,
    sizes_not_rejected,
    uniforms,
)
from epsilens.notebook import brief
from epsilens.table.domain import sorted_codes
from epsilens.table.published import SideBySide

__all__ = ["LEVEL", "Bar", "Claim", "LevelTest", "NoiseVerdict", "noise_verdict"]

LEVEL = 0.05
"""A p-value below speaks against the claim."""
CONFIDENCE = 0.95
BY_CHANCE = 1e-6
"""What is less likely than this did not happen by chance: somebody clipped, rounded or left out."""
MOST_TESTED = 5_000_000
_BARS = 40


@dataclass(frozen=True)
class LevelTest:
    """The test of the counts of one level of a column."""

    column: str
    level: str
    test: FitTest
    adjusted: float
    """The p-value, adjusted for looking at all levels (Holm)."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"column": self.column, "level": self.level, **self.test.to_dict(), "adjusted_p_value": self.adjusted}


@dataclass(frozen=True)
class Bar:
    """How many differences published - true lie between two numbers, and how many the claim expects there."""

    low: float
    high: float
    found: int
    expected: float


@dataclass(frozen=True, eq=False)
class NoiseVerdict:
    """Whether the noise is what is claimed. Computed from true data: internal."""

    claim: Claim
    law: PublishedLaw | None
    """What was tested; None where nothing could be."""
    test: FitTest | None
    levels: tuple[LevelTest, ...] = ()
    sizes: SizesNotRejected | None = None
    bars: tuple[Bar, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str | None = None
    """Why nothing was tested."""
    seed: int = 0
    name: str | None = None
    """The table that it is about, where several are published together."""

    __repr__ = brief

    @property
    def rejected(self) -> bool | None:
        """Whether the claim is refuted at the level of 5 %; None where it was not tested."""
        return None if self.test is None else self.test.p_value < LEVEL

    @property
    def amount(self) -> str:
        """What the budget is counted in: ``epsilon`` or ``rho``."""
        return "rho" if isinstance(self.claim.budget, ZCDP) else "epsilon"

    @cached_property
    def least_budget(self) -> float | None:
        """The smallest budget that the data do not reject: with less, there would be more noise than there is."""
        return None if self.sizes is None else self.claim.budget_of(self.sizes.high)

    @cached_property
    def most_budget(self) -> float | None:
        """The largest one; None where no end was found."""
        return None if self.sizes is None else self.claim.budget_of(self.sizes.low)

    @cached_property
    def likely_budget(self) -> float | None:
        """The one in the middle."""
        return None if self.sizes is None else self.claim.budget_of(self.sizes.size)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        law = self.law
        done = None if law is None else {"rounded": law.rounded, "clipped": law.clipped, "shown_from": law.shown_from}
        return {
            **({} if self.name is None else {"table": self.name}),
            **self.claim.to_dict(),
            "p_value": None if self.test is None else self.test.p_value,
            "rejected": self.rejected,
            "level": LEVEL,
            "tests": None if self.test is None else self.test.to_dict(),
            "post_processing": done,
            "sizes_not_rejected": None
            if self.sizes is None
            else {name: value if math.isfinite(value) else None for name, value in vars(self.sizes).items()},
            "budgets_not_rejected": None
            if self.sizes is None
            else {
                "amount": self.amount,
                "smallest": self.least_budget,
                "likely": self.likely_budget,
                "largest": self.most_budget,
                "confidence": self.sizes.confidence,
            },
            "levels": [level.to_dict() for level in self.levels],
            "residuals": [vars(bar) for bar in self.bars],
            "seed": self.seed,
            "notes": list(self.notes),
            "reason": self.reason,
        }


def noise_verdict(
    side: SideBySide, claim: Claim, seed: int = 0, levels: bool = True, name: str | None = None
) -> NoiseVerdict:
    """Whether the published counts of ``side`` are the true ones with the claimed noise: jointly, and by level."""
    if claim.untestable is not None:
        return NoiseVerdict(claim, None, None, reason=claim.untestable, name=name)
    tested, absent, notes = _counts_with_noise(side, claim)
    true, published = side.truth[tested], side.known[tested]
    if not len(true):
        return NoiseVerdict(claim, None, None, reason="the two tables have no count in common", name=name)
    if len(true) > MOST_TESTED:
        reason = f"there are {len(true):,} counts, and at most {MOST_TESTED:,} are tested"
        return NoiseVerdict(claim, None, None, reason=reason, name=name)
    law, more = _as_published(claim, true, published, absent)
    notes += more
    impossible = law.impossible(published)
    if odd := int(impossible.sum()):
        notes.append(
            f"{counted(odd, 'published count')} {verb(odd)} such that the claimed noise never gives "
            f"{verb(odd, 'it', 'them')}: it is other noise, or counts were changed afterwards (made to add up, "
            "scaled), and then no law of noise is left to test."
        )
        return NoiseVerdict(
            claim, law, FitTest(len(true), 1.0, 1.0, 1.0, 1.0, odd), (), None, (), tuple(notes), name=name
        )
    uniform = uniforms(published, seed)
    transformed = Transformed.of(law, true, published, uniform)
    return NoiseVerdict(
        claim,
        law,
        fit_test(transformed),
        tuple(_by_level(side, tested, transformed)) if levels else (),
        sizes_not_rejected(law, true, published, uniform, CONFIDENCE),
        tuple(_bars(law, true, published)),
        tuple(notes),
        seed=seed,
        name=name,
    )


def _counts_with_noise(side: SideBySide, claim: Claim) -> tuple[BoolArray, bool, list[str]]:
    """The counts that were to get noise, whether absent ones are among them as zeros, and what is to be said of it."""
    present = side.listed & side.possible & ~side.withheld
    missing = side.possible & ~side.listed
    absent = int(missing.sum()) + side.unlisted
    notes: list[str] = []
    if claim.threshold is not None:
        return present & (side.truth > 0), False, notes
    if not absent:
        return present, False, notes
    below = bool((side.known[present] < 0).any())
    if side.declared and not side.unlisted and not below:
        notes.append(
            f"{counted(absent, 'count')} of the declared universe {verb(absent)} not in the published table: "
            f"{verb(absent, 'it was', 'they were')} published as 0."
        )
        return side.possible & ~side.withheld, True, notes
    if side.declared:
        why = "the universe is too large to be listed" if side.unlisted else "negative counts are listed"
        notes.append(f"{counted(absent, 'count')} of the declared universe {verb(absent)} not tested: {why}.")
        return present, False, notes
    people = int((missing & (side.truth > 0)).sum())
    lacking = f", and {counted(people, 'true count')} {verb(people)} not in it" if people else ""
    notes.append(
        f"Tested are the counts that the published table lists{lacking}. If it leaves out counts because of their "
        "noise, the rest looks other than it is: declare the universe, which says what was to be published."
    )
    return present, False, notes


def _as_published(
    claim: Claim, true: np.ndarray[Any, Any], published: FloatArray, absent: bool
) -> tuple[PublishedLaw, list[str]]:
    """What became of noisy counts, as it was declared or as it looks."""
    noise, notes = claim.noise, list[str]()
    rounded = bool(claim.rounded)
    if claim.rounded is None and not noise.integer_valued and (published == np.floor(published)).all():
        rounded = True
        notes.append("All published counts are whole: they are read as rounded half up.")
    law = PublishedLaw(noise, rounded)
    if claim.threshold is not None:
        return PublishedLaw(noise, rounded, shown_from=claim.threshold), notes
    if claim.clipped is not None:
        return PublishedLaw(noise, rounded, claim.clipped or absent), notes
    if absent:
        return PublishedLaw(noise, rounded, clipped=True), notes
    if published.min() >= 0 and no_negative_by_chance(law, true) < BY_CHANCE:
        if published.min() > 0:
            least = 1.0 if law.whole else 0.0
            notes.append(
                "No published count is 0 or negative, which noise would nearly surely make: counts that came out so "
                "were left out. The test allows for this."
            )
            return PublishedLaw(noise, rounded, shown_from=least), notes
        notes.append(
            "No published count is negative, which noise would nearly surely make: they look clipped at 0, and are "
            "tested as such."
        )
        return PublishedLaw(noise, rounded, clipped=True), notes
    return law, notes


def _by_level(side: SideBySide, tested: BoolArray, transformed: Transformed) -> Iterator[LevelTest]:
    """Every level of every column by itself."""
    cell, label = np.nonzero(tested)
    found: list[tuple[str, str, FitTest]] = []
    sides: list[tuple[str, Any, Any]] = [(name, values, cell) for name, values in side.cells.items()]
    sides += [(name, [parts[j] for parts in side.label_values], label) for j, name in enumerate(side.sensitive)]
    for name, values, where in sides:
        distinct, codes = sorted_codes(values)
        own = codes[where]
        order = np.argsort(own, kind="stable")
        ends = np.searchsorted(own[order], np.arange(len(distinct) + 1))
        for i, level in enumerate(distinct):
            members = order[ends[i] : ends[i + 1]]
            if len(members):
                part = Transformed(transformed.lower[members], transformed.upper[members])
                found.append((name, level, fit_test(part)))
    adjusted = holm([test.p_value for _, _, test in found])
    for (name, level, test), value in zip(found, adjusted, strict=True):
        yield LevelTest(name, level, test, value)


def _bars(law: PublishedLaw, true: np.ndarray[Any, Any], published: FloatArray) -> Iterator[Bar]:
    """The differences published - true in bars of one width, and what the claim expects in each."""
    apart = published - true
    low, high = (float(value) for value in np.quantile(apart, [0.002, 0.998]))
    spread = 4.0 * math.sqrt(min(law.noise.variance, 1e300))
    low, high = min(low, -spread), max(high, spread)
    if law.whole:
        width = max(1.0, float(math.ceil((high - low) / _BARS)))
        first = math.floor(low / width) * width - 0.5
    else:
        width = (high - low) / _BARS
        first = math.floor(low / width) * width  # so that a bar ends at 0, where a law may have its peak
    edges = first + width * np.arange(math.ceil((high - first) / width) + 2)
    found = np.histogram(apart, bins=edges)[0]
    expected = expected_residuals(law, true, edges)
    for i in range(len(found)):
        yield Bar(float(edges[i]), float(edges[i + 1]), int(found[i]), float(expected[i]))
