"""Checks of single values: each returns the value in its proper type, or refuses it and says the rule."""

from __future__ import annotations

import difflib
import functools
import math
import operator
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from epsilens.errors import ParameterError

P = ParamSpec("P")
R = TypeVar("R")


def finite(name: str, value: float | str) -> float:
    """``value`` as a float, refused unless it is a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError("must be a number", parameter=name, got=value) from None
    except OverflowError:  # a whole number that no float holds
        raise ParameterError("must lie between -1.8e308 and 1.8e308", parameter=name) from None
    if not math.isfinite(number):
        raise ParameterError("must be finite", parameter=name, got=number)
    return number


def positive(name: str, value: float) -> float:
    """``value`` as a float, refused unless it is finite and > 0."""
    number = finite(name, value)
    if number <= 0:
        raise ParameterError("must be > 0", parameter=name, got=number)
    return number


def probability(name: str, value: float) -> float:
    """``value`` as a float, refused unless 0 < value < 1."""
    number = finite(name, value)
    if not 0 < number < 1:
        raise ParameterError("must lie strictly between 0 and 1", parameter=name, got=number)
    return number


def whole(name: str, value: Any, least: int | None = None, reason: str | None = None) -> int:
    """``value`` as an int, refused unless it is a whole number (3.0 is one), and one that is not below ``least``.

    ``reason`` says what needs that many.
    """
    if isinstance(value, bool):
        raise ParameterError("must be a whole number", parameter=name, got=value)
    try:
        number = operator.index(value) if hasattr(value, "__index__") else int(value)
        exact = number == value
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("must be a whole number", parameter=name, got=value) from None
    if not exact:
        raise ParameterError("must be a whole number", parameter=name, got=value)
    finite(name, number)  # one that no float holds cannot be reckoned with
    if least is not None and number < least:
        because = f" ({reason})" if reason else ""
        raise ParameterError(f"must be >= {least}{because}", parameter=name, got=number)
    return number


def written(name: str, value: str) -> str:
    """``value``, refused unless it can be written down in UTF-8: half a character cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ParameterError("must be text that UTF-8 can write", parameter=name) from None
    return value


def one_of(name: str, value: str, choices: Iterable[str]) -> str:
    """``value``, refused with the nearest allowed name unless it is one of ``choices``."""
    allowed = list(choices)
    if value in allowed:
        return value
    raise ParameterError(
        f"must be one of {', '.join(allowed)}; got {value!r}{did_you_mean(str(value), allowed)}", parameter=name
    )


def did_you_mean(name: str, candidates: Iterable[str], closeness: float = 0.5) -> str:
    """A clause that suggests the nearest candidate, or nothing where none is near."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    near = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=closeness)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def kind_of(thing: object) -> str:
    """What something is, by its type alone and never by its value: ``a pandas DataFrame``, ``a path or a text``."""
    if thing is None:
        return "None"
    if isinstance(thing, type):
        return f"the class {thing.__name__} itself"
    if isinstance(thing, (str, PathLike)):
        return "a path or a text"
    kind = type(thing)
    room = kind.__module__.partition(".")[0]
    name = kind.__name__ if room in ("builtins", "epsilens") else f"{room} {kind.__name__}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def formerly(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Old keywords of a public function that still work: ``@formerly(rows_per_unit="max_rows_per_unit")``."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in names.items():
                if old in kwargs:
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return called

    return decorated
