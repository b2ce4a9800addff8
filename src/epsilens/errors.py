"""What can go wrong, said so that the reader knows the rule, the value and the remedy.

An error carries its parts and renders itself, so that nobody ever edits finished English. Names of parameters stand in
backticks in a rule or a remedy, or in ``parameter``; whoever prints the error says how they are spelt. In Python
``ParameterError("must be > 0", parameter="epsilon", got=-1)`` reads ``epsilon must be > 0, got -1``; the command line
spells the same error ``--epsilon must be > 0, got -1``. A choice is written ```sum_law=exact```.

Every message is one line and safe to log: it names columns, parameters and counts, never the data values of people.
The command line prints the message of an :class:`EpsilensError` and exits with 2; any other exception is our own bug.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Speller: TypeAlias = Callable[[str, str | None], str]
"""From a parameter's name and, of a choice, its value to what the reader types."""

_NAME = re.compile(r"`([A-Za-z_]\w*)(?:=([^`]*))?`")


def as_python(name: str, value: str | None = None) -> str:
    """The spelling for readers of Python: the name of the parameter, and of a choice its value in quotes."""
    if value is None:
        return name
    return f"{name}={value}" if value in ("True", "False", "None") else f"{name}={value!r}"


class _Spoken(Exception):  # noqa: N818 - what errors and warnings share
    """A message with its parts: which parameter, what rule, what was given, what to do."""

    def __init__(
        self, rule: str, *, parameter: str | None = None, got: object = ..., remedy: str | None = None
    ) -> None:
        self.parameter, self.rule, self.got, self.remedy = parameter, rule, got, remedy
        super().__init__(self.spelt())

    @property
    def has_value(self) -> bool:
        """Whether the error knows the value that was given."""
        return self.got is not ...

    def spelt(self, speller: Speller = as_python) -> str:
        """The message, with every parameter spelt by ``speller``."""

        def named(text: str) -> str:
            return _NAME.sub(lambda found: speller(found[1], found[2]), text)

        subject = "" if self.parameter is None else f"{speller(self.parameter, None)} "
        value = f", got {_shown(self.got)}" if self.has_value else ""
        remedy = "" if self.remedy is None else f"; {named(self.remedy)}"
        return f"{subject}{named(self.rule)}{value}{remedy}"

    def __str__(self) -> str:
        return self.spelt()


class EpsilensError(_Spoken, ValueError):
    """A request that cannot be served as it stands; the message says why and what to do."""


class ParameterError(EpsilensError):
    """A number or an option outside its range."""


class DataError(EpsilensError):
    """Data that do not fit their declared roles."""


class SourceError(EpsilensError):
    """A file or database that cannot be read."""


class EpsilensWarning(_Spoken, UserWarning):
    """Something that is allowed but probably not meant."""


@contextlib.contextmanager
def speaking_of(**names: str) -> Iterator[None]:
    """Errors raised inside name these parameters instead: ``speaking_of(epsilon="total_epsilon")``.

    So do their rules and remedies, wherever the names stand in backticks.
    """

    def renamed(text: str) -> str:
        return _NAME.sub(lambda found: found[0].replace(found[1], names.get(found[1], found[1]), 1), text)

    try:
        yield
    except EpsilensError as error:
        error.parameter = names.get(error.parameter or "", error.parameter)
        error.rule = renamed(error.rule)
        error.remedy = None if error.remedy is None else renamed(error.remedy)
        raise


def _shown(value: Any) -> str:
    """A count of a million and three reads 1000003, not 1e+06."""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    return repr(value) if isinstance(value, str) else str(value)


def counted(value: int, thing: str, things: str | None = None) -> str:
    """``1 cell``, ``2,000 cells``; ``things`` where the plural is not the word and an s, as that of ``entry``."""
    several = things or {"person": "people"}.get(thing, f"{thing}s")
    return f"{value:,} {thing if value == 1 else several}"


def verb(value: int, of_one: str = "is", of_several: str = "are") -> str:
    """``is`` for one and ``are`` for any other number, or the verbs that are given."""
    return of_one if value == 1 else of_several
