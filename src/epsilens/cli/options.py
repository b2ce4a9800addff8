"""Options that several commands share, each declared once: where the data are, the noise, the measure, how to print.

An option has the name of the parameter that it is in the library, so that questions are built from what was given and
errors are spelt as options.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from epsilens.checks import finite
from epsilens.project import values
from epsilens.project.values import taken as taken

if TYPE_CHECKING:
    from epsilens.table import FrequencyTable
    from epsilens.table.to_read import TableToRead

Function = TypeVar("Function", bound=Callable[..., Any])


def names(_context: click.Context, option: click.Parameter, given: str | Sequence[str] | None) -> tuple[str, ...]:
    """``a, b`` as ("a", "b"); an option that was repeated adds up."""
    several = str(option.metavar).endswith(",..")  # names of ours; columns are A,B
    return values.names(_name(option), given, f"is missing: name at least one{'' if several else ' column'}")


def numbers(_context: click.Context, option: click.Parameter, text: str | Sequence[str] | None) -> tuple[float, ...]:
    """``0.5,1`` as (0.5, 1.0); an option that was repeated adds up."""
    return values.numbers(_name(option), text)


def fraction(_context: click.Context, option: click.Parameter, text: str | float | None) -> float | None:
    """``1/864`` or ``0.02`` as a number; None where the option was not given."""
    return None if text is None else values.fraction(_name(option), text)


def fractions(_context: click.Context, option: click.Parameter, text: str | Sequence[str] | None) -> tuple[float, ...]:
    """``1/2,0.1`` as (0.5, 0.1); an option that was repeated adds up."""
    return values.fractions(_name(option), text)


def number(_context: click.Context, option: click.Parameter, text: str | float | None) -> float | None:
    """``0.5`` as 0.5; None where the option was not given."""
    return None if text is None else finite(_name(option), text)


def whole_number(_context: click.Context, option: click.Parameter, text: str | int | None) -> int | None:
    """``20`` as 20; None where the option was not given."""
    return None if text is None else values.whole_number(_name(option), text)


def whole_numbers(_context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, ...]:
    """``3,6`` as (3, 6)."""
    return values.wholes(_name(option), text)


def numbers_or_name(
    _context: click.Context, option: click.Parameter, text: str | None
) -> str | tuple[float, ...] | None:
    """``1,2`` as (1.0, 2.0); a single word as it is."""
    return None if text is None else values.numbers_or_name(_name(option), text)


def ends(_context: click.Context, option: click.Parameter, text: str | None) -> tuple[float, float] | None:
    """``0.01:10`` as (0.01, 10.0); None where the option was not given."""
    return None if text is None else values.ends(_name(option), text)


def _name(option: click.Parameter) -> str:
    return option.name or "value"


def was_given(name: str) -> bool:
    """Whether the user gave the option with this parameter name, rather than leave it at its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP)


def typed(given: Mapping[str, Any]) -> set[str]:
    """The names of those options that the user gave."""
    return {name for name in given if was_given(name)}


def with_options(options: Sequence[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    """A decorator that adds all these options, in the order of a first reading."""

    def decorated(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def whole_option(*names: str, default: int, metavar: str, help: str) -> Callable[[Function], Function]:  # noqa: A002
    """A whole number with a default."""
    return click.option(
        *names, default=str(default), show_default=True, callback=whole_number, metavar=metavar, help=help
    )


BINS = click.option(
    "--bins",
    multiple=True,
    metavar="COL=BINS",
    help="Bin a numeric column: age=5 (width), hours=0|20|40 (edges), income=q4 (quantiles); a bracket at the end, "
    "age=5], closes bins on the right. Repeatable.",
)
WHERE = click.option(
    "--where",
    multiple=True,
    metavar="COND",
    help="Read only rows for which this holds: 'age>=18', 'country=Chile|Peru', 'job!=none'; 'job!=' for those that "
    "have one. Any column. Repeatable, all must hold.",
)
COPY = click.option(
    "--copy",
    "copies",
    multiple=True,
    metavar="NEW=COL",
    help="Read a column a second time under a new name: decade=age, with bins of its own. Repeatable.",
)
ROWS = (
    WHERE,
    COPY,
    click.option(
        "--missing",
        multiple=True,
        metavar="RULE",
        help="Missing values are a level of their own, an error (refuse), or their rows are left out (drop); or by "
        "column, job=drop, or a public value in their place, income=50001. Repeatable.  [default: level]",
    ),
    click.option(
        "--missing-value", "missing_values", multiple=True, metavar="TEXT", help="Text that means missing, such as '?'."
    ),
    click.option("--unit", metavar="COL", help="Column that names a person, where people have several rows."),
    whole_option("--max-rows", "max_rows_per_unit", default=1, metavar="M", help="Rows kept per person, with --unit."),
)
"""Which rows are read, whose they are, and what becomes of missing values."""

HARMFUL = click.option(
    "--harmful",
    multiple=True,
    metavar="COL=VALUE",
    help="A value of a sensitive attribute that harms whoever is shown to have it: stroke=1, or stroke=1*3 to "
    "count it three times. Repeatable.  [default: every value but missing ones]",
)

_ENGINE = (
    click.option(
        "--engine", metavar="duckdb|spark", help="Who reads files; the result is the same.  [default: duckdb]"
    ),
    click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory of the engine on this machine, 4GB or 512MiB; what does not fit is spilt to disk.",
    ),
    click.option(
        "--threads", callback=whole_number, metavar="N", help="Threads of the engine on this machine.  [default: all]"
    ),
    click.option(
        "--spark-master", metavar="M", help="Where Spark is, with --engine spark: local[2], spark://host:7077, yarn."
    ),
)


def engine_options(function: Function) -> Function:
    """Options that say who reads the data; whatever the command reads is read so."""

    @functools.wraps(function)
    def called(**given: Any) -> Any:
        from epsilens.table.engine import engine_from, using

        with using(engine_from(given)):
            return function(**given)

    found: Any = called
    return cast(Function, with_options(_ENGINE)(found))


SOURCE = (
    click.argument("source"),
    click.option("--table", metavar="NAME", help="Table to read, when SOURCE is a database URL."),
    click.option(
        "--qid",
        "quasi_identifiers",
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
    BINS,
    click.option("--count", metavar="COL", help="SOURCE is a table of counts; COL holds them."),
    click.option(
        "--universe",
        type=click.Path(),
        metavar="U.json",
        help='Declared values: {"column": ["value", ..], "age": {"from": 0, "to": 100}}.',
    ),
    HARMFUL,
    *ROWS,
    engine_options,
)
"""SOURCE and the options that say what is in it."""

STRUCTURAL_ZEROS = click.option(
    "--structural-zeros",
    type=click.Path(),
    metavar="Z.json",
    help='Impossible cells, which get no noise: [{"a": "x", "y": ["n"]}].',
)
_PUBLISH = "Several --sensitive: one table of their combinations, or one table for each.  [default: {}]"
PUBLISH = click.option("--publish", metavar="joint|separate", help=_PUBLISH.format("joint"))
PUBLISH_EITHER = click.option(
    "--publish", metavar="joint|separate", help=_PUBLISH.format("each in its own, all in a joint one")
)
BUDGET_OF = click.option(
    "--budget",
    "budget_of",
    metavar="each|all",
    help="Of several tables: epsilon is the budget of each, or of all together, evenly divided.  [default: each]",
)
DELTA = click.option("--delta", callback=number, metavar="D", help="Delta, for the Gaussian mechanisms.")
DELTAS = click.option(
    "--delta",
    "deltas",
    multiple=True,
    callback=numbers,
    metavar="D,..",
    help="Delta or several, for the Gaussian mechanisms.",
)
EPSILON_RANGE = click.option(
    "--epsilon-range", callback=ends, metavar="A:B", help="Where the axis of epsilon begins and ends."
)
DELTA_RANGE = click.option(
    "--delta-range", callback=ends, metavar="A:B", help="Where the axis of delta begins and ends."
)
NEIGHBOURS = click.option(
    "--neighbours",
    default="add-remove",
    show_default=True,
    metavar="N",
    help="What the budget protects: add-remove (one person more or less) or substitute.",
)
MATCH = click.option(
    "--match",
    metavar="any|share",
    help="What counts: a cell if anybody in it has the label read off it, or the share who have it.  "
    "[default: any; share for hard and soft]",
)
SIZE_MODEL = click.option(
    "--size-model",
    metavar="LAW",
    help="Law of cell sizes for the marginal measures: poisson, negative-binomial, or zero-inflated-...; they are "
    "fitted, unless given as poisson=MEAN, negative-binomial=SHAPE,MEAN, zero-inflated-poisson=SHARE,MEAN or "
    "fixed=SIZE.  [default: poisson]",
)
SIZE_FIT = click.option(
    "--size-fit",
    metavar="ml|moments|bayes",
    help="How it is fitted: maximum likelihood, moments, or (Poisson) the posterior mean under Jeffreys's prior.  "
    "[default: ml]",
)
ALPHA = click.option(
    "--alpha",
    callback=numbers_or_name,
    metavar="A,..",
    help="Dirichlet parameters for the shrinkage measures: one per label, or 'moments'.  [default: fitted]",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")

# The registries of these names take a second to import. Help does not wait for them; a test compares.
_MECHANISMS = (
    "laplace, discrete-laplace, gaussian (classic, epsilon < 1), gaussian-probabilistic, gaussian-analytic, "
    "discrete-gaussian."
)
_MEASURES = (
    "local, expected, shrinkage, marginal, marginal-shrinkage, hard, soft; as printed: published-local etc. (P0), "
    "published-p1-local etc. (P1)"
)
_ATTACKS = "single, two-level or unique-levels"
MECHANISM = click.option("--mechanism", default="laplace", show_default=True, metavar="M", help=_MECHANISMS)
MECHANISMS = click.option(
    "--mechanism",
    "mechanisms",
    multiple=True,
    callback=names,
    default=["laplace"],
    show_default=True,
    metavar="M,..",
    help=_MECHANISMS,
)
MEASURE = click.option(
    "--measure",
    default="local",
    show_default=True,
    metavar="M",
    help=f"{_MEASURES}; or posterior, posterior-ratio, posterior-decision.",
)
MEASURES = click.option(
    "--measure",
    "measures",
    multiple=True,
    callback=names,
    default=["local"],
    show_default=True,
    metavar="M,..",
    help=f"Risk measures: {_MEASURES}; all, or published, for all of a kind.",
)


def attack_option(help: str, default: str | None = "unique-levels") -> Callable[[Function], Function]:  # noqa: A002
    """The adversary on a hierarchy; ``help`` says ``{names}`` where the adversaries are listed."""
    return click.option("--attack", default=default, show_default=True, metavar="A", help=help.format(names=_ATTACKS))


def plot_option(what: str) -> Callable[[Function], Function]:
    """Where to draw ``what``."""
    return click.option("--plot", type=click.Path(), metavar="FILE", help=f"{what}: .svg, .png or .html.")


def table_to_read(given: Mapping[str, Any]) -> TableToRead:
    """The table that the options of :data:`SOURCE` describe, not read yet."""
    from epsilens.project.asking import table_of

    return table_of(given)


def counted_table(data: TableToRead) -> FrequencyTable:
    """The table, read with a sign of life while counting."""
    from epsilens.cli.terminal import working

    with working("Counting people"):
        return data.read()


EPSILONS = click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    callback=numbers,
    metavar="E,..",
    help="Budgets.  [default: 0.1,0.5,1,2,5]",
)

ORDERED = click.option(
    "--ordered", callback=names, metavar="A,B", help="Columns whose levels have an order, such as bins."
)

GENERALISATIONS = click.option(
    "--hierarchy",
    multiple=True,
    metavar="COL=H.json",
    help="Generalisation tree of a column: {child: parent}. Repeatable.",
)

SWAPPED_COLUMNS = click.option(
    "--swap", callback=names, metavar="A,B", help="Columns to swap.  [default: all quasi-identifiers]"
)
