"""What is typed or written becomes a value: ``0.5,1`` or [0.5, 1], ``1/864``, ``0.01:10``.

One home for the command line, whose options are texts, and for projects, whose values may be numbers and lists as well.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from epsilens.checks import finite, whole
from epsilens.errors import ParameterError

Scalar: TypeAlias = str | int | float
Listed: TypeAlias = Scalar | Sequence[Scalar] | None


def parts(name: str, given: Listed, rule: str) -> tuple[Scalar, ...]:
    """The parts of a list; one that was given and is empty is not the same as none, and refused.

    A text holds several, with commas between them; a list adds up.
    """
    several = [given] if isinstance(given, Scalar) else given if given is not None else ()
    found = tuple(part for one in several for part in (_split(one) if isinstance(one, str) else (one,)))
    if len(several) and not found:
        raise ParameterError(f"{rule}, got none", parameter=name)
    return found


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def listed(value: Any) -> tuple[Any, ...]:
    """One value or several, or a text with commas, as several; nothing is none."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(_split(value))
    return tuple(value) if isinstance(value, Iterable) else (value,)


def names(name: str, given: Listed, rule: str = "is missing: name at least one column") -> tuple[str, ...]:
    """``a, b`` as ("a", "b")."""
    return tuple(str(part) for part in parts(name, given, rule))


def numbers(name: str, given: Listed) -> tuple[float, ...]:
    """``0.5,1`` as (0.5, 1.0)."""
    return tuple(finite(name, part) for part in parts(name, given, "needs at least one number"))


def wholes(name: str, given: Listed) -> tuple[int, ...]:
    """``3,6`` as (3, 6)."""
    return tuple(whole(name, number) for number in numbers(name, given))


def fraction(name: str, given: Scalar) -> float:
    """A number, or the ratio of two: ``1/864``."""
    above, slash, below = str(given).partition("/")
    if not slash:
        return finite(name, given)
    pair = []
    for part in (above, below):
        try:
            pair.append(float(part))
        except ValueError:
            raise ParameterError("must be a number or a fraction such as 1/864", parameter=name, got=given) from None
    if pair[1] == 0:
        raise ParameterError("cannot be divided by 0", parameter=name, got=given)
    return finite(name, pair[0] / pair[1])


def fractions(name: str, given: Listed) -> tuple[float, ...]:
    """``1/2,0.1`` as (0.5, 0.1)."""
    return tuple(fraction(name, part) for part in parts(name, given, "needs at least one number"))


def numbers_or_name(name: str, given: Listed) -> str | tuple[float, ...]:
    """``1,2`` as (1.0, 2.0); a single word as it is."""
    return given if isinstance(given, str) and given.isalpha() else numbers(name, given)


def ends(name: str, given: str | Sequence[Scalar]) -> tuple[float, float]:
    """``0.01:10`` or [0.01, 10] as (0.01, 10.0)."""
    pair: Sequence[Scalar] = given.split(":", 1) if isinstance(given, str) else given
    if len(pair) != 2:
        raise ParameterError("must be FROM:TO, such as 0.01:10", parameter=name, got=given)
    low, high = (part.strip() if isinstance(part, str) else part for part in pair)
    return finite(name, low), finite(name, high)


def whole_number(name: str, given: Scalar) -> int:
    """``20`` as 20."""
    return whole(name, finite(name, given))


def text_of(value: Scalar) -> str:
    """A plain value as somebody would type it: 0.1 and not 0.10, 1e-6 and not 1e-06."""
    if not isinstance(value, float):
        return str(value)
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}e{int(power)}" if exponent else digits


ONE_BY_ONE = ("harmful",)
"""Parameters whose option is given once for each of several values of a column."""


def texts_of(value: Any, name: str = "") -> list[str]:
    """What was declared by column as the texts that the command line takes for parameter ``name``, one for each.

    ``{"age": 5, "hours": [0, 20, 40]}`` is ``age=5`` and ``hours=0|20|40``; harmful values have a text each.
    """
    if isinstance(value, str | int | float):
        return [text_of(value)]
    if hasattr(value, "items") and name in ONE_BY_ONE:
        pairs = ((column, [rule] if isinstance(rule, str | int | float) else rule) for column, rule in value.items())
        return [f"{column}={text_of(one)}" for column, several in pairs for one in several]
    if hasattr(value, "items"):
        return [
            f"{column}={'|'.join(map(text_of, rule)) if isinstance(rule, list | tuple) else text_of(rule)}"
            for column, rule in value.items()
        ]
    return [text_of(one) for one in value]


def taken(given: Mapping[str, Any], by: Callable[..., Any]) -> dict[str, Any]:
    """Those values that ``by`` has a parameter for; what was not given is left to its default there."""
    parameters = inspect.signature(by).parameters
    return {name: value for name, value in given.items() if name in parameters and value not in (None, ())}


def plain(value: Any) -> Any:
    """A result as JSON has it: lists and tables of texts and numbers; what is not a number in JSON becomes None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def key_text(value: Any) -> str:
    """Values of a project as text that is the same just where they are, in whatever order they were said."""
    return json.dumps(
        value, sort_keys=True, default=lambda part: dict(part) if isinstance(part, Mapping) else str(part)
    )


def converted(kind: str, name: str, value: Any) -> Any:
    """A value of a project as the library takes it, by its kind."""
    if kind in ("universe", "zeros"):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if kind in ("texts", "by_column", "files_by_column"):
        return tuple(texts_of(value, name))
    if kind == "word":
        return text_of(value)
    read = _READERS.get(kind)
    return value if read is None else read(name, value)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "number": finite,
    "fraction": fraction,
    "whole": whole_number,
    "names": names,
    "numbers": numbers,
    "fractions": fractions,
    "wholes": wholes,
    "alpha": numbers_or_name,
    "ends": ends,
}
