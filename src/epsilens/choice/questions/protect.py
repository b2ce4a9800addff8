"""``protect``: a table as a traditional system would publish it, and the risk that remains in it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.avoidance import GeneralisationHierarchy, Settings
from epsilens.avoidance.audit import Witness, witness
from epsilens.avoidance.catalogue import SYSTEMS, build
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.protected import ProtectedTable
from epsilens.avoidance.system import System
from epsilens.checks import one_of, whole
from epsilens.choice.comparison_checks import refuse_several_rows
from epsilens.choice.system_risks import cells_by_label, shown_by_release, shown_without_protection
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import ShownValue, harm_shown
from epsilens.notebook import one_line
from epsilens.table.domain import Domain
from epsilens.table.frequency import FrequencyTable
from epsilens.table.to_read import TableToRead

SEED_BITS = 128
"""Of a seed that nobody gave: too many to be tried out."""

_SETTING = {
    "k": "k",
    "base": "base",
    "swapped_share": "share",
    "swap": "swap",
    "hierarchies": "hierarchies",
    "max_suppressed": "max_suppressed",
    "node": "node",
}
"""The setting of a system that each part of a question is."""


def plain_systems() -> tuple[str, ...]:
    """The systems that protect without a guarantee."""
    return tuple(name for name, kind in SYSTEMS.items() if not kind.budgeted)


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which system protects the table, with which settings; what is None is left at the default of the settings."""

    system: str
    k: int | None = None
    base: int | None = None
    swapped_share: float | None = None
    swap: Sequence[str] | None = None
    hierarchies: Mapping[str, GeneralisationHierarchy] | None = None
    max_suppressed: float | None = None
    node: Mapping[str, int] | None = None
    ordered: Sequence[str] = ()
    seed: int | None = None
    """None: drawn from the secure source of the operating system."""
    data: TableToRead | None = None

    def __post_init__(self) -> None:
        kind = SYSTEMS[one_of("system", self.system, SYSTEMS if self.system in SYSTEMS else plain_systems())]
        if kind.budgeted:
            raise ParameterError(
                f"must be one without an epsilon, got {self.system!r}: what is published with a budget goes through a "
                "ledger",
                parameter="system",
                remedy="for a guarantee publish noisy counts with epsilens release",
            )
        for name, setting in _SETTING.items():
            if getattr(self, name) not in (None, (), {}) and setting not in kind.reads:
                raise self._idle(name)
        if self.node is not None and self.max_suppressed is not None:
            raise ParameterError(
                "plays no part where `node` fixes the levels; leave it out", parameter="max_suppressed"
            )
        if self.ordered and not kind.sees_order:
            raise self._idle("ordered")
        if self.seed is not None:
            if not kind.draws:
                raise self._idle("seed")
            whole("seed", self.seed, 0)
        build(self.system, 1.0, self.settings)
        if self.data is not None:
            refuse_several_rows(self.data.schema.max_rows_per_unit)
            columns = Domain(self.data.schema.columns, ((),) * len(self.data.schema.columns))
            for parameter, wanted in (("ordered", self.ordered), ("swap", self.swap or ())):
                columns.axes(wanted, parameter)

    def _idle(self, name: str) -> ParameterError:
        return ParameterError(f"plays no part in {self.system}; leave it out", parameter=name)

    @property
    def settings(self) -> Settings:
        """The settings of the system."""
        given = {setting: getattr(self, name) for name, setting in _SETTING.items() if getattr(self, name) is not None}
        if self.swap is not None:
            given["swap"] = tuple(self.swap)
        if "k" not in SYSTEMS[self.system].reads:
            given["k"] = 1  # else few people would be refused for the sake of a threshold that nobody uses
        return Settings(**given)


@dataclass(frozen=True)
class HomogeneousCell:
    """A published cell or class that shows a single sensitive value, and how many people it is true of."""

    cell: Mapping[str, str]
    value: Mapping[str, str]
    people: int
    weight: float = 1.0
    """How much it harms to be shown with the value; 0: not at all."""


@dataclass(frozen=True, eq=False)
class Protection:
    """A protected table, and what is left to learn from it. Only ``table`` and ``record`` are meant to be published.

    ``k`` and ``l`` are those of what is published: the fewest people, and the fewest sensitive values, of a cell or
    class that shows anybody. ``unchanged``: what is published are the true counts.
    """

    name: str
    system: System
    table: ProtectedTable
    settings: dict[str, Any]
    seed: int | None
    people: int
    left_out: int
    risk_before: float
    homogeneous: tuple[HomogeneousCell, ...]
    k: int | None
    l: int | None  # noqa: E741 - as l-diversity has it
    unchanged: bool
    remarks: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    others: tuple[str, ...] = field(default=())
    where: tuple[str, ...] = ()
    """The conditions on rows: a reader would take the table for one of everybody."""
    by_value: tuple[ShownValue, ...] = ()
    """Who is shown as what by the published table, rightly and wrongly, in shares of people."""
    by_value_before: tuple[ShownValue, ...] = ()
    """The same of the table without protection, which shows nobody wrongly."""

    def __repr__(self) -> str:
        return one_line(self, self.name, f"{len(self.table)} lines")

    @property
    def exposed(self) -> int:
        """People in a published cell or class that shows a single sensitive value, and it is theirs."""
        return sum(cell.people for cell in self.homogeneous)

    @property
    def risk(self) -> float:
        """The homogeneity risk that remains: their share, where each counts as much as the value harms."""
        return sum(cell.weight * cell.people for cell in self.homogeneous) / self.people

    @property
    def harmful_exposed(self) -> int:
        """Those of the exposed people who are shown with a harmful value."""
        return sum(cell.people for cell in self.homogeneous if cell.weight > 0)

    @property
    def rose(self) -> bool:
        """Whether protection made the homogeneity risk larger."""
        return self.risk > self.risk_before + 1e-12

    @property
    def about(self) -> str:
        """What the system does, in one line."""
        return SYSTEMS[self.name].about

    @property
    def witness(self) -> Witness | None:
        """Why there is no differential privacy."""
        return witness(self.system)

    @property
    def count_column(self) -> str:
        """The name of the column of counts, which no other column has."""
        name = "count"
        while name in self.table.columns:
            name = f"published_{name}"
        return name

    def record(self) -> dict[str, Any]:
        """What may be published with the table: how it was made, without the seed and without anything about people."""
        found = self.witness
        return {
            "format": "epsilens-protected-table/1",
            "label": "publishable",
            "guarantee": None,
            "statement": "This table carries no guarantee of differential privacy.",
            "why": None if found is None else found.sentence,
            "system": self.name,
            "title": self.system.name,
            "about": self.about,
            "settings": self.settings,
            "quasi_identifiers": list(self.quasi_identifiers),
            "others": list(self.others),
            "where": list(self.where),
            "columns": [*self.table.columns, self.count_column],
            "count": self.count_column,
            "blank": self.table.blank,
            "rows": len(self.table),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, the seed and the risk of the true people included: internal."""
        return self.record() | {
            "format": "epsilens-protected-internal/1",
            "label": "internal",
            "seed": None if self.seed is None else str(self.seed),
            "people": self.people,
            "people_left_out": self.left_out,
            "information_loss": self.table.loss,
            "rows_withheld": self.table.withheld,
            "homogeneity_risk": {"before": self.risk_before, "after": self.risk},
            "people_exposed": self.exposed,
            "harmful_people_exposed": self.harmful_exposed,
            "risk_rose": self.rose,
            "by_value": [value.to_dict() for value in self.by_value],
            "by_value_before": [value.to_dict() for value in self.by_value_before],
            **harm_shown(self.by_value).to_dict(),
            "k": self.k,
            "l": self.l,
            "unchanged": self.unchanged,
            "remarks": list(self.remarks),
            "homogeneous_cells": [
                {"cell": dict(cell.cell), "value": dict(cell.value), "people": cell.people, "weight": cell.weight}
                for cell in self.homogeneous
            ],
        }


def answer(question: Question, table: FrequencyTable | Histogram | None = None) -> Protection:
    """The protected table, of ``table`` or of the one that the question says where to read."""
    if table is None and question.data is None:
        raise ParameterError("there is no table to protect: give one, or say in `data` where it is")
    universe: Mapping[str, Sequence[object]] | None = None
    where: tuple[str, ...] = ()
    if question.data is not None:
        universe, schema = question.data.schema.universe_levels, question.data.schema
        where = tuple(condition.text for condition in (*schema.conditions, *schema.complete))
        table = question.data.read() if table is None else table
    assert table is not None
    if isinstance(table, FrequencyTable):
        refuse_several_rows(table.max_rows_per_unit)
    histogram = table if isinstance(table, Histogram) else Histogram.of(table, universe, question.ordered)
    kind = SYSTEMS[question.system]
    settings = question.settings.for_histogram(histogram)
    system = build(question.system, 1.0, settings)
    seed = None
    if kind.draws:
        seed = secrets.randbits(SEED_BITS) if question.seed is None else question.seed
    published = system.protected(histogram, np.random.default_rng(seed))
    remains = _remaining(system, histogram, published)
    before = shown_without_protection(histogram)
    return Protection(
        name=question.system,
        system=system,
        table=published,
        settings=_described(kind.reads, settings, published, question.ordered),
        seed=seed,
        people=histogram.n_records,
        left_out=0 if published.released is not None else histogram.n_records - int(published.counts.sum()),
        risk_before=before.risk,
        homogeneous=tuple(remains.cells),
        k=remains.k,
        l=remains.l,
        unchanged=published.shows(histogram.counts),
        remarks=system.remarks(histogram),
        quasi_identifiers=histogram.quasi_identifiers,
        others=histogram.others,
        where=where,
        by_value=remains.by_value,
        by_value_before=before.by_value,
    )


def _described(
    reads: Sequence[str], settings: Settings, published: ProtectedTable, ordered: Sequence[str]
) -> dict[str, Any]:
    """The settings that the system depends on, as plain values."""
    described: dict[str, Any] = {}
    for name, setting in _SETTING.items():
        if setting not in reads:
            continue
        value = getattr(settings, setting)
        if setting == "hierarchies":
            value = {column: len(tree.ancestors) - 1 for column, tree in value.items()}
        described[name] = list(value) if isinstance(value, tuple) else value
    if ordered:
        described["ordered"] = list(ordered)
    if published.generalised:
        described["levels"] = dict(published.generalised)
    return described


@dataclass(frozen=True)
class _Remaining:
    cells: list[HomogeneousCell]
    by_value: tuple[ShownValue, ...]
    k: int | None
    l: int | None  # noqa: E741 - as l-diversity has it


def _remaining(system: System, histogram: Histogram, published: ProtectedTable) -> _Remaining:
    """The published cells or classes that show a single sensitive value, and the smallest of all of them."""
    if published.released is None:
        return _of_classes(histogram, published)
    truth = as_floats(histogram.counts)
    visible = cells_by_label(histogram, system.visible(truth, published.released))
    people = cells_by_label(histogram, np.asarray(histogram.counts, dtype=np.int64))
    shown = np.asarray(visible.any(axis=1))
    sizes = np.where(visible, cells_by_label(histogram, published.released), 0.0).sum(axis=1)
    alone = shown & (visible.sum(axis=1) == 1)
    label = visible.argmax(axis=1)
    cells = [
        HomogeneousCell(
            _text(histogram, histogram.quasi_identifiers, int(i)),
            _text(histogram, histogram.others, int(label[i])),
            int(people[i, label[i]]),
            float(histogram.label_weights[label[i]]),
        )
        for i in np.flatnonzero(alone & (np.take_along_axis(people, label[:, None], axis=1)[:, 0] > 0))
    ]
    by_value = shown_by_release(system, histogram, published.released).by_value
    return _Remaining(cells, by_value, *_smallest(as_floats(sizes), visible.sum(axis=1), shown))


def _of_classes(histogram: Histogram, published: ProtectedTable) -> _Remaining:
    own = [published.columns.index(name) for name in histogram.quasi_identifiers]
    other = [published.columns.index(name) for name in histogram.others]
    _, class_of = np.unique(published.codes[:, own], axis=0, return_inverse=True)
    class_of = class_of.ravel()
    sizes, values = np.bincount(class_of, weights=published.counts), np.bincount(class_of)
    weights = dict(zip(histogram.label_values, histogram.label_weights.tolist(), strict=True))
    shown = dict.fromkeys(weights, 0)
    cells = []
    for row in np.flatnonzero(values[class_of] == 1).tolist():
        value, people = _named(published, row, other), int(published.counts[row])
        label = tuple(value[name] for name in histogram.others)
        shown[label] += people
        cells.append(HomogeneousCell(_named(published, row, own), value, people, weights[label]))
    by_value = tuple(  # a class shows what its people have, so nobody is shown wrongly
        ShownValue(" | ".join(label), weights[label], people / histogram.n_records, 0.0)
        for label, people in shown.items()
    )
    return _Remaining(cells, by_value, *_smallest(as_floats(sizes), values, np.ones(len(sizes), dtype=bool)))


def _smallest(sizes: FloatArray, values: IntArray, shown: BoolArray) -> tuple[int | None, int | None]:
    """The fewest people and values of what is shown; None where nothing is."""
    return (int(sizes[shown].min()), int(values[shown].min())) if shown.any() else (None, None)


def _named(published: ProtectedTable, row: int, places: Sequence[int]) -> dict[str, str]:
    return {published.columns[j]: published.levels[j][int(published.codes[row, j])] for j in places}


def _text(histogram: Histogram, names: Sequence[str], flat: int) -> dict[str, str]:
    """The values of a combination of some attributes."""
    axes = histogram.axes(names)
    codes = np.unravel_index(flat, [histogram.counts.shape[axis] for axis in axes]) if axes else ()
    return {name: histogram.levels[axis][int(code)] for name, axis, code in zip(names, axes, codes, strict=True)}
