"""How numbers become levels: bins of one width, bins between edges, quantile bins.

A rule only knows its labels here; the engine turns it into an expression (``levels.py``). Nobody falls outside a rule:
edges have an open bin on either side.

Bins are closed on the left unless the rule says ``right``: 20 lies in ``[20, 25)``, or with ``right`` in ``(15, 20]``,
as in tables that R's ``cut`` made. Labels tell which it is. On the command line a bracket at the end says so,
``age=5]`` and ``hours=0|20|40]``; one at the start may stand there as well, as in ``hours=(0|20|40]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from epsilens.checks import one_of
from epsilens.errors import ParameterError

MAX_QUANTILES = 1_000
SIDES = ("left", "right")
"""On which side bins may be closed."""
LARGEST_EXPONENT = 300
"""The powers of ten of widths and edges: written out, 1e999999999 would fill the memory."""
MAX_DECIMALS = 6
"""A width may have this many decimals: with more, engines write small bounds in exponent notation."""


@dataclass(frozen=True)
class Width:
    """Bins of one width that start at its multiples: 5 gives ``[20, 25)``, closed on the right ``(20, 25]``."""

    step: Decimal
    closed: str = "left"

    def __post_init__(self) -> None:
        one_of("closed", self.closed, SIDES)

    @property
    def brackets(self) -> tuple[str, str]:
        """What stands before and behind the bounds in a label."""
        return ("(", "]") if self.closed == "right" else ("[", ")")

    @property
    def decimals(self) -> int:
        """How many decimals the bounds are written with."""
        return max(0, -int(self.step.as_tuple().exponent))

    @property
    def scaled_step(self) -> int:
        """The width as a whole number of its last decimal: 0.25 is 25."""
        return int(self.step.scaleb(self.decimals))


@dataclass(frozen=True)
class Edges:
    """Bins between ascending edges, with one open bin below the first and one from the last."""

    edges: tuple[Decimal, ...]
    closed: str = "left"

    def __post_init__(self) -> None:
        one_of("closed", self.closed, SIDES)

    def labels(self) -> list[str]:
        """The levels in ascending order, one more than there are edges: ``< 0``, ``[0, 18)``, ``>= 18``.

        Closed on the right they are ``<= 0``, ``(0, 18]``, ``> 18``.
        """
        texts = [number_text(edge) for edge in self.edges]
        if self.closed == "right":
            return [f"<= {texts[0]}", *(f"({low}, {high}]" for low, high in pairwise(texts)), f"> {texts[-1]}"]
        between = [f"[{low}, {high})" for low, high in pairwise(texts)]
        return [f"< {texts[0]}", *between, f">= {texts[-1]}"]


@dataclass(frozen=True)
class Quantiles:
    """Bins with about equally many people each. Their edges are read from the data: not free in a release."""

    groups: int
    closed: str = "left"

    def __post_init__(self) -> None:
        one_of("closed", self.closed, SIDES)
        if isinstance(self.groups, bool) or not isinstance(self.groups, int) or not 2 <= self.groups <= MAX_QUANTILES:
            raise ParameterError(
                f"quantile bins must be a whole number from 2 to {MAX_QUANTILES} of groups, got {self.groups!r}"
            )


BinRule = Width | Edges | Quantiles
BinSpec = float | Decimal | Sequence[float | Decimal] | BinRule | Mapping[str, Any]


def bin_rule(column: str, spec: BinSpec) -> BinRule:
    """The rule that ``spec`` (a width, a sequence of edges, a rule or its plain form) means for ``column``."""
    if isinstance(spec, Width | Edges | Quantiles):
        return spec
    if isinstance(spec, Mapping):
        return _from_mapping(column, spec)
    if isinstance(spec, str | bytes):
        raise ParameterError(f"`bins` of {column!r} must be a width, edges or Quantiles, got text {spec!r}")
    if isinstance(spec, Iterable):
        return _edges(column, list(spec))
    return _width(column, _decimal(column, "width", spec))


def parse_bins(*texts: str) -> dict[str, BinRule]:
    """Bins as the command line spells them: ``age=5`` (width), ``hours=0|20|40`` (edges), ``income=q4`` (quantiles).

    ``]`` at the end closes them on the right. Each text may hold several, separated by commas.
    """
    rules: dict[str, BinRule] = {}
    for item in (part.strip() for text in texts for part in text.split(",")):
        if not item:
            continue
        column, equals, spec = (part.strip() for part in item.rpartition("="))
        if not equals or not column or not spec:
            raise ParameterError("must read like age=5, hours=0|20|40 or income=q4", parameter="bins", got=item)
        if column in rules:
            raise ParameterError(f"`bins` of {column!r} are given twice", remedy="keep one")
        rules[column] = _parsed(column, spec)
    return rules


def rule_text(rule: BinRule) -> str:
    """A bin rule as the command line spells it."""
    closed = "]" if rule.closed == "right" else ""
    if isinstance(rule, Width):
        return number_text(rule.step) + closed
    if isinstance(rule, Edges):
        texts = [number_text(edge) for edge in rule.edges]
        bar = "|" if len(texts) == 1 else ""  # without the bar it would read as a width
        return "|".join(texts) + bar + closed
    return f"q{rule.groups}{closed}"


def rule_from_plain(column: str, plain: str | BinSpec | Mapping[str, Any]) -> BinRule:
    """The rule that plain values describe: a text of :func:`rule_text`, ``{"width": ..}``, ``{"edges": [..]}``.

    ``"closed": "right"`` beside a width or edges closes them there.
    """
    return _parsed(column, plain) if isinstance(plain, str) and plain.strip() else bin_rule(column, plain)  # type: ignore[arg-type]


def rule_to_plain(rule: BinRule) -> dict[str, Any]:
    """The rule in plain values, from which :func:`rule_from_plain` makes it again."""
    side = {"closed": rule.closed} if rule.closed != "left" else {}
    if isinstance(rule, Width):
        return {"width": number_text(rule.step), **side}
    if isinstance(rule, Edges):
        return {"edges": [number_text(edge) for edge in rule.edges], **side}
    return {"quantiles": rule.groups, **side}


def _from_mapping(column: str, plain: Mapping[str, Any]) -> BinRule:
    """The rule of ``{"width": 5, "closed": "right"}`` and the like."""
    kinds = [kind for kind in ("width", "edges", "quantiles") if kind in plain]
    if len(kinds) != 1 or not set(plain) <= {kinds[0], "closed"}:
        raise ParameterError(
            f'`bins` of {column!r} must have one of "width", "edges" and "quantiles", and may have "closed"'
        )
    side, spec = plain.get("closed", "left"), plain[kinds[0]]
    if kinds[0] == "quantiles":
        return Quantiles(spec, side)
    if kinds[0] == "width":
        return _width(column, _decimal(column, "width", spec), side)
    if isinstance(spec, str) or not isinstance(spec, Iterable):
        raise ParameterError(f"the edges of {column!r} must be a list of numbers")
    return _edges(column, list(spec), side)


def number_text(number: Decimal) -> str:
    """A number as people write it: no exponent, no trailing zeros."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def _parsed(column: str, spec: str) -> BinRule:
    spec, side = _side(column, spec.strip())
    if spec[:1] in ("q", "Q"):
        if not spec[1:].isdigit():
            raise ParameterError(f"quantile bins of {column!r} must read like q4, got {spec!r}")
        return Quantiles(int(spec[1:]), side)
    if "|" in spec:
        return _edges(column, [part.strip() for part in spec.removesuffix("|").split("|")], side)
    return _width(column, _decimal(column, "width", spec), side)


def _side(column: str, spec: str) -> tuple[str, str]:
    """The rule without its brackets, and on which side they close it."""
    start, end = spec[:1], spec[-1:]
    if end not in ("]", ")"):
        if start in ("[", "("):
            raise ParameterError(f"the bracket that opens the `bins` of {column!r} is never closed")
        return spec, "left"
    if start in ("[", "("):
        if start + end not in ("(]", "[)"):
            raise ParameterError(
                f"`bins` of {column!r} must be closed on one side, as in (0|20|40] or [0|20|40), got {spec!r}"
            )
        spec = spec[1:]
    return spec[:-1].strip(), "right" if end == "]" else "left"


def _width(column: str, step: Decimal, closed: str = "left") -> Width:
    if step <= 0:
        raise ParameterError(f"the bin width of {column!r} must be > 0, got {number_text(step)}")
    # An exponent ("1e3") would read as negative decimals; quantize to plain notation.
    rule = Width(Decimal(number_text(step)), closed)
    if rule.decimals > MAX_DECIMALS:
        raise ParameterError(
            f"the bin width of {column!r} may have at most {MAX_DECIMALS} decimals, got {rule.decimals}"
        )
    return rule


def _edges(column: str, values: Sequence[object], closed: str = "left") -> Edges:
    edges = tuple(_decimal(column, "edge", value) for value in values)
    if not edges:
        raise ParameterError(f"`bins` of {column!r} need at least one edge, got none")
    if any(low >= high for low, high in pairwise(edges)):
        raise ParameterError(f"the bin edges of {column!r} must ascend, got {', '.join(map(number_text, edges))}")
    return Edges(edges, closed)


def _decimal(column: str, role: str, value: object) -> Decimal:
    """The decimal that people read in ``value``: 0.1 is one tenth, not its binary neighbour."""
    if not isinstance(value, bool):
        try:
            number = Decimal(str(value).strip())
        except InvalidOperation:
            pass
        else:
            if number.is_finite() and abs(number.adjusted()) <= LARGEST_EXPONENT:
                return number
    raise ParameterError(f"a bin {role} of {column!r} must be a finite number, got {value!r}")
