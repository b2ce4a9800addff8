"""The schema: which column plays which role, and how its values become levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from epsilens.checks import did_you_mean, one_of
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import listed, one_line, table_html
from epsilens.table.bins import BinRule, BinSpec, Edges, Quantiles, Width, bin_rule, number_text

MISSING = "(missing)"
"""The level of people whose value is missing: null, NaN, blank text or one of the declared missing values."""

LARGEST_WHOLE = 1e15
"""Floating-point numbers below are written without decimals if they are whole, from here on as in Python."""


@dataclass(frozen=True)
class Schema:
    """Column roles and levels, validated once.

    - ``quasi_identifiers``: columns an attacker may know; their combinations are the cells.
    - ``sensitive``: one column or several; their joint values are the labels.
    - ``bins``: per numeric column a width, a sequence of edges, or :class:`~epsilens.table.bins.Quantiles`.
    - ``universe``: per column the levels it can take. An undeclared level in the data is refused; a declared
      sensitive level that nobody has is a label all the same.
    - ``structural_zeros``: combinations that cannot occur, each a mapping from columns to one level or several.
    - ``unit``: the column that names a person; with it at most ``max_rows_per_unit`` rows of each person are counted.
    - ``missing``: ``"level"`` keeps missing values as the level ``(missing)``, ``"refuse"`` makes them an error.
      ``missing_values`` are texts that mean missing, such as ``"?"``.

    The annotations are the normalised forms; a single name, a plain list or number is accepted and turned into them.
    """

    quasi_identifiers: Sequence[str]
    sensitive: str | Sequence[str]
    bins: Mapping[str, BinSpec] = field(default_factory=dict)
    universe: Mapping[str, Sequence[object]] | None = None
    structural_zeros: Sequence[Mapping[str, object]] | None = None
    unit: str | None = None
    max_rows_per_unit: int = 1
    missing: str = "level"
    missing_values: Sequence[str] = ()

    def __repr__(self) -> str:
        return one_line(
            self,
            f"{listed(self.quasi_identifiers)} by {listed(self.sensitive)}",
            f"bins of {listed(self.bins)}" if self.bins else "",
            f"universe of {listed(self.universe)}" if self.universe else "",
            f"structural zeros: {len(self.structural_zeros)}" if self.structural_zeros else "",
            f"unit {self.unit}, at most {self.max_rows_per_unit} rows each" if self.unit else "",
        )

    def _repr_html_(self) -> str:
        facts = {
            "quasi-identifiers": listed(self.quasi_identifiers),
            "sensitive": listed(self.sensitive),
            "bins": listed(self.bins) or None,
            "universe": ", ".join(f"{name} ({len(levels)})" for name, levels in (self.universe or {}).items()) or None,
            "structural zeros": len(self.structural_zeros or ()),
            "unit": self.unit,
            "most rows of a unit": self.max_rows_per_unit,
            "missing values": self.missing,
        }
        return table_html("Schema", facts)

    def __post_init__(self) -> None:
        qids = _names("quasi_identifiers", self.quasi_identifiers)
        sensitive = _names("sensitive", self.sensitive)
        if both := [name for name in qids if name in sensitive]:
            raise ParameterError(
                f"column {both[0]!r} is both a quasi-identifier and sensitive; "
                "what the attacker knows is not what the attacker wants to learn: keep one role"
            )
        unit = None if self.unit is None else _names("unit", self.unit)[0]
        if unit in (*qids, *sensitive):
            raise ParameterError(
                f"the unit {unit!r} names people, so it cannot be a quasi-identifier or sensitive as well"
            )
        rows = self.max_rows_per_unit
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ParameterError(f"max_rows_per_unit must be a whole number >= 1, got {rows!r}")
        one_of("missing", self.missing, ("level", "refuse"))
        missing_values = (self.missing_values,) if isinstance(self.missing_values, str) else self.missing_values
        columns = (*qids, *sensitive)
        normalised = {
            "quasi_identifiers": qids,
            "sensitive": sensitive,
            "unit": unit,
            "bins": {name: bin_rule(name, spec) for name, spec in _by_column("bins", self.bins, columns)},
            "universe": _universe(self.universe, columns),
            "structural_zeros": _structural_zeros(self.structural_zeros, columns),
            "missing_values": tuple(dict.fromkeys(str(value).strip() for value in missing_values)),
        }
        for name, value in normalised.items():
            object.__setattr__(self, name, value)

    @property
    def qid_columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order given."""
        return tuple(self.quasi_identifiers)

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive attributes, in the order given."""
        return tuple(self.sensitive)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column with a role in cells or labels: quasi-identifiers, then sensitive attributes."""
        return (*self.qid_columns, *self.sensitive_columns)

    @property
    def bin_rules(self) -> dict[str, BinRule]:
        """The normalised bins."""
        return {name: bin_rule(name, spec) for name, spec in self.bins.items()}

    @property
    def universe_levels(self) -> dict[str, tuple[str, ...]]:
        """The declared levels by column; columns without a declaration are absent."""
        return {name: _levels(values) for name, values in (self.universe or {}).items()}

    @property
    def impossible(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        """The structural zeros: in each, a tuple of levels per column."""
        return tuple({name: _levels(value) for name, value in rule.items()} for rule in (self.structural_zeros or ()))

    @property
    def read_from_data(self) -> tuple[str, ...]:
        """The columns whose bins are read from the data: fine for an assessment, not free in a release."""
        return tuple(name for name, rule in self.bin_rules.items() if isinstance(rule, Quantiles))

    def to_dict(self) -> dict[str, Any]:
        """The schema in plain lists, texts and numbers, for a report or a release card."""
        return {
            "quasi_identifiers": list(self.qid_columns),
            "sensitive": list(self.sensitive_columns),
            "bins": {name: _rule_text(rule) for name, rule in self.bin_rules.items()},
            "universe": {name: list(levels) for name, levels in self.universe_levels.items()},
            "structural_zeros": [{name: list(levels) for name, levels in rule.items()} for rule in self.impossible],
            "unit": self.unit,
            "max_rows_per_unit": self.max_rows_per_unit,
            "missing": self.missing,
            "missing_values": list(self.missing_values),
        }


def _names(role: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Column names as a tuple: a single name is a list of one."""
    names = (given,) if isinstance(given, str) else tuple(given)
    if not names:
        raise ParameterError(f"{role} must name at least one column, got none")
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ParameterError(f"{role} must be column names, got {name!r}")
    stripped = tuple(name.strip() for name in names)
    if repeated := [name for i, name in enumerate(stripped) if name in stripped[:i]]:
        raise ParameterError(f"{role} names column {repeated[0]!r} twice")
    return stripped


def _by_column(option: str, given: Mapping[str, Any], columns: Sequence[str]) -> list[tuple[str, Any]]:
    """The entries of a per-column option, each of a column that has a role."""
    if not isinstance(given, Mapping):
        raise ParameterError(f"{option} must be a mapping from column names, got {type(given).__name__}")
    entries = [(str(name).strip(), value) for name, value in given.items()]
    for name, _ in entries:
        if name not in columns:
            hint = did_you_mean(name, columns)
            raise ParameterError(
                f"{option} names column {name!r}, which is neither a quasi-identifier nor sensitive{hint}"
            )
    return entries


def _universe(
    given: Mapping[str, Sequence[object]] | None, columns: Sequence[str]
) -> dict[str, tuple[str, ...]] | None:
    if given is None:
        return None
    universe = {name: _levels(values) for name, values in _by_column("universe", given, columns)}
    for name, levels in universe.items():
        if not levels:
            raise ParameterError(f"the universe of {name!r} must list at least one value")
        if len(set(levels)) != len(levels):
            raise ParameterError(f"the universe of {name!r} lists a value twice")
    return universe


def _structural_zeros(
    given: Sequence[Mapping[str, object]] | None, columns: Sequence[str]
) -> tuple[dict[str, tuple[str, ...]], ...] | None:
    if given is None:
        return None
    if isinstance(given, Mapping):
        raise ParameterError("structural_zeros must be a list of mappings from column names to values, got one mapping")
    rules = []
    for number, rule in enumerate(given, start=1):
        option = f"structural zero {number}"
        rules.append({name: _levels(value) for name, value in _by_column(option, rule, columns)})
        if not rules[-1] or not all(rules[-1].values()):
            raise ParameterError(f"{option} must give at least one column and one value")
    return tuple(rules)


def _levels(value: object) -> tuple[str, ...]:
    """One level or several, as texts."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(level_text(item) for item in value)
    return (level_text(value),)


def level_text(value: object) -> str:
    """One level as the engine writes it: booleans in lower case, whole numbers without decimals."""
    if isinstance(value, np.bool_ | np.number):  # as in the values of a data frame's column
        value = value.item()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    if isinstance(value, Decimal):
        return number_text(value)
    return str(value).strip()


def _rule_text(rule: BinRule) -> str:
    """A bin rule as the command line spells it."""
    if isinstance(rule, Width):
        return number_text(rule.step)
    if isinstance(rule, Edges):
        return "|".join(number_text(edge) for edge in rule.edges)
    return f"q{rule.groups}"


def refuse_unknown_columns(wanted: Iterable[str], present: Sequence[str], place: str) -> None:
    """A :class:`DataError` that names every wanted column that is absent, each with its nearest name."""
    hints = {name: did_you_mean(name, present) for name in dict.fromkeys(wanted) if name not in present}
    if not hints:
        return
    if len(hints) == 1:
        lacks = "".join(f"has no column {name!r}{hint}" for name, hint in hints.items())
    else:
        named = (f"{name!r} ({hint.removeprefix('; ')})" if hint else repr(name) for name, hint in hints.items())
        lacks = f"lacks {len(hints)} columns: {', '.join(named)}"
    listed = ", ".join(present[:30]) + (", ..." if len(present) > 30 else "")
    raise DataError(f"{place} {lacks} (it has: {listed})")


def refuse_missing_header(wanted: Iterable[str], first_line: Sequence[str], place: str) -> None:
    """A :class:`DataError` if the first line has no wanted column. It may be a person's record, so it is not shown."""
    names = list(dict.fromkeys(wanted))
    if names and not set(names) & set(first_line):
        what = "no column" if len(names) == 1 else "none of the columns"
        raise DataError(
            f"{place} has {what} {', '.join(map(repr, names))}; its first line has {len(first_line)} columns: "
            "is the first line a header?"
        )
