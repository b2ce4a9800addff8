"""k-anonymity by Mondrian, and its randomised version on a sample of the records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee, believed, refuse_other_epsilon
from epsilens.avoidance.binomial import more_than
from epsilens.avoidance.enumeration import AUDIT_NEIGHBOURS, AuditNeighbours, Counts, Enumeration
from epsilens.avoidance.generalised import Generalised
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.mondrian import SplitColumn, frequency_orders, mondrian_classes
from epsilens.avoidance.protected import ProtectedTable
from epsilens.avoidance.records import Column, Records
from epsilens.avoidance.system import CellMoments, as_histogram
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.checks import one_of, positive, whole
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise.divergence import Distribution
from epsilens.table.frequency import FrequencyTable

stats = LaterModule("scipy.stats")

_TOGETHER = 1_000_000  # rows of samples that are partitioned together


@dataclass(frozen=True)
class KAnonymity(WithoutGuarantee, UsualAnswers):
    """k-anonymity of the quasi-identifiers ``columns`` (all of the source's, unless named), by Mondrian.

    ``strict`` keeps people with equal values together; relaxed partitioning may part them. ``hierarchies`` give a
    categorical column's generalisation tree; without one its values are grouped freely. :meth:`release` draws a data
    set in the original space from the classes; :meth:`anonymised` gives the classes. The people of a class land
    together, so labels are not shown independently. Delta is 1: a value that one person alone has is in the published
    set or not, and large classes show it surely.

    Source: P2 Definition 4 and Algorithm 5.
    """

    k: int
    columns: tuple[str, ...] | None = None
    strict: bool = True
    hierarchies: Mapping[str, GeneralisationHierarchy] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1))
        if self.columns is not None:
            if not self.columns:
                raise ParameterError("must name at least one quasi-identifier to generalise", parameter="columns")
            object.__setattr__(self, "columns", tuple(self.columns))

    @property
    def name(self) -> str:
        """The system and its kind of partitioning."""
        return f"k-anonymity ({'strict' if self.strict else 'relaxed'} Mondrian)"

    def anonymised(self, source: Histogram | FrequencyTable | Records) -> Generalised:
        """The classes; every one has at least k people. Nothing is drawn: those of a histogram are found once."""
        if not isinstance(source, Histogram):
            return self._classes(source)
        if self not in source.derived:
            source.derived[self] = self._classes(source)
        found: Generalised = source.derived[self]
        return found

    def _classes(self, source: Histogram | FrequencyTable | Records) -> Generalised:
        records, weights = _rows_with_weights(source, expand=not self.strict)
        people = int(weights.sum())
        if self.k > people:
            raise _too_few_people(self.k, people)
        return self._partitioned(records, weights, np.array([len(weights)], dtype=np.int64))

    def classes_of_cells(
        self, histogram: Histogram, cells: IntArray, people: IntArray, tables: IntArray
    ) -> Generalised:
        """The classes of several tables at once, each of which has ``people`` in some ``cells`` of ``histogram``.

        The cells stand table by table, of the lengths ``tables``; no class has people of two tables.
        """
        return self._partitioned(_records_of_cells(histogram, cells), people, tables)

    def _partitioned(self, records: Records, weights: IntArray, tables: IntArray) -> Generalised:
        names = self.columns if self.columns is not None else records.quasi_identifiers
        for name in (*names, *self.hierarchies):
            one_of("a quasi-identifier", name, tuple(records.columns))
        split = [
            _split_column(name, records.columns[name], self.hierarchies.get(name), weights, tables) for name in names
        ]
        classes = mondrian_classes(split, self.k, self.strict, weights, tables)
        return Generalised(
            records,
            names,
            classes,
            weights,
            {name: self.hierarchies[name] for name in names if name in self.hierarchies},
        )

    def release(self, source: Histogram | FrequencyTable | Records, rng: np.random.Generator) -> Any:
        """A data set in the original space, drawn from the classes."""
        if isinstance(source, Records):
            return self.anonymised(source).reconstructed(rng)
        histogram = as_histogram(source)
        return histogram.released(self.anonymised(histogram).reconstructed_counts(histogram, rng))

    def moments(self, source: Histogram | FrequencyTable | Records) -> CellMoments:
        """Exact bias and variance per cell: the classes are certain, and what is drawn from them has a known law."""
        histogram = as_histogram(source)
        mean, variance = self.anonymised(histogram).reconstruction_law(histogram)
        return CellMoments(histogram.masked(mean - histogram.counts), histogram.masked(variance))

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Three quasi-identifiers and few people, or about k of them; see :meth:`output_law`."""
        few = _enumeration(self, bound)
        about_k = [((self.k + a, b, 0), (other, 0, 0)) for a in (-1, 0, 1) for b in (0, 1, 2) for other in (0, 1)]
        return Enumeration.of_laws([*dict.fromkeys([*few.tables, *about_k])], self.output_law, few.bound)

    def output_law(self, table: Counts) -> Distribution:
        """The published classes of a small table, which are certain. What is drawn from them reveals no more."""
        return {self.published_classes(np.array(table)): 1.0}

    def published_classes(self, counts: IntArray) -> Hashable:
        """What is published of a small table of counts; fewer than k people have no classes.

        Its column is not one of the source's, so that columns and trees that were named play no part.
        """
        if int(counts.sum()) < self.k:
            return ()
        levels = tuple(tuple(str(j) for j in range(size)) for size in counts.shape)
        anonymous = KAnonymity(self.k, strict=self.strict).anonymised(
            Histogram(counts, ("other", "qid"), levels, ("qid",))
        )
        return tuple(sorted(tuple(row.values()) for row in anonymous.rows()))

    @property
    def least_bound(self) -> int:
        """A class has at least k people."""
        return self.k + 1

    def protected(self, histogram: Histogram, rng: np.random.Generator) -> ProtectedTable:
        """The classes, in the order of their names: the order in which they were cut says something about people."""
        rows = sorted(self.anonymised(histogram).rows(), key=lambda row: [str(row[name]) for name in row])
        return ProtectedTable.of_rows(histogram.attributes, rows)

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether nothing is generalised."""
        return ("does nothing here: a class of one person is as detailed as the data",) if self.k == 1 else ()


@dataclass(frozen=True)
class DPKAnonymity(UsualAnswers):
    """k-anonymity of a sample: every record is kept with probability beta = 1 - e^-epsilon, then :class:`KAnonymity`.

    A sample of fewer than k people publishes nothing. Counts are those of the sample and are not scaled up. The classes
    depend on the sample, so that bias and variance have no closed form.

    Source: P2 Algorithm 6.
    """

    k: int
    epsilon: float
    columns: tuple[str, ...] | None = None
    strict: bool = True
    hierarchies: Mapping[str, GeneralisationHierarchy] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "k", self.plain.k)
        object.__setattr__(self, "columns", self.plain.columns)

    @property
    def plain(self) -> KAnonymity:
        """What is done to the sample."""
        return KAnonymity(self.k, self.columns, self.strict, self.hierarchies)

    @property
    def beta(self) -> float:
        """The share of records that are kept."""
        return published.sampling_probability(self.epsilon)

    @property
    def name(self) -> str:
        """The system and its kind of partitioning."""
        return f"DP {self.plain.name}"

    def release(self, source: Histogram | FrequencyTable | Records, rng: np.random.Generator) -> Any:
        """A data set in the original space, drawn from the classes of a sample."""
        if isinstance(source, Records):
            self._refuse_few(len(source))
            kept = rng.random(len(source)) < self.beta
            if int(kept.sum()) < self.k:
                return source.rows_where(np.zeros(len(source), dtype=bool))
            return self.plain.release(source.rows_where(kept), rng)
        histogram = as_histogram(source)
        self._refuse_few(histogram.n_records)
        sample = rng.binomial(histogram.counts.astype(np.int64), self.beta)
        if int(sample.sum()) < self.k:
            return histogram.released(np.zeros(histogram.counts.shape))
        sampled = histogram.released(sample)
        return histogram.released(self.plain._classes(sampled).reconstructed_counts(histogram, rng))

    def releases(self, histogram: Histogram, rng: np.random.Generator, number: int) -> Iterator[Histogram]:
        """So many times :meth:`release`, with the same random numbers: the samples are partitioned together."""
        self._refuse_few(histogram.n_records)
        counts = histogram.counts.astype(np.int64)
        several = max(1, _TOGETHER // max(1, int(np.count_nonzero(counts)))) if self.strict else 1
        for first in range(0, number, several):
            yield from self._some_releases(histogram, counts, rng, min(several, number - first))

    def _some_releases(
        self, histogram: Histogram, counts: IntArray, rng: np.random.Generator, number: int
    ) -> Iterator[Histogram]:
        if number == 1:
            yield self.release(histogram, rng)
            return
        plain, drawn, samples = self.plain, list[dict[str, FloatArray]](), list[IntArray]()
        whole = plain.anonymised(histogram)  # says which columns are intervals
        for _ in range(number):
            sample = rng.binomial(counts, self.beta)
            enough = int(sample.sum()) >= self.k
            samples.append(sample.ravel() if enough else np.zeros(counts.size, dtype=np.int64))
            drawn.append(whole.variates(histogram, int(samples[-1].sum()), rng) if enough else {})
        told = [i for i, variates in enumerate(drawn) if variates]
        found = np.zeros((number, histogram.n_cells))
        if told:
            stacked = np.stack([samples[i] for i in told])
            table_of, cells = np.nonzero(stacked)
            weights = stacked[table_of, cells]
            classes = plain.classes_of_cells(histogram, cells, weights, np.bincount(table_of))
            given = {name: np.concatenate([drawn[i][name] for i in told]) for name in drawn[told[0]]}
            places = classes.cells_of_people(histogram, given) + np.repeat(table_of, weights) * histogram.n_cells
            found[told] = np.bincount(places, minlength=len(told) * histogram.n_cells).reshape(len(told), -1)
        for released in found:
            yield histogram.released(released)

    def _refuse_few(self, people: int) -> None:
        if self.k > people:
            raise _too_few_people(self.k, people)

    def merge_bias(self, source: Histogram | FrequencyTable | Records) -> FloatArray:
        """How much likelier sampling makes it that a cell has fewer than k people; see ``published.merge_bias``."""
        return published.merge_bias(as_histogram(source).counts, self.k, self.beta)

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray:
        """That of the sample itself, which is at least that of anything made from it.

        The adversary sees how many of the x (or x - 1) people of the cell were sampled. The binomial chances of l of
        them are as x (1 - beta) to x - l with and without the person, so that a larger l is believed more: the
        expectation of a rising f over L is f(0) + sum_l (f(l + 1) - f(l)) P(L > l), which has no term below 0.
        """
        x = np.asarray(counts, dtype=np.int64)
        each, back = np.unique(x, return_inverse=True)
        return np.array([self._sampled_posterior(int(count), prior) for count in each])[back].reshape(x.shape)

    def _sampled_posterior(self, x: int, prior: float) -> float:
        fewer = np.arange(x)
        present = np.full(x, x * math.exp(-self.epsilon))
        belief = np.append(believed(present, as_floats(x - fewer), prior), 1.0 if x and prior else prior)
        return float(belief[0] + np.diff(belief) @ more_than(fewer, x, self.beta))

    @property
    def least_bound(self) -> int:
        """A class has at least k people."""
        return self.k + 1

    def published_delta(self, bound: int | None = None) -> float | None:
        """The printed delta, which needs the largest possible count; see ``published.k_anonymity_delta``."""
        if bound is None:
            raise ParameterError("the published delta of DP k-anonymity needs `bound`, the largest possible count")
        return published.k_anonymity_delta(self.epsilon, bound)

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """Beta at every epsilon: the least delta that holds for all tables.

        A person who is not sampled leaves no trace, so delta <= beta; a person with a value of their own who is
        sampled can be seen in large classes all but surely, so nothing smaller will do. Symbols: beta = 1 - e^-epsilon
        is ``beta``.

        Source: P2 Theorem 5.
        Departs from print (P2-4): print's bound is larger than this trivial one.
        """
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        refuse_other_epsilon(self, epsilon)
        return self.beta

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Three quasi-identifiers and few people; see :meth:`output_law`."""
        return _enumeration(self, bound)

    def output_law(self, table: Counts) -> Distribution:
        """The law of the published classes of a small table, over all samples."""
        counts = np.array(table)
        law: dict[Hashable, float] = {}
        for sample in itertools.product(*(range(count + 1) for count in counts.ravel())):
            mass = float(np.prod(stats.binom.pmf(sample, counts.ravel(), self.beta)))
            output = self.plain.published_classes(np.array(sample).reshape(counts.shape))
            law[output] = law.get(output, 0.0) + mass
        return law


def _enumeration(system: KAnonymity | DPKAnonymity, bound: int | None) -> Enumeration:
    rows = [row for row in itertools.product(range(3), repeat=3) if sum(row) <= 4]
    tables: list[Counts] = [(row, (0, 0, 0)) for row in rows] + [((0, 0, 0), row) for row in rows if sum(row)]
    return Enumeration.of_laws(tables, system.output_law, bound if bound is not None else 2 * system.k)


def _too_few_people(k: int, people: int) -> ParameterError:
    return ParameterError(f"must not exceed the number of people, got k = {k} for {people} people", parameter="k")


def _rows_with_weights(source: Histogram | FrequencyTable | Records, expand: bool) -> tuple[Records, IntArray]:
    """Rows to partition: people, or the occupied cells of a histogram with how many people each holds."""
    if isinstance(source, Records):
        return source, np.ones(len(source), dtype=np.int64)
    histogram = as_histogram(source)
    if expand:  # relaxed partitioning may part the people of a cell
        records = Records.from_histogram(histogram)
        return records, np.ones(len(records), dtype=np.int64)
    counts = histogram.counts.ravel().astype(np.int64)
    occupied = np.flatnonzero(counts)
    if not len(occupied):
        raise DataError("all cells are empty; there are no records")
    return _records_of_cells(histogram, occupied), counts[occupied]


def _records_of_cells(histogram: Histogram, cells: IntArray) -> Records:
    """A row for each of the cells."""
    codes = np.unravel_index(cells, histogram.counts.shape)
    return Records(
        {
            name: Column(
                codes[axis].astype(np.int32),
                histogram.levels[axis],
                np.arange(len(histogram.levels[axis]), dtype=np.float64) if name in histogram.ordered else None,
            )
            for axis, name in enumerate(histogram.attributes)
        },
        histogram.quasi_identifiers,
    )


def _split_column(
    name: str, column: Column, hierarchy: GeneralisationHierarchy | None, weights: IntArray, tables: IntArray
) -> SplitColumn:
    if hierarchy is not None:
        leaves = hierarchy.leaf_positions(column.levels, name)
        return SplitColumn(leaves[column.codes].astype(np.int32), len(hierarchy.leaves), None, hierarchy)
    if column.numbers is not None:
        return SplitColumn(column.codes, len(column.levels), column.numbers)
    n_levels = len(column.levels)
    table_of = np.repeat(np.arange(len(tables)), tables)
    rank = frequency_orders(column.codes, n_levels, weights, table_of, len(tables))
    return SplitColumn(rank[table_of, column.codes].astype(np.int32), n_levels)
