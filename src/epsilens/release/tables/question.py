"""A release of tables of counts, asked for: what is counted, with which noise, as which tables, on which terms.

The question is frozen and made without the data: what can be refused without them is refused at construction.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from epsilens.budget import Budget
from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError, counted
from epsilens.release.tables.declarations import released_columns, schema_with_public_levels
from epsilens.release.tables.plan import Plan, make_plan
from epsilens.release.tables.postprocessing import Choices
from epsilens.release.tables.tree import GrownTree, OrderedTree
from epsilens.release.terms import Output, Payment, Person
from epsilens.release.universe import Paths
from epsilens.table import FrequencyTable, Schema


@dataclass(frozen=True, eq=False)
class Counting:
    """What is counted: columns and their levels, all of which are public, and where in the source they are."""

    schema: Schema | None
    """Nothing for a table of counts made by hand; its ``columns`` are then given."""
    columns: tuple[str, ...] = ()
    paths: Paths | None = None
    cells_are_public: bool = False
    threshold_delta: float | None = None
    count: str | None = None
    """The count column, where the source is a table of counts."""
    table: str | None = None
    """The table to read, where the source is a database."""
    public: Schema | None = field(init=False)
    """The schema with every level that is public without looking at the data."""

    def __post_init__(self) -> None:
        if self.schema is not None:
            object.__setattr__(self, "columns", self.schema.columns)
        if not self.columns:
            raise ParameterError(
                "a release needs a `schema` that says which columns to count and what their levels are"
            )
        public = schema_with_public_levels(self.schema, self.paths, self.cells_are_public, self.threshold_delta)
        object.__setattr__(self, "public", public)

    def person(self, one_row_per_person: bool, neighbours: Any) -> Person:
        """The people counted: those whom the schema's unit names, or one per row by declaration."""
        if self.schema is None:
            return Person(None, 1, one_row_per_person, neighbours)
        return Person(self.schema.unit, self.schema.max_rows_per_unit, one_row_per_person, neighbours)


@dataclass(frozen=True)
class Spending:
    """Which noise is drawn, and the budget it may spend."""

    mechanism: str = "discrete-laplace"
    budget: Budget | None = None
    allow_continuous: bool = False


@dataclass(frozen=True)
class Wanted:
    """Which tables are published, the whole one by default, and how they share the budget.

    ``levels`` are columns that nest, lowest first, and give a table for each; ``hierarchy`` is the older way to say the
    same, coarsest first. A ``tree`` over the ordered levels of one column gives a table for each depth, root first.
    """

    marginals: Sequence[Sequence[str]] | None = None
    levels: Sequence[str] | None = None
    hierarchy: Sequence[str] | None = None
    shares: Sequence[float] | None = None
    tree: OrderedTree | None = None

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.marginals, self.levels, self.hierarchy)) > 1:
            raise ParameterError("give only one of `marginals`, `levels` and `hierarchy`")
        if self.tree is not None and (self.marginals, self.levels, self.hierarchy) != (None, None, None):
            raise ParameterError(
                "says which tables there are",
                parameter="tree",
                remedy="leave out `marginals`, `levels` and `hierarchy`",
            )

    def tables(self, columns: Sequence[str], paths: Paths | None = None) -> Sequence[Sequence[str]] | None:
        """The columns of each table, among ``columns``; nothing where the whole table is wanted.

        ``paths`` are what the universe declares of columns that nest: levels in the wrong order are refused by it.
        """
        if self.levels is not None:
            refuse_wrong_order(self.levels, paths, "levels", "lowest first")
            return level_tables(columns, self.levels)
        if self.hierarchy is not None:
            refuse_wrong_order(self.hierarchy[::-1], paths, "hierarchy", "coarsest first")
            return level_tables(columns, self.hierarchy[::-1], "hierarchy")[::-1]
        return self.marginals


def level_tables(columns: Sequence[str], levels: Sequence[str], named: str = "levels") -> list[tuple[str, ...]]:
    """The tables of columns that nest, lowest first: each level with those above it, crossed with all other columns."""
    for name in levels:
        if name not in columns:
            raise ParameterError(f"names {name!r}, which is not released{did_you_mean(name, columns)}", parameter=named)
    others = [name for name in columns if name not in levels]
    return [(*reversed(levels[lowest:]), *others) for lowest in range(len(levels))]


def refuse_wrong_order(levels: Sequence[str], paths: Paths | None, named: str, order: str) -> None:
    """Refuse ``levels``, lowest first, of which one lies within the one below it by the declared ``paths``.

    Codes may be used again in every group (tract 1 of each county), so that only the reverse order is sure to be wrong.
    """
    for lower, higher in itertools.pairwise(levels):
        for columns, rows in (paths or {}).items():
            if lower in columns and higher in columns:
                pairs = {(row[columns.index(lower)], row[columns.index(higher)]) for row in rows}
                lowers, highers = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
                if len(lowers) < len(pairs) == len(highers):
                    raise ParameterError(
                        f"must be listed {order}: by the universe each {higher!r} lies in one {lower!r}",
                        parameter=named,
                    )


@dataclass(frozen=True, eq=False)
class TablesQuestion:
    """Tables of counts to be released, on which terms; its ``plan`` says what each of them costs."""

    counting: Counting
    spending: Spending
    person: Person
    payment: Payment
    wanted: Wanted = field(default_factory=Wanted)
    choices: Choices = field(default_factory=Choices)
    output: Output = field(default_factory=Output)
    tree: GrownTree | None = field(init=False)
    """The tree whose depths are released, over the declared levels."""
    plan: Plan = field(init=False)

    def __post_init__(self) -> None:
        schema, person = self.counting.schema, self.person
        bound = 1 if schema is None or schema.unit is None else schema.max_rows_per_unit
        if (person.unit, person.max_rows_per_unit) != (None if schema is None else schema.unit, bound):
            raise ParameterError("the person protected must be the one whose rows the `schema` bounds (`unit`)")
        object.__setattr__(self, "tree", self._tree())
        object.__setattr__(self, "plan", self._plan())
        self._refuse_total()
        self.choices.check(len(self.plan.tables), self.plan.tables[0].noise.law.integer_valued)
        self.payment.refuse(self.person.neighbours, self.plan.cost)

    def _plan(self) -> Plan:
        counting, spending = self.counting, self.spending
        marginals = self.wanted.tables(counting.columns, counting.paths)
        return make_plan(
            counting.columns,
            spending.mechanism,
            spending.budget,
            neighbours=self.person.neighbours,
            max_rows_per_unit=self.person.max_rows_per_unit,
            marginals=marginals,
            shares=self.wanted.shares,
            threshold_at=counting.threshold_delta,
            allow_continuous=spending.allow_continuous,
            tree=self.tree,
        )

    def _tree(self) -> GrownTree | None:
        """The tree over the declared levels; it needs a universe and is always made consistent."""
        wanted, public = self.wanted.tree, self.counting.public
        if wanted is None:
            return None
        if self.counting.threshold_delta is not None:
            raise ParameterError(
                "needs a declared universe",
                parameter="tree",
                remedy="leave out `threshold_delta` and declare the levels",
            )
        if not self.choices.consistent:
            raise ParameterError("is released with counts that add up", parameter="tree", remedy="say `consistent`")
        return wanted.over(self.counting.columns, {} if public is None else public.universe_levels)

    def _refuse_total(self) -> None:
        """Refuse a total that is not public, and a tree under substitution without one.

        Rows chosen by what is in them are another number of rows for a person who is substituted.
        """
        total, person, schema = self.choices.public_total, self.person, self.counting.schema
        chosen = schema is not None and bool(schema.where or schema.dropped_gaps)
        if chosen and person.neighbours == "substitute" and (total is not None or self.tree is not None):
            raise ParameterError(
                "is the number of people, and how many have the rows that `where` and `missing=drop` leave is private",
                parameter="public_total",
                remedy="leave it out" if self.tree is None else "release the tree with `neighbours=add-remove`",
            )
        if total is None:
            if self.tree is not None and person.neighbours == "substitute":
                raise ParameterError(
                    "is missing: under substitute the root of the tree is the number of people, which is public",
                    parameter="public_total",
                )
            return
        if person.neighbours != "substitute":
            raise ParameterError(
                "is how many people there are, which is private under add-remove",
                parameter="public_total",
                remedy="use `neighbours=substitute`, or leave it out",
            )
        if person.max_rows_per_unit > 1:
            raise ParameterError(
                "is about one row per person: of several, a substituted person may bring another number",
                parameter="public_total",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that some released table has, in the order of the data."""
        return tuple(
            name for name in self.counting.columns if any(name in table.public_columns for table in self.plan.tables)
        )

    def refuse_source(self, source: object) -> None:
        """Refuse a source that is the output itself, or another than was asked about.

        That is a table in which a person counts more often than declared, or other cells than those made by hand.
        """
        self.output.refuse_source(source)
        if self.counting.schema is None:
            by_hand = released_columns(source, None) if isinstance(source, FrequencyTable) else ()
            if by_hand != self.counting.columns:
                raise ParameterError(
                    f"a table of counts by {', '.join(self.counting.columns)} was asked about, and this is another",
                    remedy="give the `schema` of the source",
                )
        if self.person.unit is None and isinstance(source, FrequencyTable) and source.max_rows_per_unit > 1:
            raise ParameterError(
                f"the table was counted with up to {counted(source.max_rows_per_unit, 'row')} per person, so a "
                "person has more than one",
                remedy="give the `schema` it was read with",
            )
