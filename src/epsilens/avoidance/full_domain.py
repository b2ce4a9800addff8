"""k-anonymity by generalising whole columns and suppressing the combinations that are still rare."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from epsilens.arrays import IntArray
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee
from epsilens.avoidance.enumeration import Counts, Enumeration
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.lattice import best_node, fixed_levels
from epsilens.avoidance.protected import ProtectedTable
from epsilens.avoidance.recoding import Ladder, Recoded
from epsilens.avoidance.records import Column, Records
from epsilens.avoidance.system import CellMoments, as_histogram
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.checks import finite, one_of, whole
from epsilens.errors import ParameterError
from epsilens.noise.divergence import Distribution
from epsilens.table.frequency import FrequencyTable


@dataclass(frozen=True)
class FullDomainKAnonymity(WithoutGuarantee, UsualAnswers):
    """k-anonymity of the quasi-identifiers ``columns`` (all, unless named) by full-domain generalisation.

    All values of a column are generalised to the same level of its hierarchy (``hierarchies``; without one, neighbours
    of an ordered column are merged by twos, fours and so on, and other values become any value). Classes that still
    have fewer than k people are suppressed: they are not published. ``max_suppressed`` is the largest share of people
    that may be; among the nodes of the lattice that keep it, the one of least information loss is taken
    (:func:`~epsilens.avoidance.lattice.best_node`, an exact search).

    ``node`` fixes the levels instead, and then whatever is rare is suppressed. Li, Qardaji and Su (2011) call a
    generalisation that does not look at the data safe; on a sample of the people it is differentially private, while
    one that is searched for in the data is not, and neither is without sampling. Delta is 1: a class of k people is
    published and one of k - 1 is not. :meth:`release` draws a data set in the original space from the classes, every
    combination of a class alike; :meth:`anonymised` gives the classes.

    Source: P2 Definition 4 and section 3.
    Departs from print (P2-11): print does not say how levels are chosen, nor how many may be suppressed.
    """

    k: int
    columns: tuple[str, ...] | None = None
    hierarchies: Mapping[str, GeneralisationHierarchy] = field(default_factory=dict, hash=False)
    max_suppressed: float = 0.05
    node: Mapping[str, int] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1))
        if not 0.0 <= finite("max_suppressed", self.max_suppressed) <= 1.0:
            raise ParameterError("must be between 0 and 1", parameter="max_suppressed", got=self.max_suppressed)
        if self.columns is not None:
            if not self.columns:
                raise ParameterError("must name at least one quasi-identifier to generalise", parameter="columns")
            object.__setattr__(self, "columns", tuple(self.columns))
        if self.node is not None:
            node = {name: whole(f"the level of {name!r}", at, 0) for name, at in self.node.items()}
            object.__setattr__(self, "node", node)

    @property
    def name(self) -> str:
        """The system, and whether its levels are fixed."""
        return f"k-anonymity (full domain{', fixed levels' if self.node is not None else ''})"

    def anonymised(self, source: Histogram | FrequencyTable | Records) -> Recoded:
        """The classes; every published one has at least k people. Those of a histogram are searched for once."""
        histogram = as_histogram(source)
        if self not in histogram.derived:
            histogram.derived[self] = self._recoded(histogram)
        found: Recoded = histogram.derived[self]
        return found

    def _recoded(self, histogram: Histogram) -> Recoded:
        if self.k > histogram.n_records:
            raise ParameterError(
                f"must not exceed the number of people, got k = {self.k} for {histogram.n_records} people",
                parameter="k",
            )
        ladders = self.ladders(histogram)
        if self.node is not None:
            return Recoded(histogram, ladders, fixed_levels(ladders, self.node), self.k)
        return Recoded(histogram, ladders, best_node(histogram, ladders, self.k, self.max_suppressed), self.k)

    def ladders(self, histogram: Histogram) -> tuple[Ladder, ...]:
        """The levels to which each quasi-identifier can be generalised."""
        names = self.columns if self.columns is not None else histogram.quasi_identifiers
        for name in (*names, *self.hierarchies):
            one_of("a quasi-identifier", name, histogram.attributes)
        return tuple(
            Ladder.of(name, histogram.levels[axis], name in histogram.ordered, self.hierarchies.get(name))
            for name, axis in zip(names, histogram.axes(names), strict=True)
        )

    def release(self, source: Histogram | FrequencyTable | Records, rng: np.random.Generator) -> Any:
        """A data set in the original space, drawn from the classes."""
        histogram = as_histogram(source)
        released = histogram.released(self.anonymised(histogram).reconstructed_counts(rng))
        if not isinstance(source, Records):
            return released
        cells = np.repeat(np.arange(released.n_cells), np.asarray(released.counts).ravel().astype(np.int64))
        codes = released.codes[cells].astype(np.int32)
        drawn = {
            name: Column(codes[:, histogram.axis(name)], column.levels, column.numbers)
            for name, column in source.columns.items()
        }
        return Records(drawn, source.quasi_identifiers, may_be_empty=True)

    def moments(self, source: Histogram | FrequencyTable | Records) -> CellMoments:
        """Exact bias and variance per cell: the classes are certain, and what is drawn from them has a known law."""
        histogram = as_histogram(source)
        mean, variance = self.anonymised(histogram).reconstruction_law()
        return CellMoments(histogram.masked(mean - histogram.counts), histogram.masked(variance))

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Few people of three values, and nobody or one other person; see :meth:`output_law`."""
        about_k = sorted({0, 1, 2, self.k - 1, self.k, self.k + 1})
        rows = list(itertools.product(about_k, (0, 1, 2)))
        tables: list[Counts] = [((*row, 0), (other, 0, 0)) for row in rows for other in (0, 1)]
        return Enumeration.of_laws(tables, self.output_law, bound if bound is not None else 2 * self.k)

    def output_law(self, table: Counts) -> Distribution:
        """The published classes of a small table, which are certain. What is drawn from them reveals no more."""
        return {self.published_classes(np.array(table)): 1.0}

    def published_classes(self, counts: IntArray) -> Hashable:
        """What is published of a small table of counts; fewer than k people have no classes."""
        if int(counts.sum()) < self.k:
            return ()
        levels = tuple(tuple(str(j) for j in range(size)) for size in counts.shape)
        histogram = Histogram(counts, ("other", "qid"), levels, ("qid",))
        node = None if self.node is None else {"qid": int(any(self.node.values()))}
        plain = FullDomainKAnonymity(self.k, max_suppressed=self.max_suppressed, node=node)
        return tuple(tuple(row.values()) for row in plain.anonymised(histogram).rows())

    @property
    def least_bound(self) -> int:
        """A class has at least k people."""
        return self.k + 1

    def protected(self, histogram: Histogram, rng: np.random.Generator) -> ProtectedTable:
        """The classes of at least k people."""
        anonymous = self.anonymised(histogram)
        levels = {ladder.column: at for ladder, at in zip(anonymous.ladders, anonymous.levels, strict=True)}
        classes = ProtectedTable.of_rows(histogram.attributes, anonymous.rows())
        return replace(classes, generalised=levels, loss=anonymous.loss)

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether nothing is generalised, and what is suppressed."""
        anonymous = self.anonymised(histogram)
        if not any(anonymous.levels) and not anonymous.suppressed:
            return (f"does nothing here: every combination of quasi-identifiers has {self.k} people or more already",)
        remarks = []
        if anonymous.n_classes == 1:
            remarks.append("generalises everybody who is published into one class")
        if anonymous.suppressed:
            share = 100 * anonymous.suppressed / histogram.n_records
            remarks.append(f"leaves out {share:.2g} % of the people, whose class is smaller than {self.k}")
        return tuple(remarks)
