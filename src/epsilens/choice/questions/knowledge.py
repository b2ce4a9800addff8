"""``knowledge``: attackers who know only some attributes, for every set of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epsilens.budget import Budget
from epsilens.checks import finite, one_of, whole
from epsilens.choice.knowing.answer import Knowledge, KnowledgeBudget
from epsilens.choice.knowing.beside import beside
from epsilens.choice.knowing.sets import KnownSets, set_numbers
from epsilens.choice.questions.axes import DEFAULT_EPSILONS
from epsilens.choice.values import values_today
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, calibrate
from epsilens.noise.mechanisms import check_mechanisms
from epsilens.table.diagnostics import diagnose
from epsilens.table.frequency import FrequencyTable
from epsilens.table.marginal_cells import TableCells, number_of_subsets
from epsilens.table.to_read import TableToRead

MOST_COLUMNS = 12
"""Of so many columns all sets are looked at unless their size is limited."""
MOST_SETS = 100_000


@dataclass(frozen=True)
class Question:
    """Which noises, which sets, and what share of people the smallest sets are to disclose."""

    mechanisms: tuple[str, ...] = ("laplace",)
    epsilons: tuple[float, ...] = ()
    deltas: tuple[float, ...] = ()
    share: float | None = None
    """None: half of the people whom all quasi-identifiers disclose today, and at least one person."""
    largest_set: int | None = None
    """Sets of at most so many columns; None: all of them."""
    neighbours: str = "add-remove"
    knows: tuple[str, ...] = ()
    """Quasi-identifiers that one attacker knows, who is to be told of first; none: nobody in particular."""
    data: TableToRead | None = None
    """Where the table is, unless it is given."""

    def __post_init__(self) -> None:
        check_mechanisms(self.mechanisms, self.deltas)
        for mechanism in self.mechanisms:  # a budget that cannot be honoured must fail before any data is read
            for budget in self.budgets(mechanism):
                calibrate(mechanism, budget, self.neighbours)
        if self.share is not None and not 0.0 < finite("share", self.share) <= 1.0:
            raise ParameterError("must be above 0 and at most 1", parameter="share", got=self.share)
        if self.largest_set is not None:
            whole("largest_set", self.largest_set, 1)
        if self.data is not None:
            self.fitting(len(self.data.schema.qid_columns), len(self.data.schema.sensitive_columns))
            self.known_set(self.data.schema.qid_columns)

    def fitting(self, columns: int, sensitive: int) -> None:
        """Refuse what a table of so many columns cannot answer."""
        if columns < 1:
            raise ParameterError("the table names no quasi-identifiers", remedy="name its `cells`, or read it anew")
        if sensitive > 1:
            raise ParameterError(
                f"must be one column here, got {sensitive}", parameter="sensitive", remedy="ask once for each of them"
            )
        if self.largest_set is None and columns > MOST_COLUMNS:
            few = next(n for n in range(3, 0, -1) if number_of_subsets(columns, n) <= MOST_SETS or n == 1)
            raise ParameterError(
                f"{columns} quasi-identifiers have {number_of_subsets(columns):,} subsets; all are looked at up to "
                f"{MOST_COLUMNS} of them ({number_of_subsets(MOST_COLUMNS):,} subsets)",
                remedy=f"limit their size: `largest_set={few}` looks at {number_of_subsets(columns, few):,}; or name "
                "fewer `quasi_identifiers`",
            )
        if self.largest_set is not None and self.largest_set > columns:
            raise ParameterError(
                f"must be at most the number of quasi-identifiers, {columns}",
                parameter="largest_set",
                got=self.largest_set,
            )
        if self.largest_set is not None and (sets := number_of_subsets(columns, self.largest_set)) > MOST_SETS:
            raise ParameterError(
                f"looks at {sets:,} subsets of {columns} quasi-identifiers, and at most {MOST_SETS:,} are",
                parameter="largest_set",
                got=self.largest_set,
                remedy="take a smaller one",
            )

    def known_set(self, columns: Sequence[str]) -> int:
        """The number of the set of quasi-identifiers that ``knows`` names, 0 for none; refused if not looked at."""
        for name in self.knows:
            one_of("knows", name, columns)
        named = len(set(self.knows))
        if self.largest_set is not None and self.largest_set < named < len(columns):
            raise ParameterError(
                f"names {named} columns, and sets of at most {self.largest_set} are looked at",
                parameter="knows",
                remedy="take a larger `largest_set`",
            )
        return sum(1 << columns.index(name) for name in set(self.knows))

    def budgets(self, mechanism: str) -> list[Budget]:
        """The budgets asked for; of the usual ones those that the mechanism can honour."""
        law = MECHANISMS[mechanism]
        deltas = (self.deltas or (None,)) if law.has_delta else (None,)
        usual = tuple(epsilon for epsilon in DEFAULT_EPSILONS if epsilon < law.below)
        return [law.budget(epsilon, delta) for delta in deltas for epsilon in self.epsilons or usual]

    def steps(self, columns: int) -> int:
        """How many sets are looked at: ``progress`` is told of so many."""
        return number_of_subsets(columns, self.largest_set) + 1


def answer(
    question: Question, table: FrequencyTable | None = None, progress: Callable[[int], None] | None = None
) -> Knowledge:
    """What every set of quasi-identifiers discloses; ``progress`` is called with how many sets are done."""
    read = _table(question, table)
    question.fitting(len(read.quasi_identifiers), len(read.sensitive))
    asked = question.known_set(read.quasi_identifiers)
    cells, columns = TableCells.of(read), read.quasi_identifiers
    budgets = tuple(
        KnowledgeBudget(
            mechanism, budget, calibrate(mechanism, budget, question.neighbours, None, read.max_rows_per_unit)
        )
        for mechanism in question.mechanisms
        for budget in question.budgets(mechanism)
    )
    limit = question.largest_set or len(columns)
    known = KnownSets(cells, columns, set_numbers(len(columns), limit), budgets, progress)
    every = (1 << len(columns)) - 1
    everything = known.sets.get(every) or KnownSets(cells, columns, [every], budgets).sets[every]
    share = question.share or max(0.5 * everything.disclosed_today, 1.0) / read.n_records
    weights = read.label_weights
    return Knowledge(
        quasi_identifiers=columns,
        sensitive=read.sensitive[0],
        people=read.n_records,
        table_cells=everything.cells,
        over="people" if cells.within is None else "universe",
        found=() if cells.within is None else cells.within.found,
        harmless=tuple(label for label, weight in zip(read.labels, weights, strict=True) if weight == 0.0),
        largest_set=question.largest_set,
        share=share,
        budgets=budgets,
        nothing=known.sets[0],
        everything=everything,
        sets=tuple(one for one in known.sets.values() if one.number),
        enough=known.enough(share, read.n_records),
        falls=known.falls(),
        look_again=lambda: beside(known),
        look_at_values=lambda: values_today(read, diagnose(read)),
        knows=None if not asked else everything if asked == every else known.sets[asked],
    )


def _table(question: Question, table: FrequencyTable | None) -> FrequencyTable:
    if table is not None:
        return table
    if question.data is None:
        raise ParameterError("there is no table to look at: give one, or say in `data` where it is")
    return question.data.read()
