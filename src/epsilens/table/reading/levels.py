"""Columns as levels: Ibis expressions for texts, numbers, bins, counts and bounded contributions.

Every expression here compiles for every backend alike: regular expressions without backslashes, no text made from
floating-point bounds. So DuckDB, Spark and PostgreSQL give the same levels, letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from epsilens.errors import DataError
from epsilens.table.bins import BinRule, Edges, Quantiles, Width
from epsilens.table.domain import LARGEST_WHOLE, MISSING
from epsilens.table.reading.fractions import fraction_text

NOT_A_NUMBER = "(not a number)"
"""The level of values that a bin rule cannot read; its presence is an error, reported with its count."""

NUMBER = "^[+-]?([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})([eE][+-]?[0-9]{1,2})?$"
ENDLESS_NUMBER = "^[+]?0*[1-9][0-9]{30,}([.]0*)?$"
"""A whole number of more digits than that."""
WRITTEN_NUMBER = "^[+-]?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,3})?$"
"""A number as a computer writes it. Codes such as 007 are not."""
WRITTEN_WHOLE_NUMBER = "^[+-]?(0|[1-9][0-9]*)([.]0+)?$"
"""Also 39.0, which is what becomes of an age in a file once somebody else's is missing."""

LAST_BLANK = 32
"""The code of the space; all other characters that are stripped come before it."""

LARGEST_COUNT = 2**53
LARGEST_NUMBER = 1e300
LARGEST_BIN = 1e9
FIXED_ROW_SALT = "epsilens: the same rows on every run"
"""For assessments, which must print the same numbers on every run. A release draws a secret salt instead."""
WHOLE = re.compile("0|-?[1-9][0-9]*")
"""A whole number as engines write it."""
EDGE_TOLERANCE = 1e-9
"""Relative to a bin's width: 0.3 is read as the bound of [0.3, 0.4) although its binary form lies just below."""


def as_text(column: Any, missing_values: Sequence[str] = ()) -> Any:
    """The column's values as texts without surrounding blanks; null where missing."""
    dtype = column.type()
    if dtype.is_string():
        text = _stripped(column)
    elif dtype.is_boolean():
        text = column.ifelse("true", column.isnull().ifelse("", "false"))
    elif dtype.is_integer():
        text = column.cast("string")
    elif dtype.is_decimal():
        text = _decimal_text(column)
    elif dtype.is_numeric():
        number = column.cast("float64").nullif(float("nan"))
        # Engines may evaluate a branch for rows that do not take it, so what is cast must fit on every row.
        small = (number.abs() < LARGEST_WHOLE).ifelse(number, _null_number())
        text = (small == small.floor()).ifelse(small.cast("int64").cast("string"), fraction_text(number))
    elif dtype.is_nested() or dtype.is_binary() or dtype.is_geospatial():
        raise DataError(f"column {column.get_name()!r} has the type {dtype}, which cannot be counted by value")
    else:
        text = column.cast("string").strip()
    # NULLIF rather than CASE: an expression that names its argument twice doubles the query at every step.
    for absent in ("", *missing_values):
        text = text.nullif(absent)
    return text


def _stripped(column: Any) -> Any:
    """Texts without blanks at their ends. Few have any, and looking is several times faster than DuckDB's TRIM."""
    return ends_blank(column).ifelse(column.strip(), column)


def ends_blank(column: Any) -> Any:
    """Whether a text may have blanks at its ends, or is empty."""
    return (column.ascii_str() <= LAST_BLANK) | (column.right(1).ascii_str() <= LAST_BLANK)


def _decimal_text(column: Any) -> Any:
    """Every digit of a decimal number but the zeros at its end: through floating point, long numbers would merge."""
    text = column.cast("string").nullif("NaN")
    scale = column.type().scale
    if scale == 0:
        return text
    shortened = text.re_replace("0+$", "").re_replace("[.]$", "")
    return shortened if scale else text.contains(".").ifelse(shortened, text)


def as_number(column: Any, missing_values: Sequence[str] = ()) -> Any:
    """The column's values as floating-point numbers; null where missing or not a finite number."""
    dtype = column.type()
    if dtype.is_numeric() and not dtype.is_boolean():
        number = column.cast("float64")
        if not dtype.is_integer():  # NaN counts as larger than everything in all engines
            number = (number.abs() < LARGEST_NUMBER).ifelse(number, _null_number())
        gaps = written_gaps(column, missing_values)
        return is_missing(column, missing_values).ifelse(_null_number(), number) if gaps else number
    number = as_text(column, missing_values).re_extract(NUMBER, 0).nullif("").cast("float64")
    if not (dtype.is_string() and _is_in_duckdb(column)):
        return number
    # Most numbers are written as DuckDB writes whole ones, which it finds out for a third of the time.
    whole = column.try_cast("int32")
    plain = whole.cast("string") == column
    if whole_gaps := [text for text in missing_values if WHOLE.fullmatch(text)]:
        plain &= column.notin(whole_gaps)
    return plain.ifelse(whole.cast("float64"), number)


def _is_in_duckdb(column: Any) -> bool:
    """Whether DuckDB answers what is asked of a column, so that a cast may be tried."""
    backends, _ = column._find_backends()
    return bool(backends) and all(backend.name == "duckdb" for backend in backends)


def is_missing(column: Any, missing_values: Sequence[str] = ()) -> Any:
    """Whether a value is missing. Numbers are not written as texts only to see that they are there."""
    dtype = column.type()
    if not dtype.is_numeric() or dtype.is_boolean():
        return as_text(column, missing_values).isnull()
    written = written_gaps(column, missing_values)
    if dtype.is_integer():
        return column.isnull() | column.isin(written).fill_null(False) if written else column.isnull()
    if written:
        return as_text(column, missing_values).isnull()
    return column.cast("float64").nullif(float("nan")).isnull()


def written_gaps(column: Any, missing_values: Sequence[str]) -> list[Any]:
    """The declared missing values that a number of this column's type may be written as."""
    dtype = column.type()
    if dtype.is_integer():
        whole = [int(text) for text in missing_values if WHOLE.fullmatch(text)]
        return [number for number in whole if dtype.bounds.lower <= number <= dtype.bounds.upper]
    return [text for text in missing_values if _reads_as_number(text)]


def level_of(text: Any, number: Any | None, rule: BinRule | None) -> Any:
    """The level of each value from its text and, with a bin rule, its number.

    It is the text itself or the bin; :data:`MISSING` and :data:`NOT_A_NUMBER` where there is none.
    """
    import ibis

    if rule is None or number is None:
        return text.fill_null(MISSING)
    index = bin_index(number, rule)
    return ibis.cases((text.isnull(), MISSING), (index.notnull(), bin_label(index, rule)), else_=NOT_A_NUMBER)


def bin_index(number: Any, rule: BinRule, farthest: float | None = None) -> Any:
    """The bin of each number as a whole number of 32 bits, ascending; null where it is in none.

    Bins of one width count from that which begins at 0; between edges, 0 is the bin below the first. No number is
    farther from 0 than ``farthest``, where that is known, so that it need not be looked up row by row.
    """
    if isinstance(rule, Width):
        return _width_index(number, rule, farthest)
    if isinstance(rule, Edges):
        return _edge_index(number, rule)
    raise TypeError("quantile bins must be turned into edges first")


def bin_label(index: Any, rule: BinRule) -> Any:
    """The label of a bin from its number; the bounds of bins of one width are exact decimals."""
    import ibis

    if isinstance(rule, Edges):
        *below, last = rule.labels()
        return ibis.cases(*((index == i, label) for i, label in enumerate(below)), else_=last)
    assert isinstance(rule, Width)
    wide, (before, behind) = index.cast("int64"), rule.brackets
    return before + _bound_text(wide, rule) + ", " + _bound_text(wide + 1, rule) + behind


def _width_index(number: Any, rule: Width, farthest: float | None) -> Any:
    """The bin of those numbers that are near enough to count it."""
    position = number * float(10**rule.decimals) if rule.decimals else number
    position = position / float(rule.scaled_step)
    tolerance = EDGE_TOLERANCE if rule.decimals else 0.0
    if tolerance:
        position = position - tolerance if rule.closed == "right" else position + tolerance
    if farthest is None or farthest * 10**rule.decimals / rule.scaled_step > LARGEST_BIN - 2:
        position = (position.abs() < LARGEST_BIN).ifelse(position, _null_number())
    # cast last: Ibis takes a difference of 32 bits for one of 64, and would leave out the cast that widens it
    return (_rounded("ceil", position) - 1 if rule.closed == "right" else _rounded("floor", position)).cast("int32")


def _rounded(how: str, number: Any) -> Any:
    """Rounded up or down, and still a floating-point number: Ibis itself would cast it to a whole one at once."""
    import ibis

    def rounded(x):  # type: ignore[no-untyped-def]
        """The function that all engines have."""

    return ibis.udf.scalar.builtin(rounded, name=how, signature=(("float64",), "float64"))(number)


def _bound_text(index: Any, rule: Width) -> Any:
    """The lower bound of bin ``index`` as text with as many decimals as the width has."""
    import ibis

    if rule.decimals == 0:
        return (index * rule.scaled_step).cast("string")
    wide = f"decimal(30, {rule.decimals})"
    return (index.cast("decimal(15, 0)") * ibis.literal(rule.step, wide)).cast(wide).cast("string")


def _edge_index(number: Any, rule: Edges) -> Any:
    import ibis

    right = rule.closed == "right"
    branches = [
        (number <= float(edge) if right else number < float(edge), ibis.literal(i, "int32"))
        for i, edge in enumerate(rule.edges)
    ]
    found = ibis.cases(*branches, else_=ibis.literal(len(rule.edges), "int32"))
    return number.notnull().ifelse(found, ibis.null("int32"))


def quantile_edges(number: Any, count: Any, relation: Any, rule: Quantiles) -> Edges | None:
    """The edges of quantile bins: for each j the value with the number of people below it nearest to j/groups of all.

    Where bins are closed on the right it is the number of people up to it: those in the bins that it ends. Edges are
    values of the data themselves, never interpolated, so that every backend finds the same. ``None`` without people.
    """
    import ibis

    right = rule.closed == "right"
    by_value = relation.select(x=number, n=count).filter(lambda t: t.x.notnull() & (t.n > 0))
    by_value = by_value.group_by("x").aggregate(n=by_value.n.sum())
    upto = by_value.n.sum().over(ibis.window(order_by=by_value.x, preceding=(None, 0)))
    ranked = by_value.mutate(below=upto - by_value.n, upto=upto, total=by_value.n.sum().over(ibis.window()))
    beside = ranked.upto.lead() if right else ranked.below.lag()
    ranked = ranked.mutate(beside=beside.over(ibis.window(order_by=ranked.x)))
    # Equal bins would end at multiples of total/groups: only the values next to one of these are fetched.
    away, below, upto = (ranked[name] * rule.groups // ranked.total for name in ("beside", "below", "upto"))
    nearby = (away != (upto if right else below)).fill_null(True) | (below != upto)
    near = ranked.filter(nearby).select("x", "total", cut=ranked.upto if right else ranked.below)
    rows = near.to_pyarrow().to_pylist()
    if not rows:
        return None
    total = int(rows[0]["total"])
    # Nobody is below the least value, and everybody is up to the largest: an edge only if it is the only value.
    cuts = sorted((int(row["cut"]), row["x"]) for row in rows)
    inner = (cuts[:-1] if right else cuts[1:]) or cuts
    chosen = {min(inner, key=lambda cut: abs(cut[0] * rule.groups - total * j)) for j in range(1, rule.groups)}
    return Edges(tuple(sorted(Decimal(repr(float(x))) for _, x in chosen)), rule.closed)


def counts_of(text: Any, number: Any) -> tuple[Any, dict[str, Any]]:
    """Counts as whole numbers, and what is wrong with their values, by kind, as Boolean columns.

    What is not a count is 0, and a count above 2^53 is 2^53: both change by at most 1 where the value does.
    """
    # Ibis makes an integer of what it rounds down, so that must fit on every row.
    small = (number.abs() <= LARGEST_COUNT).ifelse(number, _null_number())
    fractional = (small != small.floor()).fill_null(False)
    # A whole number with more digits than NUMBER reads is still a number, and not a small one.
    endless = text.re_search(ENDLESS_NUMBER).fill_null(False)
    large = (number > LARGEST_COUNT).fill_null(False) | endless
    problems = {
        "missing": text.isnull(),
        "not numbers": text.notnull() & number.isnull() & ~endless,
        "negative": (number < 0).fill_null(False),
        "fractional": ((number >= 0) & fractional).fill_null(False),
        "above 2**53": large,
    }
    usable = ((small >= 0) & ~fractional).fill_null(False)
    return large.ifelse(float(LARGEST_COUNT), usable.ifelse(small, 0.0)).cast("int64"), problems


def row_rank(rows: Any, unit: str, contents: Sequence[str], salt: str, apart: Sequence[str] = ()) -> Any:
    """``rows`` with ``row_rank``, the rank (from 0) of a row among its person's: a random order that ``salt`` repeats.

    Rows are ordered by a hash of salt, person, contents and a running number among the person's rows of equal
    contents. Such rows are alike, so it does not matter which of them gets which number: the counts of the rows kept
    depend on the salt alone, not on the order of the file nor on the engine. And every row has a hash of its own, so
    the m kept are drawn uniformly from the rows: of contents A, A, B one A is kept with probability 2/3.
    Rows that differ in a column of ``apart``, which the contents must decide, are ranked apart from each other.
    """
    import ibis

    # A window function cannot order by another one, hence two steps.
    copy = ibis.row_number().over(ibis.window(group_by=[unit, *contents], order_by=unit))
    rows = rows.mutate(row_copy=copy)
    place = digest(rows[unit], rows.row_copy, [part_of_row(rows[name]) for name in contents], salt)
    return rows.mutate(row_rank=ibis.row_number().over(ibis.window(group_by=[unit, *apart], order_by=place)))


def part_of_row(value: Any) -> Any:
    """A value as it stands in what is hashed: with its length, so that no two different rows read alike."""
    import ibis

    return ibis.literal("|") + value.length().cast("string") + ibis.literal(":") + value


def digest(unit: Any, copy: Any, parts: Sequence[Any], salt: str) -> Any:
    """The hash of a row by which it is ordered among its person's, see :func:`row_rank`.

    ``copy`` is its running number among the person's rows of equal contents, and ``parts`` are these contents as
    :func:`part_of_row` gives them.
    """
    import ibis

    def md5(text):  # type: ignore[no-untyped-def]
        """The backend's MD5, the one hash that DuckDB, Spark and PostgreSQL share."""

    whose = (ibis.literal("|"), unit.length().cast("string"), ibis.literal(":"), unit)  # see part_of_row
    # Put together at once, and not piece by piece.
    whole = ibis.literal("").join([ibis.literal(f"{salt}|"), copy.cast("string"), *whose, *parts])
    return ibis.udf.scalar.builtin(md5, signature=(("string",), "string"))(whole)


def matches(relation: Any, internal: Mapping[str, str], rule: Mapping[str, Sequence[str]]) -> Any:
    """Whether a row of grouped levels has, in every column of the rule, one of its levels.

    ``internal`` are the names of the relation's columns, and the columns they stand for.
    """
    own = {name: key for key, name in internal.items()}
    conditions = [relation[own[name]].isin(list(allowed)) for name, allowed in rule.items()]
    found = conditions[0]
    for condition in conditions[1:]:
        found &= condition
    return found


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _null_number() -> Any:
    import ibis

    return ibis.null("float64")
