"""Which rows are read: conditions on columns, all of which must hold, such as ``age>=18`` and ``country=Chile|Peru``.

**What it costs.** Whether a row is read follows from that row and from the conditions alone, and these are declared
without looking at the data. So one row more or less in the data is at most one row more or less in what is read (a
transformation of stability 1), a person who has at most m rows has at most m of them that are read, and everything that
was promised about neighbours holds for the rows that are left. Rows are chosen before those of a person are bounded.

**What compares equal.** Values are compared as levels are told apart: as texts without blanks around them. Numbers are
compared as numbers, however they are written (``age=18`` finds ``18.0``), but a code is not a number: ``zip=02139``
finds ``02139`` alone, and ``code=7`` does not find ``007``. ``<``, ``<=``, ``>`` and ``>=`` compare numbers; a value
that is missing or not a number does not pass. The empty text stands for a missing value, as do the texts declared to
mean missing: ``job!=`` asks for rows that have a job. A missing value differs from every other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from epsilens.checks import finite, one_of
from epsilens.errors import ParameterError
from epsilens.table.domain import MISSING, levels_given

EQUAL, DIFFERENT = "=", "!="
ORDERS = ("<", "<=", ">", ">=")
OPERATORS = (EQUAL, DIFFERENT, *ORDERS)
_TEXT = re.compile(r"(?P<column>.*?)(?P<operator>==|!=|<=|>=|=|<|>)(?P<values>.*)", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """A column, how it is compared, and with what: one of several ``values``, or for an order one number."""

    column: str
    operator: str
    values: tuple[str, ...]
    """One value or several are accepted, and turned into texts."""

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column.strip():
            raise ParameterError("must name a column in every condition", parameter="where", got=self.column)
        object.__setattr__(self, "column", self.column.strip())
        one_of("the comparison", self.operator, OPERATORS)
        found = tuple(dict.fromkeys(value or MISSING for value in levels_given(self.values)))
        object.__setattr__(self, "values", found)
        if not found:
            raise ParameterError("must give at least one value", parameter="where", got=self.column)
        if self.operator in ORDERS:
            self._refuse_words()

    def _refuse_words(self) -> None:
        """An order is one of numbers."""
        try:
            single = len(self.values) == 1 and finite("where", self.values[0])
        except ParameterError:
            single = False
        if single is False:
            raise ParameterError(
                f"compares {self.column!r} by {self.operator}, which needs one number behind it",
                parameter="where",
                got="|".join(self.values),
                remedy=f"to compare texts say {self.column}=TEXT or {self.column}!=TEXT",
            )

    @property
    def number(self) -> float:
        """What an order compares with."""
        return float(self.values[0])

    @property
    def text(self) -> str:
        """The condition as the command line spells it."""
        return f"{self.column}{self.operator}{'|'.join('' if value == MISSING else value for value in self.values)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, from which ``Condition(**plain)`` makes it again."""
        return {"column": self.column, "operator": self.operator, "values": list(self.values)}

    @staticmethod
    def from_text(text: str) -> Condition:
        """``race=White|Black`` as a condition: the column ends where the first comparison begins."""
        found = _TEXT.fullmatch(text.strip())
        if found is None or not found["column"].strip():
            raise ParameterError(
                "must read like age>=18, country=Chile|Peru or job!=none", parameter="where", got=text.strip()
            )
        operator = EQUAL if found["operator"] == "==" else found["operator"]
        return Condition(found["column"], operator, tuple(found["values"].split("|")))


Where: TypeAlias = str | Condition | Sequence[str | Condition | Mapping[str, Any]]
"""One condition or several, all of which must hold: as texts, as objects, or in plain values."""


def conditions(given: Where | None) -> tuple[Condition, ...]:
    """The conditions that were given, each once."""
    if given is None:
        return ()
    several: Iterable[Any] = (given,) if isinstance(given, str | Condition | Mapping) else given
    if not isinstance(several, Iterable):
        raise ParameterError("must be a text such as age>=18, or a list of them", parameter="where", got=given)
    return tuple(dict.fromkeys(_condition(one) for one in several))


def _condition(given: object) -> Condition:
    if isinstance(given, Condition):
        return given
    if isinstance(given, str):
        return Condition.from_text(given)
    if isinstance(given, Mapping) and set(given) == {"column", "operator", "values"}:
        return Condition(given["column"], given["operator"], given["values"])
    raise ParameterError("must be a text such as age>=18, or a list of them", parameter="where", got=given)
