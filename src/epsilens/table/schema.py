"""The schema: which column plays which role, and how its values become levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epsilens.checks import did_you_mean, kind_of
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import by_role, listed, one_line, table_html
from epsilens.table.bins import BinRule, BinSpec, Quantiles, bin_rule, rule_from_plain, rule_text
from epsilens.table.conditions import DIFFERENT, Condition, Where, conditions
from epsilens.table.declared import LevelSpec, declared_levels
from epsilens.table.domain import MISSING, levels_given
from epsilens.table.gaps import DROP, RULES, Gaps, checked_gaps, rule_of

CLOSE_TO_A_VALUE = 0.75
"""How near a text that may be a person's value must be to the name that was asked for to be said: a slip."""


@dataclass(frozen=True)
class Schema:
    """Column roles and levels, validated once.

    - ``quasi_identifiers``: columns an attacker may know; their combinations are the cells.
    - ``sensitive``: one column or several; their joint values are the labels. Whoever only counts, such as a release,
      treats all columns alike and needs none.
    - ``bins``: per numeric column a width, a sequence of edges, or :class:`~epsilens.table.bins.Quantiles`.
    - ``universe``: per column the levels it can take, or a range ``{"from": 15, "to": 95}`` of them, bins or whole
      numbers. An undeclared level in the data is refused (a release, which must not tell of it, leaves such rows out);
      a declared sensitive level that nobody has is a label all the same.
    - ``structural_zeros``: combinations that cannot occur, each a mapping from columns to one level or several.
    - ``unit``: the column that names a person; with it at most ``max_rows_per_unit`` rows of each person are counted.
    - ``missing``: ``"level"`` keeps missing values as the level ``(missing)``, ``"refuse"`` makes them an error,
      ``"drop"`` leaves their rows out; or by column one of these words, or a public value in the place of missing ones:
      ``{"job": "drop", "income": 50001}``. ``missing_values`` are texts that mean missing, such as ``"?"``.
    - ``where``: which rows are read, such as ``["age>=18", "country=Chile|Peru"]``; all conditions must hold, and they
      may be about any column (:mod:`epsilens.table.conditions`).
    - ``copies``: names for columns that are read twice, ``{"decade": "age"}``: once in bins of 10 and once of 1, say.

    The annotations are the normalised forms; a single name, a plain list or number is accepted and turned into them.
    """

    quasi_identifiers: Sequence[str]
    sensitive: str | Sequence[str] = ()
    bins: Mapping[str, BinSpec] = field(default_factory=dict)
    universe: Mapping[str, LevelSpec] | None = None
    structural_zeros: Sequence[Mapping[str, object]] | None = None
    unit: str | None = None
    max_rows_per_unit: int = 1
    missing: Gaps = "level"
    missing_values: Sequence[str] = ()
    where: Where = ()
    copies: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return one_line(
            self,
            by_role(self.qid_columns, self.sensitive_columns),
            f"bins of {listed(self.bins)}" if self.bins else "",
            f"universe of {listed(self.universe)}" if self.universe else "",
            f"structural zeros: {len(self.structural_zeros)}" if self.structural_zeros else "",
            f"unit {self.unit}, at most {self.max_rows_per_unit} rows each" if self.unit else "",
            f"where {listed(condition.text for condition in self.conditions)}" if self.where else "",
        )

    def _repr_html_(self) -> str:
        facts = {
            "quasi-identifiers": listed(self.quasi_identifiers),
            "sensitive": listed(self.sensitive),
            "bins": listed(self.bins) or None,
            "universe": ", ".join(f"{name} ({len(tuple(levels))})" for name, levels in (self.universe or {}).items())
            or None,
            "structural zeros": len(self.structural_zeros or ()),
            "unit": self.unit,
            "most rows of a unit": self.max_rows_per_unit,
            "missing values": _gaps_text(self.missing),
            "where": listed(condition.text for condition in self.conditions) or None,
            "copies": listed(f"{name} of {column}" for name, column in self.copies.items()) or None,
        }
        return table_html("Schema", facts)

    def __post_init__(self) -> None:
        qids = _names("quasi_identifiers", self.quasi_identifiers)
        if not qids:
            raise ParameterError("must name at least one column, got none", parameter="quasi_identifiers")
        sensitive = _names("sensitive", self.sensitive)
        if both := [name for name in qids if name in sensitive]:
            raise ParameterError(
                f"column {both[0]!r} is both a quasi-identifier and sensitive",
                remedy="what the attacker knows is not what the attacker wants to learn: keep one role, or, to see "
                f"what comes of it, read the column twice with `copies=known-{both[0]}={both[0]}` and name that copy "
                "among `quasi_identifiers`",
            )
        unit = None if self.unit is None else _names("unit", self.unit)[0]
        if unit in (*qids, *sensitive):
            raise ParameterError(
                f"the `unit` {unit!r} names people, so it cannot be a quasi-identifier or sensitive as well"
            )
        rows = self.max_rows_per_unit
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ParameterError("must be a whole number >= 1", parameter="max_rows_per_unit", got=rows)
        missing_values = (self.missing_values,) if isinstance(self.missing_values, str) else self.missing_values
        columns = (*qids, *sensitive)
        bins = {name: bin_rule(name, spec) for name, spec in _by_column("bins", self.bins, columns)}
        universe = _universe(self.universe, columns, bins)
        copies = _copies(self.copies, columns)
        normalised = {
            "quasi_identifiers": qids,
            "sensitive": sensitive,
            "unit": unit,
            "bins": bins,
            "universe": universe,
            "structural_zeros": _structural_zeros(self.structural_zeros, columns),
            "missing": checked_gaps(self.missing, columns, bins, universe or {}),
            "missing_values": tuple(dict.fromkeys(str(value).strip() for value in missing_values)),
            "where": conditions(self.where),
            "copies": copies,
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
        return {name: levels_given(values) for name, values in (self.universe or {}).items()}

    @property
    def impossible(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        """The structural zeros: in each, a tuple of levels per column."""
        return tuple(
            {name: levels_given(value) for name, value in rule.items()} for rule in (self.structural_zeros or ())
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions on rows, all of which must hold."""
        return conditions(self.where)

    @property
    def dropped_gaps(self) -> tuple[str, ...]:
        """The columns in which a missing value leaves its row out."""
        return tuple(name for name in self.columns if rule_of(self.missing, name) == DROP)

    @property
    def complete(self) -> tuple[Condition, ...]:
        """The conditions that leave out rows with a missing value, in the columns where one does."""
        return tuple(Condition(name, DIFFERENT, (MISSING,)) for name in self.dropped_gaps)

    @property
    def stand_ins(self) -> dict[str, str]:
        """The public values in the place of missing ones, by column."""
        rules = {name: rule_of(self.missing, name) for name in self.columns}
        return {name: rule for name, rule in rules.items() if rule not in RULES}

    def refuses_gaps(self, column: str) -> bool:
        """Whether a missing value in ``column`` is an error."""
        return rule_of(self.missing, column) == "refuse"

    @property
    def read_from_data(self) -> tuple[str, ...]:
        """The columns whose bins are read from the data: fine for an assessment, not free in a release."""
        return tuple(name for name, rule in self.bin_rules.items() if isinstance(rule, Quantiles))

    def to_dict(self) -> dict[str, Any]:
        """The schema in plain lists, texts and numbers, for a report or a release card."""
        return {
            "quasi_identifiers": list(self.qid_columns),
            "sensitive": list(self.sensitive_columns),
            "bins": {name: rule_text(rule) for name, rule in self.bin_rules.items()},
            "universe": {name: list(levels) for name, levels in self.universe_levels.items()},
            "structural_zeros": [{name: list(levels) for name, levels in rule.items()} for rule in self.impossible],
            "unit": self.unit,
            "max_rows_per_unit": self.max_rows_per_unit,
            "missing": self.missing if isinstance(self.missing, str) else dict(self.missing),
            "missing_values": list(self.missing_values),
            "where": [condition.to_dict() for condition in self.conditions],
            "copies": dict(self.copies),
        }

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Schema:
        """The schema that :meth:`to_dict` describes; what is left out has its default.

        Bins may also be written as ``{"width": "5"}`` and ``{"edges": ["0", "18"]}``, as release cards do.
        """
        known = {name: plain[name] for name in Schema.__dataclass_fields__ if name in plain}
        known["bins"] = {name: rule_from_plain(name, rule) for name, rule in plain.get("bins", {}).items()}
        for name in ("universe", "structural_zeros"):
            known[name] = plain.get(name) or None
        return Schema(**known)


def checked_schema(schema: object) -> Schema:
    """``schema``, refused with the way to make one unless it is one."""
    if not isinstance(schema, Schema):
        raise ParameterError(
            f"must say which columns to count, not be {kind_of(schema)}",
            parameter="schema",
            remedy="make one with Schema(quasi_identifiers, sensitive)",
        )
    return schema


def _names(role: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Column names as a tuple: a single name is a list of one."""
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ParameterError("must be column names", parameter=role, got=name)
    stripped = tuple(name.strip() for name in names)
    if repeated := [name for i, name in enumerate(stripped) if name in stripped[:i]]:
        raise ParameterError(f"names column {repeated[0]!r} twice", parameter=role)
    return stripped


def _gaps_text(missing: Gaps) -> str:
    return missing if isinstance(missing, str) else listed(f"{name}: {rule}" for name, rule in missing.items())


def _copies(given: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Names of columns that are read twice, each of which has a role, and the columns they are."""
    found = dict(_by_column("copies", given, columns))
    for name, column in found.items():
        if not isinstance(column, str) or not column.strip():
            raise ParameterError(f"must say which column {name!r} is", parameter="copies")
        found[name] = column.strip()
        if found[name] in found:
            raise ParameterError(f"makes {name!r} a copy of another copy, or of itself", parameter="copies")
    return found


def _by_column(
    option: str, given: Mapping[str, Any], columns: Sequence[str], subject: str | None = None
) -> list[tuple[str, Any]]:
    """The entries of a per-column option, each of a column that has a role; ``subject`` is one entry of a list."""
    spoken, parameter = ("", option) if subject is None else (f"{subject} ", None)
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"{spoken}must be a mapping from column names, got {type(given).__name__}", parameter=parameter
        )
    entries = [(str(name).strip(), value) for name, value in given.items()]
    for i, (name, _) in enumerate(entries):
        if name in (earlier for earlier, _ in entries[:i]):
            raise ParameterError(f"{spoken}names column {name!r} twice", parameter=parameter)
        if name not in columns:
            raise ParameterError(
                f"{spoken}names column {name!r}, which is neither a quasi-identifier nor sensitive"
                f"{did_you_mean(name, columns)}",
                parameter=parameter,
            )
    return entries


def _universe(
    given: Mapping[str, LevelSpec] | None, columns: Sequence[str], bins: Mapping[str, BinRule]
) -> dict[str, tuple[str, ...]] | None:
    if given is None:
        return None
    return {
        name: declared_levels(name, values, bins.get(name)) for name, values in _by_column("universe", given, columns)
    }


def _structural_zeros(
    given: Sequence[Mapping[str, object]] | None, columns: Sequence[str]
) -> tuple[dict[str, tuple[str, ...]], ...] | None:
    if given is None:
        return None
    if isinstance(given, Mapping):
        raise ParameterError(
            "must be a list of mappings from column names to values, got one mapping", parameter="structural_zeros"
        )
    rules = []
    for number, rule in enumerate(given, start=1):
        subject = f"structural zero {number}"
        entries = _by_column("structural_zeros", rule, columns, subject)
        rules.append({name: levels_given(value) for name, value in entries})
        if not rules[-1] or not all(rules[-1].values()):
            raise ParameterError(f"{subject} must give at least one column and one value")
    return tuple(rules)


def refuse_unknown_columns(wanted: Iterable[str], present: Sequence[str], place: str) -> None:
    """A :class:`DataError` that names every wanted column that is absent, each with its nearest name."""
    if lacks := _lacking(wanted, present):
        listed = ", ".join(present[:30]) + (", ..." if len(present) > 30 else "")
        raise DataError(f"{place} {lacks} (it has: {listed})")


def refuse_unknown_in_first_line(wanted: Iterable[str], first_line: Sequence[str], place: str) -> None:
    """The same where columns have the names that stand in a file's first line.

    That line may be a person's record all the same, also where one of its values happens to be the name of a column.
    So it is not listed, and a name of it is said only where it is nearly one that was asked for.
    """
    if lacks := _lacking(wanted, first_line, CLOSE_TO_A_VALUE):
        raise DataError(f"{place} {lacks} (its first line has {len(first_line)} columns: is it a header?)")


def _lacking(wanted: Iterable[str], present: Sequence[str], closeness: float = 0.5) -> str:
    """The wanted columns that are absent, each with its nearest name; nothing where all are there."""
    hints = {name: did_you_mean(name, present, closeness) for name in dict.fromkeys(wanted) if name not in present}
    if len(hints) < 2:
        return "".join(f"has no column {name!r}{hint}" for name, hint in hints.items())
    named = (f"{name!r} ({hint.removeprefix('; ')})" if hint else repr(name) for name, hint in hints.items())
    return f"lacks {len(hints)} columns: {', '.join(named)}"


def refuse_missing_header(wanted: Iterable[str], first_line: Sequence[str], place: str) -> None:
    """A :class:`DataError` if the first line has no wanted column. It may be a person's record, so it is not shown.

    A name that was typed in other cases counts as there: the next check then says how it is written.
    """
    names = list(dict.fromkeys(wanted))
    if names and not {name.casefold() for name in names} & {name.casefold() for name in first_line}:
        what = "no column" if len(names) == 1 else "none of the columns"
        raise DataError(
            f"{place} has {what} {', '.join(map(repr, names))}; its first line has {len(first_line)} columns: "
            "is the first line a header?"
        )
