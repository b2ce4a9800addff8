"""The terms of a release, agreed before anybody's data are read: payment, person, output, and who watches.

They are the same for every kind of release. What does not hold together is refused at construction.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.budget import NEIGHBOURS, Budget, Neighbours
from epsilens.checks import one_of, whole, written
from epsilens.errors import ParameterError
from epsilens.release.ledger.ledger import WAIT_SECONDS, Ledger
from epsilens.release.planned import Planned, planned_releases, release_plan

SUFFIXES = (".csv", ".parquet", ".pq")


@dataclass(frozen=True)
class Understood:
    """One check question before the budget is spent: answered after so many tries, or turned off by the project.

    It is a fact about whoever releases, not about the data, and stands in the ledger beside what was spent.
    """

    tries: int | None
    """How many answers it took; nothing where the question is turned off."""

    def __post_init__(self) -> None:
        if self.tries is not None:
            object.__setattr__(self, "tries", whole("tries", self.tries, 1))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the ledger."""
        return {"asked": False} if self.tries is None else {"asked": True, "tries": self.tries}


@dataclass(frozen=True)
class Payment:
    """What pays: an account of a ledger. A ``total``, with its rule of ``composition``, opens the account.

    ``plan`` declares all releases of an account whose rule holds for a plan only: a number, for so many releases priced
    like this one, or a list of such numbers and of releases as they are written (``3 x discrete-gaussian rho=0.05``).
    """

    ledger: str | os.PathLike[str]
    account: str
    total: Budget | None = None
    composition: str | None = None
    wait: float = WAIT_SECONDS
    """Seconds to wait for a ledger that another process has locked."""
    plan: Planned | Sequence[Planned] | None = None
    understood: Understood | None = None
    """Whether whoever releases was asked what the budget means, for the ledger; nothing where nobody could ask."""

    def __post_init__(self) -> None:
        if self.ledger is None or self.account is None:
            raise ParameterError("a release is paid from an `account` of a `ledger`", remedy="name both")
        written("account", str(self.account))
        written("ledger", os.fspath(self.ledger))
        self.book()
        planned = planned_releases(self.plan)
        object.__setattr__(self, "plan", planned or None)
        if planned and self.total is None:
            raise ParameterError("is declared when the account is opened, with its `total`", parameter="plan")
        opening = self.opening(NEIGHBOURS[0])
        if opening is not None and opening.unplanned and not planned and not self._exists():
            opening.refuse_opening()

    def _exists(self) -> bool:
        """Whether the ledger has the account already, whatever it is like."""
        book = self.book()
        return book.path.exists() and self.account in book.chain().accounts

    def book(self, notice: Callable[[str], None] | None = None) -> Ledger:
        """The ledger; ``notice`` is told that it has to be waited for, and what was swept."""
        return Ledger(self.ledger, self.wait, notice)

    def opening(self, neighbours: str, cost: Cost | None = None) -> Account | None:
        """The account as it is to be opened, its plan priced where the ``cost`` of this release is known.

        Nothing where the account must exist.
        """
        if self.total is None:
            return None
        planned = planned_releases(self.plan)
        plan = release_plan(planned, neighbours, cost) if planned and cost is not None else None
        return Account.opened(self.account, self.total, neighbours, self.composition, plan)

    def refuse(self, neighbours: str, cost: Cost) -> None:
        """Refuse a plan that does not fit its total, or that has no place for this release; no data are needed."""
        opening = self.opening(neighbours, cost)
        if opening is not None and opening.plan is not None:
            opening.refuse_opening()
            opening.admit([], cost)


@dataclass(frozen=True)
class Person:
    """Whom it protects: the people that column ``unit`` names, by at most so many rows each, or one row per person."""

    unit: str | None = None
    max_rows_per_unit: int = 1
    one_row_per_person: bool = False
    neighbours: Neighbours = "add-remove"

    def __post_init__(self) -> None:
        one_of("neighbours", self.neighbours, NEIGHBOURS)
        rows = whole("max_rows_per_unit", self.max_rows_per_unit, 1, "a person without rows is not in the data")
        object.__setattr__(self, "max_rows_per_unit", rows)
        if self.unit is None and rows > 1:
            raise ParameterError(
                f"up to {rows} rows per person can be bounded only where a column names the person",
                remedy="name it with `unit`",
            )
        if self.unit is None and not self.one_row_per_person:
            raise ParameterError(
                "say who is protected: the column that names people (`unit`), or that each person has one row "
                "(`one_row_per_person`)"
            )
        if self.unit is not None and self.one_row_per_person:
            raise ParameterError(
                f"{self.unit!r} names people, so do not declare `one_row_per_person` as well", parameter="unit"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a card."""
        return {"protects": "a person", "column": self.unit, "max_rows_per_person": self.max_rows_per_unit}


@dataclass(frozen=True)
class Output:
    """Where it goes: a .csv or .parquet file with its card and internal report beside it, or to the caller only."""

    out: str | os.PathLike[str] | None = None
    force: bool = False
    """Whether files that exist are replaced."""

    def __post_init__(self) -> None:
        if self.path is not None:
            written("out", str(self.path))
        if self.path is not None and self.path.suffix.lower() not in SUFFIXES:
            raise ParameterError("must end in .csv or .parquet", parameter="out", got=self.path.name)

    @property
    def path(self) -> Path | None:
        """The output file itself."""
        return None if self.out is None else Path(self.out)

    @property
    def files(self) -> dict[str, Path]:
        """The files of the release, by role: the output, its card twice, the internal report."""
        if self.path is None:
            return {}
        return {
            "output": self.path,
            "card": self.path.with_suffix(".card.json"),
            "card-text": self.path.with_suffix(".card.md"),
            "internal": self.path.with_suffix(".internal.json"),
        }

    def refuse_source(self, source: object) -> None:
        """Refuse the name of the people's own file, forced or not."""
        if self.path is None or not isinstance(source, str | Path) or not self.path.exists():
            return
        inputs = [source, *glob.glob(str(source))] if "://" not in str(source) else []  # noqa: PTH207 - may be absolute
        if any(Path(name).exists() and self.path.samefile(name) for name in inputs):
            raise ParameterError(f"{self.path} holds the data themselves", remedy="name another output (`out`)")


@dataclass(frozen=True)
class Watch:
    """Who watches: what is told while a release is made."""

    notice: Callable[[str], None] | None = None
    """Told that the ledger has to be waited for, and what was swept."""
    expects: Callable[[int], None] | None = None
    """Told how many cells will get noise, unless that is a fact about people."""
    progress: Callable[[int], None] | None = None
    """Told how many more cells have it."""
    reached: Callable[[str], None] | None = None
    """Told each step of the protocol as it is done."""


NOBODY = Watch()
"""Nobody watches."""
