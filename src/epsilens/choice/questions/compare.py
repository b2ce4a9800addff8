"""``compare``: disclosure avoidance systems side by side on one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from epsilens.avoidance import SYSTEMS, GeneralisationHierarchy, chosen_systems
from epsilens.checks import one_of
from epsilens.choice.choose.equal_risk import RiskCeiling
from epsilens.choice.comparison import Comparison, compare, task_count
from epsilens.choice.comparison_checks import (
    check_numbers,
    refuse_no_epsilon,
    refuse_several_rows,
    refuse_theorems_at_equal_risk,
    several,
)
from epsilens.choice.comparison_entries import refuse_unread
from epsilens.errors import ParameterError, SourceError
from epsilens.table.domain import Domain
from epsilens.table.frequency import FrequencyTable
from epsilens.table.json_files import read_json
from epsilens.table.to_read import TableToRead

DEFAULT_EPSILONS = (0.5, 1.0, 2.0, 4.0)
AXES = {"epsilon": "epsilon", "k": "k", "share": "swapped_share", "base": "base"}
"""What a criterion may be drawn over, and the column of a comparison that it is."""


READ_AS = {
    "k": ("k",),
    "swapped_share": ("share",),
    "base": ("base",),
    "swap": ("swap",),
    "hierarchies": ("hierarchies",),
    "ordered": ("share", "hierarchies"),
    "bound": ("k", "base"),
}
"""Settings that not every system depends on, and what systems that do call them."""
OF_THEOREMS = ("epsilon", "k", "swap", "bound")
"""What theorems depend on, whatever the systems."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which systems, compared at which epsilons, or at which risk. ``data`` says where the table is, unless given."""

    systems: str | Sequence[str] = "all"
    epsilons: Sequence[float] | None = None
    """None: :data:`DEFAULT_EPSILONS`, or each system's own where ``equal_risk`` is asked for."""
    equal_risk: RiskCeiling | str | None = None
    """A risk that every system keeps, or a text such as ``homogeneity=0.1``."""
    repetitions: int = 200
    k: int | Sequence[int] = 6
    ordered: Sequence[str] = ()
    swap: Sequence[str] | None = None
    swapped_share: float | Sequence[float] = 0.1
    base: int | Sequence[int] = 5
    bound: int | None = None
    """The largest count that is possible; None: the largest that is in the table."""
    hierarchies: Mapping[str, GeneralisationHierarchy] = field(default_factory=dict)
    group: str | None = None
    prior: float = 0.5
    classify: bool | None = None
    """False leaves out the classifier."""
    with_audit: bool = False
    with_theorems: bool = False
    seed: int = 2026
    n_jobs: int = 1
    given: Sequence[str] = ()
    """Which of :data:`READ_AS` were chosen and not left at their defaults: those that are ignored are named."""
    data: TableToRead | None = None

    def __post_init__(self) -> None:
        names = self.names
        check_numbers(
            self.epsilons or (), self.repetitions, self.k, self.swapped_share,
            self.prior, self.seed, self.n_jobs, self.base, self.bound,
        )  # fmt: skip
        refuse_unread(names, self.values)
        if self.ceiling is not None and self.with_theorems:
            refuse_theorems_at_equal_risk()
        if self.ceiling is not None and self.epsilons is not None:
            raise ParameterError("looks for each system's epsilon itself; leave out `epsilon`", parameter="equal_risk")
        if self.ceiling is None:
            for name in names:
                refuse_no_epsilon(name, self.budgets)
        if self.data is not None:
            refuse_several_rows(self.data.schema.max_rows_per_unit)
            columns = Domain(self.data.schema.columns, ((),) * len(self.data.schema.columns))
            for parameter, wanted in (("ordered", self.ordered), ("swap", self.swap or ()), ("group", self._grouped)):
                columns.axes(wanted, parameter)

    @property
    def _grouped(self) -> tuple[str, ...]:
        return () if self.group is None else (self.group,)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, each by its name."""
        return chosen_systems(self.systems)

    @property
    def values(self) -> dict[str, tuple[float, ...]]:
        """Each setting that may have several values, with those that it has."""
        return {"k": several(self.k), "share": several(self.swapped_share), "base": several(self.base)}

    @property
    def budgets(self) -> tuple[float, ...]:
        """The epsilons at which systems are compared, where no risk is held equal."""
        return DEFAULT_EPSILONS if self.epsilons is None else tuple(self.epsilons)

    @property
    def ceiling(self) -> RiskCeiling | None:
        """The risk to hold equal."""
        return RiskCeiling.parse(self.equal_risk, self.prior) if isinstance(self.equal_risk, str) else self.equal_risk

    @property
    def ignored(self) -> tuple[str, ...]:
        """Settings that were given and that nothing in the answer depends on."""
        chosen = [SYSTEMS[name] for name in self.names]
        unread = [name for name in self.given if not any(set(READ_AS[name]) & set(kind.reads) for kind in chosen)]
        if self.epsilons is not None and not any(kind.budgeted for kind in chosen):
            unread.insert(0, "epsilon")
        return tuple(name for name in unread if not (self.with_theorems and name in OF_THEOREMS))

    @property
    def steps(self) -> int:
        """How often :func:`answer` calls ``progress``, at most."""
        at_risk = self.ceiling is not None
        return task_count(self.names, self.budgets, self.repetitions, at_risk, self.k, self.swapped_share, self.base)


def answer(
    question: Question, table: FrequencyTable | None = None, progress: Callable[[int], None] | None = None
) -> Comparison:
    """The comparison on ``table``, or on the table that the question says where to read."""
    if table is None and question.data is None:
        raise ParameterError("there is no table to compare systems on: give one, or say in `data` where it is")
    universe: Mapping[str, Sequence[object]] | None = None
    if question.data is not None:
        universe = question.data.schema.universe_levels
        table = question.data.read() if table is None else table
    assert table is not None
    found = compare(
        table,
        question.names,
        question.budgets,
        question.repetitions,
        k=question.k,
        universe=universe,
        ordered=question.ordered,
        swap=question.swap,
        swapped_share=question.swapped_share,
        base=question.base,
        bound=question.bound,
        hierarchies=question.hierarchies,
        group=question.group,
        equal_risk=question.ceiling,
        prior=question.prior,
        classify=question.classify,
        with_audit=question.with_audit,
        with_theorems=question.with_theorems,
        seed=question.seed,
        n_jobs=question.n_jobs,
        progress=progress,
    )
    ignored = list(question.ignored)
    return replace(found, settings=found.settings | {"ignored": ignored}) if ignored else found


def check_axis(axis: str, question: Question) -> str:
    """The axis, refused where the systems of the question have fewer than two different values of it."""
    column = AXES[one_of("axis", axis, AXES)]
    if axis == "epsilon":
        if question.ceiling is not None:
            raise ParameterError(
                "must not be epsilon where a risk is held equal: each system has its own", parameter="axis"
            )
        listed = question.budgets if any(SYSTEMS[name].budgeted for name in question.names) else ()
    else:
        read = any(axis in SYSTEMS[name].reads for name in question.names)
        listed = question.values[axis] if read else ()
    if len(set(listed)) < 2:
        raise ParameterError(
            f"needs a system that depends on {axis}, at two values or more",
            parameter="axis",
            got=axis,
            remedy=f"list them in `{column}`",
        )
    return axis


def read_hierarchy(column: str, path: str | os.PathLike[str]) -> GeneralisationHierarchy:
    """The generalisation tree of a column, from a JSON file {child: parent}."""
    parents: dict[str, Any] = read_json(path, "hierarchy", dict, '{"child": "parent", ...}')
    if not all(isinstance(parent, str) for parent in parents.values()):
        raise SourceError(f"the hierarchy {os.fspath(path)!r} must map every child to its parent")
    return GeneralisationHierarchy.from_parents(parents, column)
