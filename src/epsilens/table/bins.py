"""How numbers become levels: bins of one width, bins between edges, quantile bins.

A rule only knows its labels here; the engine turns it into an expression (``levels.py``). Nobody falls outside a rule:
edges have an open bin on either side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from epsilens.errors import ParameterError

MAX_QUANTILES = 1_000
LARGEST_EXPONENT = 300
"""The powers of ten of widths and edges: written out, 1e999999999 would fill the memory."""
MAX_DECIMALS = 6
"""A width may have this many decimals: with more, engines write small bounds in exponent notation."""


@dataclass(frozen=True)
class Width:
    """Bins of one width that start at its multiples: 5 gives ``[20, 25)``."""

    step: Decimal

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

    def labels(self) -> list[str]:
        """The levels in ascending order, one more than there are edges: ``< 0``, ``[0, 18)``, ``>= 18``."""
        texts = [number_text(edge) for edge in self.edges]
        between = [f"[{low}, {high})" for low, high in pairwise(texts)]
        return [f"< {texts[0]}", *between, f">= {texts[-1]}"]


@dataclass(frozen=True)
class Quantiles:
    """Bins with about equally many people each. Their edges are read from the data: not free in a release."""

    groups: int

    def __post_init__(self) -> None:
        if isinstance(self.groups, bool) or not isinstance(self.groups, int) or not 2 <= self.groups <= MAX_QUANTILES:
            raise ParameterError(
                f"quantile bins must be a whole number from 2 to {MAX_QUANTILES} of groups, got {self.groups!r}"
            )


BinRule = Width | Edges | Quantiles
BinSpec = float | Decimal | Sequence[float | Decimal] | BinRule


def bin_rule(column: str, spec: BinSpec) -> BinRule:
    """The rule that ``spec`` (a width, a sequence of edges, or a rule) means for ``column``."""
    if isinstance(spec, Width | Edges | Quantiles):
        return spec
    if isinstance(spec, str | bytes):
        raise ParameterError(f"`bins` of {column!r} must be a width, edges or Quantiles, got text {spec!r}")
    if isinstance(spec, Iterable):
        return _edges(column, list(spec))
    return _width(column, _decimal(column, "width", spec))


def parse_bins(*texts: str) -> dict[str, BinRule]:
    """Bins as the command line spells them: ``age=5`` (width), ``hours=0|20|40`` (edges), ``income=q4`` (quantiles).

    Each text may hold several, separated by commas.
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
    if isinstance(rule, Width):
        return number_text(rule.step)
    if isinstance(rule, Edges):
        texts = [number_text(edge) for edge in rule.edges]
        return "|".join(texts) if len(texts) > 1 else f"{texts[0]}|"  # without the bar it would read as a width
    return f"q{rule.groups}"


def rule_from_plain(column: str, plain: str | BinSpec | Mapping[str, Any]) -> BinRule:
    """The rule that plain values describe: a text of :func:`rule_text`, ``{"width": ..}``, ``{"edges": [..]}``."""
    if isinstance(plain, Mapping):
        if "width" in plain:
            return _width(column, _decimal(column, "width", plain["width"]))
        return _edges(column, plain["edges"])
    if not isinstance(plain, str):
        return bin_rule(column, plain)
    return _parsed(column, plain)


def number_text(number: Decimal) -> str:
    """A number as people write it: no exponent, no trailing zeros."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def _parsed(column: str, spec: str) -> BinRule:
    if spec[0] in "qQ":
        if not spec[1:].isdigit():
            raise ParameterError(f"quantile bins of {column!r} must read like q4, got {spec!r}")
        return Quantiles(int(spec[1:]))
    if "|" in spec:
        return _edges(column, [part.strip() for part in spec.removesuffix("|").split("|")])
    return _width(column, _decimal(column, "width", spec))


def _width(column: str, step: Decimal) -> Width:
    if step <= 0:
        raise ParameterError(f"the bin width of {column!r} must be > 0, got {number_text(step)}")
    # An exponent ("1e3") would read as negative decimals; quantize to plain notation.
    rule = Width(Decimal(number_text(step)))
    if rule.decimals > MAX_DECIMALS:
        raise ParameterError(
            f"the bin width of {column!r} may have at most {MAX_DECIMALS} decimals, got {rule.decimals}"
        )
    return rule


def _edges(column: str, values: Sequence[object]) -> Edges:
    edges = tuple(_decimal(column, "edge", value) for value in values)
    if not edges:
        raise ParameterError(f"`bins` of {column!r} need at least one edge, got none")
    if any(low >= high for low, high in pairwise(edges)):
        raise ParameterError(f"the bin edges of {column!r} must ascend, got {', '.join(map(number_text, edges))}")
    return Edges(edges)


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
