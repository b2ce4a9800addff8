"""What the unprotected table gives away: the classical anonymity measures, all from the table's signatures.

Notation: in a cell, n_k is the count of label k, n their sum and q_k = n_k / n; p_k is label k's share among everybody.
Minima and maxima run over the non-empty cells. Labels that nobody has (p_k = 0) say nothing about anybody and are left
out.
The values are those of pyCANON (which loops over cells; here a measure is a few array operations on distinct count
vectors). With several sensitive attributes each measure is the worst over the attributes, as in pyCANON's
``gen=True``; the counts of homogeneous cells are then those of the joint label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.errors import DataError, ParameterError, verb
from epsilens.notebook import listed, one_line, rows_html, table_html
from epsilens.table.count_vectors import CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table

_PART = 1 << 22  # numbers of full rows at a time
_VECTORS = 1 << 17  # distinct vectors at a time


@dataclass(frozen=True)
class DisclosedValue:
    """Who is shown as what by the table as it is: the cells in which everybody has this label."""

    value: str
    weight: float
    """How much it harms to be shown with it; 0: not at all."""
    cells: int
    people: int


@dataclass(frozen=True)
class Diagnostics:
    """Anonymity measures of an unprotected table; see the functions of the same names for the formulas.

    ``attribute_disclosure`` is alpha of (alpha, k)-anonymity. ``recursive_c`` is None unless every cell has two labels.
    ``enhanced_beta_holds`` says whether any beta makes the table enhanced beta-like. ``disclosed_by_value`` says of
    every label that somebody has who is in cells where everybody has it; these add up to the homogeneous cells.
    """

    people: int
    cells: int
    labels: int
    k_anonymity: int
    distinct_l_diversity: int
    entropy_l_diversity: float
    recursive_c: float | None
    t_closeness: float
    delta_disclosure: float
    basic_beta_likeness: float
    enhanced_beta_likeness: float
    enhanced_beta_holds: bool
    attribute_disclosure: float
    sample_uniques: int
    homogeneous_cells: int
    people_in_homogeneous_cells: int
    disclosed_by_value: tuple[DisclosedValue, ...] = ()

    @property
    def harmful_homogeneous_cells(self) -> int:
        """Cells in which everybody has the same label, one that harms whoever is shown to have it."""
        return sum(found.cells for found in self.disclosed_by_value if found.weight > 0)

    @property
    def people_in_harmful_homogeneous_cells(self) -> int:
        """The people in them."""
        return sum(found.people for found in self.disclosed_by_value if found.weight > 0)

    @property
    def share_of_sample_uniques(self) -> float:
        """The share of people who are alone in their cell."""
        return self.sample_uniques / self.people

    @property
    def share_of_homogeneous_cells(self) -> float:
        """The share of cells in which everybody has the same label."""
        return self.homogeneous_cells / self.cells

    @property
    def share_of_people_in_homogeneous_cells(self) -> float:
        """The share of people in cells in which everybody has the same label."""
        return self.people_in_homogeneous_cells / self.people

    @property
    def entropy_l_diversity_floor(self) -> int:
        """The entropy l rounded down, pyCANON's convention (a rounding error below a whole number is forgiven)."""
        return int(np.floor(self.entropy_l_diversity + 1e-9))

    def __repr__(self) -> str:
        people = f"{self.people} {verb(self.people, 'person', 'people')}"
        cells = f"{self.cells} {verb(self.cells, 'cell', 'cells')}"
        return one_line(self, f"{people} in {cells}", f"{self.labels} {verb(self.labels, 'label', 'labels')}")

    def _repr_html_(self) -> str:
        plain = {name: value for name, value in self.to_dict().items() if name != "disclosed_by_value"}
        measures = {name.replace("_", " "): value for name, value in plain.items()}
        return table_html("Diagnostics of the table as it is", measures, internal=True)

    def to_dict(self) -> dict[str, Any]:
        """All measures and shares as plain numbers."""
        return asdict(self) | {
            "disclosed_by_value": [asdict(found) for found in self.disclosed_by_value],
            "harmful_homogeneous_cells": self.harmful_homogeneous_cells,
            "people_in_harmful_homogeneous_cells": self.people_in_harmful_homogeneous_cells,
            "entropy_l_diversity_floor": self.entropy_l_diversity_floor,
            "share_of_sample_uniques": self.share_of_sample_uniques,
            "share_of_homogeneous_cells": self.share_of_homogeneous_cells,
            "share_of_people_in_homogeneous_cells": self.share_of_people_in_homogeneous_cells,
        }


@dataclass(frozen=True)
class Homogeneity:
    """How many cells, and how many people in them."""

    cells: int
    people: int


@dataclass(frozen=True)
class HomogeneityClasses:
    """Cells by how many sensitive attributes they are homogeneous for, and per attribute."""

    every: Homogeneity
    some: Homogeneity
    none: Homogeneity
    by_attribute: dict[str, Homogeneity]

    def __repr__(self) -> str:
        return one_line(self, f"of {listed(self.by_attribute)}")

    def _repr_html_(self) -> str:
        classes = {"every attribute": self.every, "some of them": self.some, "none of them": self.none}
        rows = [{"homogeneous for": name, **vars(found)} for name, found in (classes | self.by_attribute).items()]
        return rows_html("Homogeneous cells", rows, internal=True)

    def to_dict(self) -> dict[str, Any]:
        """The classes as plain numbers."""
        return asdict(self)


def diagnose(table: FrequencyTable, ordered: bool | Sequence[str] = False) -> Diagnostics:
    """All measures of ``table``.

    ``ordered`` makes t-closeness use the distance for ordered labels: True for labels that are numbers, or the labels
    in their order.
    """
    checked_table(table)
    vectors, cells = _people(table)
    sizes = vectors.sizes
    homogeneous = vectors.positive == 1
    if ordered is not False and len(table.sensitive) > 1:
        raise ParameterError(
            "needs a single sensitive attribute", parameter="ordered", remedy="take one with table.attribute(name)"
        )
    order = None if ordered is False else label_order(table, ordered)
    attributes = _attribute_signatures(table)
    # Distinct l-diversity: the least number of labels in a cell, l = min over cells of #{k: n_k > 0}.
    diversity = min(int(rows.positive.min()) for rows, _ in attributes)
    worst = _Worst.of_all(
        _Shares(part, totals).worst(diversity, order) for rows, totals in attributes for part in _parts(rows)
    )
    return Diagnostics(
        people=int(cells @ sizes),
        cells=int(cells.sum()),
        labels=table.n_labels,
        k_anonymity=int(sizes.min()),
        distinct_l_diversity=diversity,
        entropy_l_diversity=worst.entropy_l,
        recursive_c=None if diversity < 2 else worst.recursive_c,
        t_closeness=worst.t_closeness,
        delta_disclosure=worst.delta,
        basic_beta_likeness=worst.basic_beta,
        enhanced_beta_likeness=worst.enhanced_beta,
        enhanced_beta_holds=worst.enhanced_beta_holds,
        attribute_disclosure=worst.largest_share,
        sample_uniques=int(cells[sizes == 1].sum()),
        homogeneous_cells=int(cells[homogeneous].sum()),
        people_in_homogeneous_cells=int(cells[homogeneous] @ sizes[homogeneous]),
        disclosed_by_value=_disclosed(table, vectors.take(homogeneous), cells[homogeneous]),
    )


def _disclosed(table: FrequencyTable, vectors: CountVectors, cells: IntArray) -> tuple[DisclosedValue, ...]:
    """Homogeneous cells and the people in them, label by label."""
    there = vectors.counts > 0
    counts = np.bincount(vectors.labels[there], cells[vectors.row_of[there]], vectors.n_labels).astype(np.int64)
    people = vectors.label_totals(cells)
    return tuple(
        DisclosedValue(table.labels[k], float(table.label_weights[k]), int(counts[k]), int(people[k]))
        for k in np.flatnonzero(table.label_totals)
    )


def homogeneity_classes(table: FrequencyTable) -> HomogeneityClasses:
    """Cells in which everybody has the same value of every, of some but not all, of no sensitive attribute.

    A cell is homogeneous with respect to an attribute if all its records have the same value of it, and otherwise
    heterogeneous; completely, if so for every attribute. ``every`` is the completely homogeneous cells, ``some`` the
    partially homogeneous, ``none`` the completely heterogeneous ones; the three add up to all non-empty cells.

    Source: P0 Definitions 4 and 5.
    Departs from print (P0-12): Definition 4's last sentence calls partial whatever is not complete; as in the text
    after Definition 5, a partially homogeneous cell here is homogeneous for at least one attribute.
    """
    checked_table(table)
    vectors, cells = _people(table)
    sizes = vectors.sizes
    single = np.empty((len(vectors), len(table.sensitive)), dtype=bool)
    for j in range(len(table.sensitive)):
        single[:, j] = _of_attribute(vectors, table, j).positive == 1

    def tally(chosen: BoolArray) -> Homogeneity:
        return Homogeneity(int(cells[chosen].sum()), int(cells[chosen] @ sizes[chosen]))

    every: BoolArray = np.all(single, axis=1)
    some: BoolArray = np.any(single, axis=1)
    return HomogeneityClasses(
        every=tally(every),
        some=tally(some & ~every),
        none=tally(~some),
        by_attribute={name: tally(single[:, j]) for j, name in enumerate(table.sensitive)},
    )


def label_order(table: FrequencyTable, ordered: bool | Sequence[str]) -> list[int]:
    """The positions of the labels in their natural order: as listed, or by number if ``ordered`` is True."""
    if not isinstance(ordered, bool):
        listed = [str(label) for label in ordered]
        if sorted(listed) != sorted(table.labels):
            raise ParameterError(
                f"must list each of the {table.n_labels} labels once, got {len(listed)} labels, "
                f"{len(set(listed) & set(table.labels))} of them known",
                parameter="ordered",
            )
        return [table.labels.index(label) for label in listed]
    try:
        numbers = [float(label) for label in table.labels]
    except ValueError:
        raise ParameterError(
            "`ordered=True` needs labels that are numbers", remedy="list the labels in their order instead"
        ) from None
    return sorted(range(len(numbers)), key=numbers.__getitem__)


@dataclass(frozen=True)
class _Worst:
    """The worst cases of some cells for one attribute; see the functions of the same names."""

    entropy_l: float
    recursive_c: float
    t_closeness: float
    delta: float
    basic_beta: float
    enhanced_beta: float
    enhanced_beta_holds: bool
    largest_share: float

    @staticmethod
    def of_all(several: Iterable[_Worst]) -> _Worst:
        """The worst of several parts, one of which is looked at after the other."""
        rows = [vars(one) for one in several]
        best = {name: max(row[name] for row in rows) for name in rows[0]}
        best["entropy_l"] = min(row["entropy_l"] for row in rows)
        best["enhanced_beta_holds"] = all(row["enhanced_beta_holds"] for row in rows)
        return _Worst(**best)


def _parts(vectors: CountVectors) -> Iterator[CountVectors]:
    """The vectors, so many at a time that what is computed of them takes little memory."""
    if len(vectors) <= _VECTORS:
        yield vectors
        return
    for start in range(0, len(vectors), _VECTORS):
        yield vectors.part(start, _VECTORS)


@dataclass(frozen=True, eq=False)
class _Shares:
    """Distinct count vectors of the non-empty cells for one attribute; worst cases need no multiplicities.

    Only the labels that a cell has are looked at, one pair of a cell and a label after the other; what the labels that
    it has not add to a distance follows from their shares among all people.
    """

    vectors: CountVectors
    totals: IntArray

    @cached_property
    def pairs(self) -> IntArray:
        """Which pairs have people."""
        return np.flatnonzero(self.vectors.counts > 0)

    @cached_property
    def rows(self) -> IntArray:
        """The cell of each pair."""
        return self.vectors.row_of[self.pairs]

    @cached_property
    def p(self) -> FloatArray:
        """Shares of the labels among all people."""
        return np.asarray(self.totals / self.totals.sum(), dtype=np.float64)

    @cached_property
    def q(self) -> FloatArray:
        """Shares of the labels in each cell, those that somebody has."""
        counts = self.vectors.counts[self.pairs]
        return np.asarray(counts / self.vectors.sizes[self.rows], dtype=np.float64)

    @cached_property
    def p_of_pairs(self) -> FloatArray:
        """The share among all people of the label of each pair."""
        return self.p[self.vectors.labels[self.pairs]]

    def worst(self, diversity: int, order: Sequence[int] | None) -> _Worst:
        """All worst cases; the recursive c for the least number of labels in any cell of the table."""
        return _Worst(
            self.entropy_l(),
            0.0 if diversity < 2 else self.recursive_c(diversity),
            self.t_closeness(order),
            self.delta(),
            self.basic_beta(),
            self.enhanced_beta(),
            self.enhanced_beta_holds(),
            self.largest_share(),
        )

    def largest_share(self) -> float:
        """The largest share of a label in a cell."""
        return float(self.q.max())

    def entropy_l(self) -> float:
        """Entropy l-diversity, exact.  l = min over cells of exp(- sum_k q_k ln q_k); pyCANON rounds it down."""
        entropy = -np.bincount(self.rows, self.q * np.log(self.q), len(self.vectors))
        return float(np.exp(max(entropy.min(), 0.0)))

    def recursive_c(self, diversity: int) -> float:
        """Recursive (c, l)-diversity: the table is (c, l)-diverse for every c above this value, l the distinct one.

        c = max over cells of r_1 / (r_l + ... + r_m), where r_1 >= ... >= r_m > 0 are the cell's counts.
        Source: Machanavajjhala et al. (2007). pyCANON sorts the counts the other way round and rounds up, which is not
        this definition, so its value is not offered.
        """
        ordered = self.vectors.in_descending_order()
        beyond = np.where((ordered.labels >= diversity - 1) & (ordered.counts > 0), ordered.counts, 0)
        rest = np.zeros(len(ordered), dtype=np.int64)
        np.add.at(rest, ordered.row_of, beyond)
        return float(np.max(ordered.largest / rest))

    def t_closeness(self, order: Sequence[int] | None) -> float:
        """t-closeness: the largest distance between the labels' distribution in a cell and among all people.

        Unordered labels: t = max over cells of (1/2) sum_k |q_k - p_k|. Ordered labels (``order``; pyCANON's choice for
        numeric attributes): t = max over cells of 1/(m - 1) sum_i |sum_{k <= i} (q_k - p_k)|, with m observed labels.
        """
        if order is None:
            n_rows = len(self.vectors)
            own = np.bincount(self.rows, np.abs(self.q - self.p_of_pairs), n_rows)
            there = np.zeros(n_rows, dtype=np.int64)
            np.add.at(there, self.rows, self.totals[self.vectors.labels[self.pairs]])
            everybody = self.totals.sum()
            return float((own + (everybody - there) / everybody).max() / 2)
        seen = np.array([k for k in order if self.totals[k] > 0], dtype=np.int64)
        steps = 0.0
        step = max(1, _PART // self.vectors.n_labels)
        for start in range(0, len(self.vectors), step):
            some = self.vectors.part(start, step)
            q = np.maximum(some.dense(), 0)[:, seen] / some.sizes[:, None]
            steps = max(steps, float(np.abs(np.cumsum(q - self.p[seen], axis=1)).sum(axis=1).max()))
        return steps / max(len(seen) - 1, 1)

    def delta(self) -> float:
        """delta-disclosure privacy.  delta = max over cells and labels with q_k > 0 of |ln(q_k / p_k)|.

        Labels absent from a cell would make it infinite; pyCANON leaves them out, and so do we.
        """
        return float(np.abs(np.log(self.q / self.p_of_pairs)).max())

    def basic_beta(self) -> float:
        """Basic beta-likeness: the largest relative gain.  beta = max over cells and labels of (q_k - p_k) / p_k."""
        return float(self.gains.max())

    def enhanced_beta(self) -> float:
        """Enhanced beta-likeness as in pyCANON.  max over labels of min(beta, -ln p_k), with the basic beta."""
        rarest = float(self.p[self.totals > 0].min())
        return min(self.basic_beta(), -float(np.log(rarest)))

    def enhanced_beta_holds(self) -> bool:
        """Whether some beta satisfies the definition:  (q_k - p_k) / p_k <= -ln p_k wherever q_k > p_k.

        Source: Cao & Karras (2012). A homogeneous cell never does, because 1/p - 1 > -ln p for p < 1.
        """
        return bool(np.all(self.gains <= -np.log(self.p_of_pairs) + 1e-12))

    @cached_property
    def gains(self) -> FloatArray:
        """(q_k - p_k) / p_k of the labels that somebody has; of others it is -1, and some label of a cell gains."""
        return np.asarray((self.q - self.p_of_pairs) / self.p_of_pairs, dtype=np.float64)


def _people(table: FrequencyTable) -> tuple[CountVectors, IntArray]:
    """The count vectors of the non-empty cells and how many cells have each."""
    vectors, cells = table.sparse_signatures(ordered=True)
    occupied = vectors.sizes > 0
    if not occupied.any():
        raise DataError("all cells are empty; there is nobody to diagnose")
    return (vectors, cells) if occupied.all() else (vectors.take(occupied), cells[occupied])


def _of_attribute(vectors: CountVectors, table: FrequencyTable, position: int) -> CountVectors:
    """Count vectors of one sensitive attribute, out of the joint ones."""
    if len(table.sensitive) == 1:
        return vectors
    members: dict[str, list[int]] = {}
    for k, parts in enumerate(table.label_values):
        members.setdefault(parts[position], []).append(k)
    return vectors.regrouped([members[value] for value in sorted(members)])


def _attribute_signatures(table: FrequencyTable) -> list[tuple[CountVectors, IntArray]]:
    """Per sensitive attribute its distinct count vectors and the totals of its labels."""
    vectors, cells = _people(table)
    if len(table.sensitive) == 1:
        return [(vectors, vectors.label_totals(cells))]
    parts = []
    for position in range(len(table.sensitive)):
        rows, weights = _of_attribute(vectors, table, position).distinct(cells)
        parts.append((rows, rows.label_totals(weights)))
    return parts
