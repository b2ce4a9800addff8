"""Options that several commands share: where the data are, which column plays which role, how to print."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from epsilens.checks import finite
from epsilens.errors import ParameterError, SourceError

if TYPE_CHECKING:
    from epsilens.table import FrequencyTable, Schema

Function = TypeVar("Function", bound=Callable[..., Any])


def names(_context: click.Context, _option: click.Parameter, given: str | Sequence[str] | None) -> tuple[str, ...]:
    """``a, b`` as ("a", "b"); an option that was repeated adds up."""
    texts = [given] if isinstance(given, str) else given or ()
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


def numbers(_context: click.Context, option: click.Parameter, text: str | Sequence[str] | None) -> tuple[float, ...]:
    """``0.5,1`` as (0.5, 1.0); an option that was repeated adds up."""
    return tuple(finite(option.name or "value", part) for part in names(_context, option, text))


def was_given(name: str) -> bool:
    """Whether the user gave the option with this parameter name, rather than leave it at its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP)


def with_options(options: Sequence[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    """A decorator that adds all these options, in the order of a first reading."""

    def decorated(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def source_options(function: Function) -> Function:
    """SOURCE and the options that say what is in it."""
    for option in reversed(
        [
            click.argument("source"),
            click.option("--table", metavar="NAME", help="Table to read, when SOURCE is a database URL."),
            click.option(
                "--qid",
                multiple=True,
                callback=names,
                metavar="A,B",
                help="Quasi-identifiers, which an attacker may know.",
            ),
            click.option(
                "--sensitive",
                multiple=True,
                callback=names,
                metavar="Y",
                help="Sensitive attribute(s): what must not be learnt.",
            ),
            click.option(
                "--bins",
                multiple=True,
                metavar="COL=BINS",
                help="Bin a numeric column: age=5 (width), hours=0|20|40 (edges), income=q4 (quantiles). Repeatable.",
            ),
            click.option("--count", metavar="COL", help="SOURCE is a table of counts; COL holds them."),
            click.option(
                "--universe",
                type=click.Path(),
                metavar="U.json",
                help='Declared values: {"column": ["value", ..], "age": {"from": 0, "to": 100}}.',
            ),
            click.option(
                "--missing",
                default="level",
                show_default=True,
                metavar="level|refuse",
                help="Missing values are a level of their own, or an error.",
            ),
            click.option(
                "--missing-value", multiple=True, metavar="TEXT", help="Text that means missing, such as '?'."
            ),
            click.option("--unit", metavar="COL", help="Column that names a person, where people have several rows."),
            click.option(
                "--max-rows", default=1, show_default=True, metavar="M", help="Rows kept per person, with --unit."
            ),
        ]
    ):
        function = option(function)
    return function


def schema_from(given: dict[str, Any]) -> Schema:
    """The schema that the options of :func:`source_options` describe."""
    from epsilens.table import Schema, parse_bins

    for option in ("qid", "sensitive"):
        if not given[option]:
            raise ParameterError(f"--{option} is missing: name at least one column")
    if given["max_rows"] != 1 and given["unit"] is None:
        raise ParameterError(
            "--max-rows bounds the rows of each person: name the column that tells them apart with --unit"
        )
    return Schema(
        quasi_identifiers=given["qid"],
        sensitive=given["sensitive"],
        bins=parse_bins(*given["bins"]),
        universe=_universe(given["universe"]),
        missing=given["missing"],
        missing_values=given["missing_value"],
        unit=given["unit"],
        max_rows_per_unit=given["max_rows"],
    )


def table_from(given: dict[str, Any]) -> FrequencyTable:
    """The frequency table that the options of :func:`source_options` describe, with a sign of life while counting."""
    from epsilens.cli.terminal import working
    from epsilens.table import read_table
    from epsilens.table.reading.levels import FIXED_ROW_SALT

    schema = schema_from(given)
    with working("Counting people"):
        table = read_table(given["source"], schema, table=given["table"], count=given["count"], row_salt=FIXED_ROW_SALT)
        table.signatures()
    return table


def read_json(path: str, what: str, kind: type, example: str = "") -> Any:
    """The JSON object or list in a file; ``what`` names it in errors."""
    shape = "an object" if kind is dict else "a list"
    hint = f", such as {example}" if example else ""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise SourceError(f"cannot read the {what} {path!r}: {problem.strerror}") from None
    except ValueError:
        raise SourceError(f"the {what} {path!r} must be JSON: {shape}{hint}") from None
    if not isinstance(found, kind):
        raise SourceError(f"the {what} {path!r} must be a JSON file with {shape}{hint}")
    return found


def _universe(path: str | None) -> dict[str, Any] | None:
    from epsilens.table.declared import read_universe

    return None if path is None else read_universe(path).levels_of_all()
