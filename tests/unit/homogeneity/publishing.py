"""A curator who publishes releases fitted to one another, count by count, and an attacker who reads them.

Written without anything of the package but tables and noise laws, to check its formulas by enumeration or simulation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.homogeneity.repeated.releases import AnyRelease, SizeRelease
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import FrequencyTable, MemoryStore

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Key: TypeAlias = tuple[Pairs, Pairs]
Draws = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class FewValues:
    """Whole-number noise with a handful of values, neither symmetric nor centred, so that all can be enumerated."""

    masses: tuple[tuple[int, float], ...]
    integer_valued: bool = True

    @property
    def variance(self) -> float:
        mean = sum(v * p for v, p in self.masses)
        return sum(p * (v - mean) ** 2 for v, p in self.masses)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        points = as_floats(x)
        return sum((np.where(points >= v, p, 0.0) for v, p in self.masses), np.zeros(points.shape))

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        points = as_floats(x)
        return sum((np.where(points < v, p, 0.0) for v, p in self.masses), np.zeros(points.shape))

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        points = as_floats(k)
        return sum((np.where(points == v, p, 0.0) for v, p in self.masses), np.zeros(points.shape))

    density = pmf

    def logcdf(self, x: npt.ArrayLike) -> FloatArray:
        return np.log(self.cdf(x))

    def logsf(self, x: npt.ArrayLike) -> FloatArray:
        return np.log(self.sf(x))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        return np.log(self.density(x))

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        values, probabilities = zip(*self.masses, strict=True)
        return rng.choice(np.array(values, dtype=np.float64), size, p=probabilities)


def table_of(
    counts: Sequence[Sequence[int]], attributes: Mapping[str, Sequence[str]], cells: dict[str, list[str]] | None = None
) -> FrequencyTable:
    """A joint table; labels run like itertools.product; -1 is a structural zero."""
    label_values = tuple(itertools.product(*attributes.values()))
    store = MemoryStore(np.array(counts, dtype=np.int64), cells or {})
    names = tuple("/".join(parts) for parts in label_values)
    return FrequencyTable(names, store, tuple(cells or {}), tuple(attributes), label_values)


def merged(table: FrequencyTable, attributes: Sequence[str]) -> FrequencyTable:
    """The table of fewer attributes."""
    places = [table.sensitive.index(a) for a in attributes]
    parts = sorted({tuple(values[p] for p in places) for values in table.label_values})
    groups = [
        [k for k, values in enumerate(table.label_values) if tuple(values[p] for p in places) == part] for part in parts
    ]
    names = tuple("/".join(part) for part in parts)
    return FrequencyTable(
        names, table.store.regrouped(groups), table.quasi_identifiers, tuple(attributes), tuple(parts)
    )


def counts_of(release: AnyRelease) -> dict[Key, int]:
    """What a release counts, by (cell, label), each being (name, value) pairs; the impossible is left out."""
    assert release.table is not None
    table, columns = release.table, release.table.cells()
    counts: dict[Key, int] = {}
    for i, row in enumerate(table.vectors.tolist()):
        cell = tuple((name, columns[name][i]) for name in table.quasi_identifiers)
        if isinstance(release, SizeRelease):
            counts[cell, ()] = sum(max(count, 0) for count in row)
            continue
        for count, values in zip(row, table.label_values, strict=True):
            if count >= 0:
                counts[cell, tuple(zip(table.sensitive, values, strict=True))] = count
    return counts


def publish(releases: Sequence[AnyRelease], draw: Callable[[AnyNoise], Draws]) -> list[dict[Key, Draws]]:
    """Every release as printed, in every draw; ``draw`` gives the rounded noise of one count in all of them."""
    printed: list[dict[Key, Draws]] = []
    for release in releases:
        noisy = {key: count + draw(release.noise) for key, count in counts_of(release).items()}
        if isinstance(release, SizeRelease) or release.parent is None:
            printed.append({key: np.maximum(0, value) for key, value in noisy.items()})
            continue
        above = printed[[earlier.name for earlier in releases].index(release.parent)]
        fitted: dict[Key, Draws] = {}
        for (cell, label), published in above.items():
            parts = [key for key in noisy if set(cell) <= set(key[0]) and set(label) <= set(key[1])]
            gap = published - sum(noisy[key] for key in parts)
            for key in parts:  # noisy + gap / kappa, rounded half up, in whole numbers
                fitted[key] = np.maximum(0, (2 * (len(parts) * noisy[key] + gap) + len(parts)) // (2 * len(parts)))
        assert len(fitted) == len(noisy)
        printed.append(fitted)
    return printed


def enumerated(releases: Sequence[AnyRelease]) -> tuple[FloatArray, list[dict[Key, Draws]]]:
    """The probability of every outcome of noises of :class:`FewValues`, and what is then printed."""
    laws = []
    for release in releases:
        assert isinstance(release.noise, FewValues)
        laws += [release.noise.masses] * len(counts_of(release))
    grids = np.meshgrid(*(np.arange(len(law)) for law in laws), indexing="ij")
    weight, draws = np.ones(grids[0].size), []
    for law, grid in zip(laws, grids, strict=True):
        values, masses = (np.array(part) for part in zip(*law, strict=True))
        weight *= masses[grid.ravel()]
        draws.append(values[grid.ravel()].astype(np.int64))
    remaining = iter(draws)
    return weight, publish(releases, lambda _: next(remaining))


def simulated(releases: Sequence[AnyRelease], number: int, seed: int) -> tuple[FloatArray, list[dict[Key, Draws]]]:
    """The same for ``number`` random outcomes."""
    rng = np.random.default_rng(seed)

    def draw(noise: AnyNoise) -> Draws:
        return np.floor(noise.sample(number, rng) + 0.5).astype(np.int64)

    return np.full(number, 1.0 / number), publish(releases, draw)


def attacked(
    printed: Sequence[dict[Key, Draws]], truth: FrequencyTable, match: str
) -> tuple[list[list[FloatArray]], list[FloatArray]]:
    """What is given away in every outcome: [cell][attribute] and, of at least one attribute, [cell].

    ``truth`` is the joint table of all attributes in the finest cells. For ``match="share"`` it is the share of the
    members whose value (or one of whose values) some release shows alone; for "any" 1 if that is so for a held value.
    """
    columns = truth.cells()
    single: list[list[FloatArray]] = []
    union: list[FloatArray] = []
    for i, row in enumerate(truth.counts.tolist()):
        cell = {(name, columns[name][i]) for name in truth.quasi_identifiers}
        alone = _alone(printed, cell)
        people = [
            (tuple(zip(truth.sensitive, values, strict=True)), count)
            for values, count in zip(truth.label_values, row, strict=True)
            if count > 0
        ]
        nothing = np.zeros(next(iter(alone.values())).shape, dtype=bool)
        if match == "any":
            held = {pair for pairs, _ in people for pair in pairs}
            hits = {a: _either([alone[pair] for pair in held if pair[0] == a], nothing) for a in truth.sensitive}
            single.append([hits[a].astype(np.float64) for a in truth.sensitive])
            union.append(_either(list(hits.values()), nothing).astype(np.float64))
        else:
            share = {pairs: count / sum(row) for pairs, count in people}
            single.append(
                [
                    sum((w * alone[pairs[j]] for pairs, w in share.items()), np.zeros(nothing.shape))
                    for j in range(len(truth.sensitive))
                ]
            )
            union.append(
                sum(
                    (w * _either([alone[pair] for pair in pairs], nothing) for pairs, w in share.items()),
                    np.zeros(nothing.shape),
                )
            )
    return single, union


def _alone(printed: Sequence[dict[Key, Draws]], cell: set[tuple[str, str]]) -> dict[tuple[str, str], Flags]:
    """(attribute, value) -> in which outcomes some release shows that value alone to those in the cell."""
    found: dict[tuple[str, str], Flags] = {}
    for release in printed:
        visible: dict[tuple[str, str], Flags] = {}
        for (where, label), published in release.items():
            for pair in label:
                seen = (published >= 1) & (set(where) <= cell)
                visible[pair] = visible.get(pair, np.zeros(seen.shape, dtype=bool)) | seen
        for pair, seen in visible.items():
            others = [other for rival, other in visible.items() if rival[0] == pair[0] and rival != pair]
            alone = seen & ~_either(others, np.zeros(seen.shape, dtype=bool))
            found[pair] = found[pair] | alone if pair in found else alone
    return found


def _either(events: Sequence[Flags], nothing: Flags) -> Flags:
    return np.asarray(np.logical_or.reduce([nothing, *events]))
