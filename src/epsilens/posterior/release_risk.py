"""Risk over a whole release: everybody at the lowest level who is unique, or rare, in what they are.

A person's risk depends on nothing but their *situation*: the true counts of people like them in their group and in
the groups above, and the number of sibling groups. Millions of people share a few thousand situations, so each is
computed once and weighted with the people in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.checks import finite, probability, whole
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.notebook import one_line, table_html
from epsilens.posterior.attacks import attack_named
from epsilens.posterior.noises import family_size, several_noises
from epsilens.table.hierarchy import Situations


@dataclass(frozen=True, eq=False)
class ReleaseRisk:
    """Expected risk by situation, with the number of people in each.

    ``counts`` are the situations' true counts (situations x levels); ``people`` how many people are in each;
    ``risk_ratio``, ``posterior`` and ``correct_decision`` their expected risk. ``exceedance(i, t)`` is the probability,
    over the noise, that the ratio of a person in situation i exceeds t.
    """

    attack: str
    counts: IntArray
    siblings: IntArray
    people: IntArray
    posterior: FloatArray
    risk_ratio: FloatArray
    correct_decision: FloatArray
    prior: float
    exceedance: Callable[[int, float], float]

    def __repr__(self) -> str:
        return one_line(self, f"{self.attack} attack", f"{self.n_people} people in {len(self.people)} situations")

    def _repr_html_(self) -> str:
        facts = {"attack": self.attack, "prior": self.prior, "people": self.n_people, "situations": len(self.people)}
        facts |= {"average risk ratio": self.mean_ratio}
        facts |= {f"ratio at quantile {share:g}": ratio for share, ratio in self.quantiles().items()}
        return table_html("Risk of everybody in a release", facts, internal=True)

    @property
    def n_people(self) -> int:
        """People assessed: those whose count at the lowest level is small enough."""
        return int(self.people.sum())

    @property
    def mean_ratio(self) -> float:
        """The average expected risk ratio over people."""
        return float(self.people @ self.risk_ratio) / self.n_people

    def people_above(self, threshold: float) -> int:
        """People whose expected risk ratio exceeds ``threshold``."""
        return int(self.people[self.risk_ratio > finite("threshold", threshold)].sum())

    def expected_people_above(self, threshold: float) -> float:
        """People whose *realised* ratio will exceed ``threshold`` in a release, on average over the noise."""
        bar = finite("threshold", threshold)
        return float(sum(n * self.exceedance(i, bar) for i, n in enumerate(self.people)))

    def quantiles(self, probabilities: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)) -> dict[float, float]:
        """Quantiles of the expected risk ratio over people: the least ratio that this share of people do not exceed."""
        order = np.argsort(self.risk_ratio)
        reached = np.cumsum(self.people[order])
        positions = np.searchsorted(reached, np.clip(as_floats(probabilities), 0.0, 1.0) * reached[-1], side="left")
        found = self.risk_ratio[order][np.minimum(positions, len(order) - 1)]
        return dict(zip(probabilities, found.tolist(), strict=True))


def refuse_several_rows(max_rows_per_unit: int) -> None:
    """Refuse people with several rows, whose risk would be understated: an adversary learns from all their rows."""
    if max_rows_per_unit > 1:
        raise ParameterError(
            "the adversary's risks are those of one row per person, and these groups keep up to "
            f"{max_rows_per_unit}; read them with a `max_rows_per_unit` of 1"
        )


def chosen_situations(situations: Situations, rare: int, family: int = 1) -> BoolArray:
    """Which situations are assessed: counts of at most ``rare`` at the lowest level, and of a ``family`` at least."""
    most, members = checked_rare(rare, family), family_size(family)
    counts = situations.counts[:, 0]
    chosen = (counts <= most) & (counts >= members)
    if not chosen.any() and members > 1:
        which = f"{members}" if members == most else f"between {members} and {most}"
        raise ParameterError(
            f"no count at the lowest level is {which}, so no `family` of {members} is assessed",
            remedy="raise `rare`, or take a smaller `family`",
        )
    if not chosen.any():
        raise ParameterError(f"nobody's count at the lowest level is <= {most}", remedy="raise `rare`")
    return chosen


def checked_rare(rare: int, family: int = 1) -> int:
    """The largest count that is assessed, refused where a ``family`` would not be in it."""
    members = family_size(family)
    if (most := whole("rare", rare, 1)) < members:
        raise ParameterError(
            f"must be >= {members}, the size of the `family`: all of them are in one count", parameter="rare", got=most
        )
    return most


def release_risk(
    situations: Situations,
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    attack: str = "unique-levels",
    rare: int = 1,
    noise: Sequence[Noise] | None = None,
    decisions: bool = True,
    family: int = 1,
) -> ReleaseRisk:
    """The expected risk of every person whose count at the lowest level is at most ``rare``.

    ``"single"``: the group's noisy count only. ``"two-level"``: :func:`expected_two_level` with the person's own parent
    and number of siblings. ``"unique-levels"``: an adversary who knows at how many levels the person's group holds
    everybody like them, :func:`expected_unique_at_levels` over those levels. Each of x_1 people who are alike is a
    target, the others being known. Symbols: ``situations`` holds (x_1, ..., x_h) and d; ``rho`` one budget per level,
    lowest first. ``decisions=False`` leaves out the right decisions (nan), which cost the most where noise is large.
    ``family`` people who are alike are the target together: then those are assessed whose count at the lowest level is
    at least that, since nobody else can be one of so many.

    Source: P4 Eq. (3.4), over a whole table; the attacks are those of sections 3.1, 3.2 and S1.3.
    Assumes one target at a time, who has one row: a person with several rows moves several counts, or one by more.
    """
    refuse_several_rows(situations.max_rows_per_unit)
    adversary = attack_named(attack).of_family(family_size(family))
    needed = adversary.levels_needed
    laws = several_noises(rho, noise, needed, "level")
    p = probability("prior", prior)
    chosen = chosen_situations(situations, rare, family)
    counts, siblings = situations.counts[chosen], situations.siblings[chosen]
    if counts.shape[1] < needed:
        raise ParameterError(f"`attack={attack}` needs {needed} levels, the hierarchy has {counts.shape[1]}")
    keys = adversary.keys(counts, siblings, laws)
    # one number per pair of keys: sorting numbers is much faster than sorting rows
    codes, where = np.unique(keys[:, 0] * (keys[:, 1].max() + 1) + keys[:, 1], return_inverse=True)
    distinct = np.stack(np.divmod(codes, keys[:, 1].max() + 1), axis=1)
    posterior, correct = adversary.risks(distinct, laws, p, decisions)
    cache: dict[tuple[int, float], float] = {}

    def above(position: int, threshold: float) -> float:
        if (bar := threshold * p) >= 1.0 or bar <= 0.0:
            return float(bar <= 0.0)
        key = (int(where[position]), threshold)
        if key not in cache:
            cache[key] = adversary.exceedance(distinct[key[0]].tolist(), laws, p, threshold)
        return cache[key]

    people = situations.cells[chosen] * counts[:, 0]
    return ReleaseRisk(
        attack,
        counts,
        siblings,
        people,
        posterior[where],
        posterior[where] / p,
        correct[where],
        p,
        above,
    )
