"""What may be asked about a table: budgets, measures, averages, how it is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from epsilens.budget import Budget
from epsilens.checks import one_of, probability, whole
from epsilens.choice.population_risks import check_sample
from epsilens.choice.publishing import BudgetOf, Publish, checked_publish
from epsilens.choice.questions.axes import (
    AVERAGES,
    DEFAULT_DELTAS,
    DEFAULT_EPSILONS,
    check_axis,
)
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.measures import MEASURES, measures_named
from epsilens.homogeneity.models.fits import check_size_fit
from epsilens.noise import MECHANISMS, calibrate
from epsilens.noise.mechanisms import refuse_needless_delta
from epsilens.table.to_read import TableToRead


@dataclass(frozen=True)
class Question:
    """What to assess: mechanisms x epsilons x deltas, measures, and how to average.

    ``delta`` is the one of ``deltas``, and ``weighted`` says whether the first of ``weightings`` is over people: give
    one or several.
    """

    mechanisms: tuple[str, ...] = ("laplace",)
    epsilons: tuple[float, ...] = ()
    delta: float | None = None
    measures: tuple[str, ...] = ("local",)
    match: str | None = None  # each measure's own default: a cell for local and its kin, a person for hard and soft
    size_model: str | None = None
    size_fit: str | None = None
    alpha: str | tuple[float, ...] | None = None
    weighted: bool = True
    neighbours: str = "add-remove"
    repeats: int = 0  # of a simulation beside the exact risks
    seed: int = 2026
    scenarios: bool = False  # whether to say what becomes of a cell, by P0's eight scenarios
    riskiest: int = 0  # how many of the riskiest cells to list
    data: TableToRead | None = None
    """Where the table is, unless it is given."""
    deltas: tuple[float, ...] = ()
    weightings: tuple[str, ...] = ()
    """Averages over ``people``, over ``cells``, or over both in turn."""
    axis: str = "epsilon"
    """What curves run along: epsilon (one per delta), delta (one per epsilon), or both, which makes a surface."""
    epsilon_range: tuple[float, float] | None = None
    delta_range: tuple[float, float] | None = None
    """Where curves begin and end."""
    knee: bool = False
    """Whether to look for the epsilon at which each risk starts to rise faster."""
    publish: Publish | None = None
    """Several sensitive attributes: one joint table or separate ones; None: each in its own, all in a joint one."""
    budget_of: BudgetOf | None = None
    """Of separate tables: the budget is that of each, the default, or of all together."""
    sampling_fraction: float | None = None
    """Where the table is a sample: the share of the population that is in it."""
    weight: str | None = None
    """Where the table is a sample and was read with survey weights: their column."""

    def __post_init__(self) -> None:
        self._settle_several()
        for name, values in (("mechanism", self.mechanisms), ("measure", self.measures)):
            if not values:
                raise ParameterError(f"name at least one {name}")
        for mechanism in self.mechanisms:
            one_of("mechanism", mechanism, MECHANISMS)
        check_axis(self)
        if self.deltas:
            for delta in self.deltas:
                probability("delta", delta)
            refuse_needless_delta(self.mechanisms)
        for mechanism in self.mechanisms:
            for epsilon in self.epsilons:  # a budget that cannot be honoured must fail before any data is read
                for each in self.deltas_of(mechanism):
                    calibrate(mechanism, MECHANISMS[mechanism].budget(epsilon, each), self.neighbours)
            self.budgets(mechanism, DEFAULT_EPSILONS)
        object.__setattr__(self, "measures", measures_named(self.measures))
        check_size_fit(self.size_model or "poisson", self.size_fit)
        if self.match is not None:
            one_of("match", self.match, get_args(Match))
        if not self.is_sample:  # the law of the rest of a population takes it too
            self._refuse_idle("alpha", "the shrinkage measures", "shrinkage")
        self._refuse_idle("size_model", "the marginal measures", "marginal")
        self._refuse_idle("size_fit", "the marginal measures", "marginal")
        if whole("riskiest", self.riskiest, 0):
            self.check_cells()
        if not self.repeats:  # a simulation takes it too
            self._refuse_idle("match", "measures of what a cell shows", "local")
        whole("seed", self.seed, 0)
        self._check_publishing()
        if self.repeats:
            whole("repeats", self.repeats, 2, "that many make a standard error")

    def _settle_several(self) -> None:
        """Make one and several mean the same; both of them, and different, are refused."""
        if self.delta is not None and self.deltas not in ((), (self.delta,)):
            raise ParameterError("is given beside `deltas`; give one of the two", parameter="delta")
        deltas = tuple(dict.fromkeys(self.deltas or (() if self.delta is None else (self.delta,))))
        if not deltas and self.axis in ("delta", "both"):
            deltas = DEFAULT_DELTAS
        for weighting in self.weightings:
            one_of("weighting", weighting, AVERAGES)
        if self.weightings and not self.weighted and self.weightings[0] != "cells":
            raise ParameterError("says how to average already; leave out `unweighted`", parameter="weighting")
        weightings = tuple(dict.fromkeys(self.weightings)) or (AVERAGES[0] if self.weighted else AVERAGES[1],)
        for name, value in (
            ("deltas", deltas),
            ("delta", deltas[0] if len(deltas) == 1 else None),
            ("weightings", weightings),
            ("weighted", weightings[0] == "people"),
        ):
            object.__setattr__(self, name, value)

    def _check_publishing(self) -> None:
        """Refuse what is not known of attributes in a joint table, or of their combination in separate ones."""
        attributes = None if self.data is None else len(self.data.schema.sensitive_columns)
        checked_publish(self.publish, self.budget_of, attributes)
        if self.budget_of is not None and self.publish != "separate":
            raise ParameterError(
                "is about several tables; add `publish=separate`, or leave it out", parameter="budget_of"
            )
        if self.publish is None:
            return
        for measure in self.measures:
            if self.publish == "joint" and not MEASURES[measure].by_attribute:
                known = " and ".join(repr(name) for name, one in MEASURES.items() if one.by_attribute)
                raise ParameterError(
                    f"`publish=joint` is known for measure {known} only: a value is hidden there where all its "
                    f"combinations are; measure {measure!r} is of tables with one attribute"
                )
        if self.repeats:
            raise ParameterError("a simulation is of one table at a time; leave out `publish`, or `repeats`")
        if self.scenarios:
            raise ParameterError("are those of one table at a time; leave out `publish`", parameter="scenarios")

    def _refuse_idle(self, option: str, whose: str, example: str) -> None:
        """Refuse an option that none of the measures takes: it would be ignored."""
        if getattr(self, option) is not None and not any(option in MEASURES[name].options for name in self.measures):
            raise ParameterError(f"belongs to {whose}: add `measure={example}`, or leave it out", parameter=option)

    @property
    def is_sample(self) -> bool:
        """Whether a population is asked about of which the table is a sample."""
        return check_sample(self.sampling_fraction, self.weight, self.data, self.measures, self.match, self.publish)

    @property
    def by_cell(self) -> tuple[str, ...]:
        """The measures that have a risk for every cell, and not one for the whole table."""
        return tuple(name for name in self.measures if not MEASURES[name].one_risk)

    def check_cells(self) -> None:
        """Refuse to list cells where every measure has a single risk, or where it is not clear of which table."""
        if self.publish is not None:
            raise ParameterError("are those of one table at a time; leave out `publish`", parameter="cells")
        if not self.by_cell:
            raise ParameterError(
                f"{self.measures[0]} is one risk for the whole table, so no cell is riskier than another",
                remedy="add a measure that has a risk for each cell, such as `measure=local`",
            )

    def options(self, measure: str) -> dict[str, Any]:
        """Those options that this measure takes."""
        given = {"match": self.match, "size_model": self.size_model, "size_fit": self.size_fit, "alpha": self.alpha}
        takes = MEASURES[measure].options
        return {name: value for name, value in given.items() if name in takes and value is not None}

    def deltas_of(self, mechanism: str) -> tuple[float | None, ...]:
        """The deltas that go with the mechanism: one that has none is asked for once."""
        return (self.deltas or (None,)) if MECHANISMS[mechanism].has_delta else (None,)

    def budgets(self, mechanism: str, epsilons: Sequence[float]) -> list[Budget]:
        """The budgets of those epsilons that the mechanism can honour, delta by delta."""
        return [
            MECHANISMS[mechanism].budget(epsilon, delta)
            for delta in self.deltas_of(mechanism)
            for epsilon in epsilons
            if epsilon < MECHANISMS[mechanism].below
        ]
