"""Releases, and what each shows about one attribute.

A :class:`Release` is a table published with noise; a :class:`SizeRelease` publishes only how many people a cell has.
Releases about disjoint people carry different ``cohort`` names. A release may be fitted to an earlier one
(``parent``): its counts are then adjusted to add up to the parent's (see ``constraint``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from epsilens.budget import NEIGHBOURS, Budget
from epsilens.errors import ParameterError, did_you_mean, one_of
from epsilens.homogeneity.constraint import BlockLaw, block_law
from epsilens.homogeneity.display import shown_and_hidden
from epsilens.homogeneity.several import attribute_groups, only_group_shown
from epsilens.noise.law import FloatArray, Noise, as_floats
from epsilens.table.frequency import FrequencyTable, IntArray


@dataclass(frozen=True, eq=False)
class Release:
    """One published table: what was counted, with which noise, at what cost."""

    table: FrequencyTable
    noise: Noise
    budget: Budget | None = None
    neighbours: str = "add-remove"
    name: str = ""
    cohort: str = ""
    parent: str | None = None
    """The name of an earlier release, with fewer sensitive attributes, to whose counts these were made to add up."""

    def __post_init__(self) -> None:
        one_of("neighbours", self.neighbours, NEIGHBOURS)


@dataclass(frozen=True, eq=False)
class SizeRelease:
    """The number of people in every cell, published with noise; it says nothing about labels."""

    noise: Noise
    budget: Budget | None = None
    neighbours: str = "add-remove"
    name: str = ""
    cohort: str = ""

    def __post_init__(self) -> None:
        one_of("neighbours", self.neighbours, NEIGHBOURS)


AnyRelease: TypeAlias = Release | SizeRelease


@dataclass(frozen=True, eq=False)
class Showing:
    """What one independent source (a release, or a release with its fitted child) shows about one attribute.

    ``alone[i]`` is P(release i of the source shows a single value y), (cells, values); ``both`` is
    P(the first shows y alone and the second y' alone), (cells, values, values), for a source of two.
    """

    alone: tuple[FloatArray, ...]
    both: FloatArray | None = None

    def of(self, rows: IntArray) -> Showing:
        """The same for chosen cells, in their order."""
        return Showing(tuple(a[rows] for a in self.alone), None if self.both is None else self.both[rows])

    def each_value(self) -> FloatArray:
        """P(at least one release shows y alone), (cells, values)."""
        total = as_floats(sum(self.alone))
        return total if self.both is None else total - np.einsum("cyy->cy", self.both)

    def some_value(self, held: FloatArray) -> FloatArray:
        """P(at least one release shows a single value, and ``held`` is 1 for it), (cells,)."""
        total = as_floats(sum((held * a).sum(axis=1) for a in self.alone))
        return total if self.both is None else total - np.einsum("cy,cyz,cz->c", held, self.both, held)


def named(releases: Sequence[AnyRelease]) -> dict[str, AnyRelease]:
    """Releases by name, "release 1", "release 2", ... where none was given."""
    if not releases:
        raise ParameterError("a sequence needs at least one release, got an empty list; give Release(table, noise)")
    by_name: dict[str, AnyRelease] = {}
    for i, release in enumerate(releases, 1):
        name = release.name or f"release {i}"
        if name in by_name:
            raise ParameterError(f"releases must have different names, got {name!r} twice")
        by_name[name] = release
    if all(isinstance(release, SizeRelease) for release in releases):
        raise ParameterError("cell sizes alone disclose no attribute; add a Release(table, noise)")
    return by_name


def sources(by_name: dict[str, AnyRelease], attribute: str) -> list[tuple[FrequencyTable, Showing]]:
    """The independent sources about one attribute, each with the table whose cells it speaks of."""
    children: dict[str, Release] = {}
    names = list(by_name)
    for i, (name, release) in enumerate(by_name.items()):
        if isinstance(release, Release) and release.parent is not None:
            _check_parent(name, release, by_name, names[:i])
            if release.parent in children:
                raise ParameterError(
                    f"two releases are fitted to {release.parent!r}; their noise is then shared in a way that is not "
                    "computed; fit one of them only"
                )
            children[release.parent] = release
    found: list[tuple[FrequencyTable, Showing]] = []
    for name, release in by_name.items():
        child = children.get(name)
        if isinstance(release, SizeRelease):
            if child is not None and attribute in child.table.sensitive:
                found.append((child.table, _fitted_to_sizes(child, release, attribute)))
        elif release.parent is None:
            if child is not None and attribute in child.table.sensitive:
                found.append((child.table, _fitted_to_table(child, release, attribute)))
            elif attribute in release.table.sensitive:
                _, hidden = shown_and_hidden(release.table.vectors, release.noise)
                groups = list(attribute_groups(release.table, attribute).values())
                found.append((release.table, Showing((only_group_shown(hidden, groups),))))
    return found


def _check_parent(name: str, release: Release, by_name: dict[str, AnyRelease], earlier: list[str]) -> None:
    if release.parent not in earlier:
        raise ParameterError(
            f"{name!r} is fitted to {release.parent!r}, which is not an earlier release"
            f"{did_you_mean(str(release.parent), earlier)}"
        )
    parent = by_name[release.parent]
    if parent.cohort != release.cohort:
        raise ParameterError(f"{name!r} and its parent {release.parent!r} must be about the same cohort")
    if isinstance(parent, SizeRelease):
        return
    if parent.parent is not None:
        raise ParameterError(
            f"{name!r} is fitted to {release.parent!r}, itself fitted to another release; chains are not computed"
        )
    if not set(parent.table.sensitive) < set(release.table.sensitive):
        raise ParameterError(f"{name!r} must have every sensitive attribute of its parent {release.parent!r} and more")
    if parent.table.n_cells != release.table.n_cells or parent.table.cells() != release.table.cells():
        raise ParameterError(f"{name!r} and its parent {release.parent!r} must have the same cells in the same order")


def _fitted_to_sizes(child: Release, parent: SizeRelease, attribute: str) -> Showing:
    groups = list(attribute_groups(child.table, attribute).values())
    law = block_law(child.table.vectors, groups, child.noise, parent.noise)
    none = law.none.sum(axis=-1)
    return Showing((np.maximum(law.within.sum(axis=-1) - none[:, None], 0.0),))


def _fitted_to_table(child: Release, parent: Release, attribute: str) -> Showing:
    """One block per label of the parent: that label's count and its children; blocks are independent."""
    places = [child.table.sensitive.index(a) for a in parent.table.sensitive]
    blocks = [
        [k for k, parts in enumerate(child.table.label_values) if tuple(parts[p] for p in places) == values]
        for values in parent.table.label_values
    ]
    values = attribute_groups(child.table, attribute)
    laws = []
    for members in blocks:
        inside = [[members.index(k) for k in group if k in members] for group in values.values()]
        laws.append(block_law(child.table.vectors[:, members], inside, child.noise, parent.noise))
    if attribute not in parent.table.sensitive:
        none = np.prod([law.none.sum(axis=-1) for law in laws], axis=0)
        within = np.prod([law.within.sum(axis=-1) for law in laws], axis=0)
        return Showing((np.maximum(within - none[:, None], 0.0),))
    groups = attribute_groups(parent.table, attribute)
    if list(groups) != list(values):
        raise ParameterError(f"attribute {attribute!r} must have the same values in a release and its parent")
    return _parent_and_child([[laws[b] for b in members] for members in groups.values()])


def _parent_and_child(laws: list[list[BlockLaw]]) -> Showing:
    """Parent and child about an attribute of both, from the blocks of each of its values.

    Per value: hn = P(parent hidden and no child shown), and so on for hs, sn, ss (h/s parent, n/s some child). Then
    P(parent shows y alone) = (1 - h_y) prod of the others' h, the child likewise, and both at once from the four.
    """
    hidden = np.stack([np.prod([law.parent[:, 0] for law in group], axis=0) for group in laws], axis=1)
    none = np.stack([np.prod([law.none.sum(axis=-1) for law in group], axis=0) for group in laws], axis=1)
    hn = np.stack([np.prod([law.none[:, 0] for law in group], axis=0) for group in laws], axis=1)
    hs, sn = np.maximum(hidden - hn, 0.0), np.maximum(none - hn, 0.0)
    ss = np.maximum(1.0 - hidden - sn, 0.0)
    n_values = len(laws)
    both = np.empty((len(hn), n_values, n_values))
    for y in range(n_values):
        for z in range(n_values):
            rest = np.delete(hn, [y, z], axis=1).prod(axis=1)
            both[:, y, z] = (ss[:, y] if y == z else sn[:, y] * hs[:, z]) * rest
    every = [[y] for y in range(n_values)]
    return Showing((only_group_shown(hidden, every), only_group_shown(none, every)), both)
