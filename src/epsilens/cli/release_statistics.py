"""``epsilens release-statistics``: microdata in, published means, proportions and (co)variances out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.checks import finite, one_of
from epsilens.cli.options import WHERE, numbers, with_options
from epsilens.cli.release_options import (
    ACCOUNT_OPTIONS,
    END_OPTIONS,
    NEIGHBOURS_OPTION,
    PERSON_OPTIONS,
    SOURCE_OPTIONS,
    notice,
    output_from,
    payment_from,
    show_preflight,
)
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.release.statistics import Statistic
    from epsilens.release.statistics.question import StatisticsQuestion

OPTIONS = [
    *SOURCE_OPTIONS,
    click.option(
        "--statistic",
        "-s",
        "written",
        multiple=True,
        metavar="WHAT",
        help="What to publish, with public bounds: 'mean age=0:100'. Repeatable; see above.",
    ),
    click.option(
        "--statistics",
        "listed",
        type=click.Path(),
        metavar="S.json",
        help='More of them: [{"kind": "mean", "column": "age", "lower": 0, "upper": 100}, ..].',
    ),
    click.option("--epsilon", type=float, metavar="E", help="Budget of this release, for all statistics together."),
    click.option(
        "--shares",
        callback=numbers,
        metavar="S,..",
        help="How the statistics share it, in their order.  [default: equally]",
    ),
    NEIGHBOURS_OPTION,
    click.option(
        "--n",
        type=int,
        metavar="N",
        help="Public lower bound of the number of records; required under add-remove, where the number is private.",
    ),
    click.option(
        "--bounding",
        default="clamped",
        show_default=True,
        metavar="B",
        help="clamped (to the statistic's range, free), none, or truncated (drawn again, with more noise).",
    ),
    click.option(
        "--adding-up",
        metavar="HOW",
        help="Proportions that add up: simplex (the nearest ones that do) or rescale (divided by their sum).  "
        "[default: simplex]",
    ),
    click.option(
        "--bins",
        multiple=True,
        metavar="COL=BINS",
        help="Bins of a column of levels or groups: age=5 (width), hours=0|20|40 (edges); a bracket at the end, "
        "age=5], closes them on the right. Repeatable.",
    ),
    WHERE,
    *PERSON_OPTIONS,
    click.option(
        "--missing-value", "missing_values", multiple=True, metavar="TEXT", help="Text that means missing, such as '?'."
    ),
    click.option(
        "--missing",
        multiple=True,
        metavar="COL=VALUE",
        help="Public value in place of a column's missing ones (bmi=25), or bmi=drop to leave such records out, as "
        "without it (add-remove). 'drop' alone is for all columns; 'exclude' says the same. Repeatable.",
    ),
    *ACCOUNT_OPTIONS,
    click.option(
        "--confidence", default=0.95, show_default=True, metavar="C", help="Of the interval of each statistic."
    ),
    *END_OPTIONS,
]


@click.command("release-statistics")
@with_options(OPTIONS)
def command(**given: Any) -> None:
    """Publish means, proportions, variances and covariances, paid from a budget ledger.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    What to publish (--statistic, repeatable):
      'mean age=0:100'                      'variance income=0:200000'
      'proportion sex=f'                    'proportions region=north|south|west'
      'covariance age=0:100,income=0:200000'
      'covariance-matrix age=0:100,income=0:200000,hours=0:80'
      'pooled-variance income=0:200000 by region=north|south|west'
      'pooled-covariance age=0:100,income=0:200000 by region=north|south|west'

    \b
    Example:
      epsilens release-statistics people.csv -s 'mean age=0:100' \\
        -s 'proportion sex=female' --epsilon 0.5 --n 1000 \\
        --one-row-per-person --ledger b.db --account survey-2026 \\
        --total-epsilon 2 --out statistics.csv

    Bounds are public: never take them from the data. What lies outside is moved to the nearer bound, and counted in the
    internal report. Records that do not fit what was declared are left out (under substitute they stay, in the middle
    of the bounds), and never refused, which would tell of them: --check says beforehand how many there are. Beside the
    output stand its card (.card.json and .card.md, publishable) and that report (.internal.json, not for publication).
    """
    from epsilens.cli.terminal import print_json, show, show_lines, working
    from epsilens.release.statistics.release import released
    from epsilens.release.terms import Watch
    from epsilens.report.words.common import Grid
    from epsilens.report.words.release import released_statistics_lines, statistics_headings, statistics_rows

    question = question_from(given)
    if given["check"]:
        show_preflight(question, given["source"], given["as_json"])
        return
    with working("Summing records"):
        answer = released(question, given["source"], Watch(notice))
    if given["as_json"]:
        print_json(answer.to_dict())
        return
    show([Grid("", statistics_headings(answer), statistics_rows(answer), words=1)])
    show_lines(released_statistics_lines(answer))


def question_from(given: dict[str, Any]) -> StatisticsQuestion:
    """The question that the options ask; everything that can be refused without the data is refused here."""
    from epsilens.budget import budget_from
    from epsilens.release.statistics.question import Bounding, Records, StatisticsQuestion
    from epsilens.release.terms import Person
    from epsilens.table import parse_bins

    payment, output = payment_from(given), output_from(given)
    budget = budget_from(given["epsilon"])
    if budget is None:
        raise ParameterError("is missing: the budget of this release", parameter="epsilon")
    wanted = [*(_written(text) for text in given["written"]), *_listed(given["listed"])]
    if not wanted:
        raise ParameterError(
            "is missing",
            parameter="statistics",
            remedy="name what to publish, such as `statistics='mean age=0:100'`",
        )
    return StatisticsQuestion(
        statistics=_made_to_add_up(wanted, given["adding_up"]),
        budget=budget,
        person=Person(given["unit"], given["max_rows_per_unit"], given["one_row_per_person"], given["neighbours"]),
        payment=payment,
        shares=given["shares"] or None,
        records=Records(
            given["n"],
            _missing(given["missing"]),
            given["missing_values"],
            given["table"],
            parse_bins(*given["bins"]),
            given["where"],
        ),
        choices=Bounding(given["bounding"], given["confidence"]),
        output=output,
    )


def _made_to_add_up(wanted: list[Statistic], how: str | None) -> list[Statistic]:
    """The statistics with their proportions made to add up as was asked for."""
    from dataclasses import replace

    from epsilens.release.statistics import Proportions

    if how is None:
        return wanted
    if not any(isinstance(statistic, Proportions) for statistic in wanted):
        raise ParameterError("is about proportions, and none are released", parameter="adding_up")
    return [
        replace(statistic, adding_up=how) if isinstance(statistic, Proportions) else statistic for statistic in wanted
    ]


def _written(text: str) -> Statistic:
    """``mean age=0:100`` as a statistic."""
    from epsilens.release.statistics import KINDS, statistic_from

    kind, _, rest = text.strip().partition(" ")
    one_of("statistics", kind, KINDS)
    plain: dict[str, Any] = {"kind": kind}
    if kind in {"proportion", "proportions"}:
        column, levels = _column_and_levels(kind, rest)
        plain |= {"column": column} | ({"levels": levels} if kind == "proportions" else {"level": "|".join(levels)})
        return statistic_from(plain)
    if kind.startswith("pooled-"):
        rest, by, groups = rest.rpartition(" by ")
        if not by:
            raise ParameterError(f"a {kind} is pooled over declared groups: '{kind} x=0:1 by site=a|b'")
        plain["group"], plain["groups"] = _column_and_levels(kind, groups)
    bounded = [_bounded(kind, part) for part in rest.split(",")]
    if kind in {"mean", "variance", "pooled-variance"}:
        if len(bounded) > 1:
            raise ParameterError(f"a {kind} is of one column, got {len(bounded)}")
        plain |= dict(zip(("column", "lower", "upper"), bounded[0], strict=True))
    else:
        columns, lower, upper = (list(part) for part in zip(*bounded, strict=True))
        plain |= {"columns": columns, "lower": lower, "upper": upper}
    return statistic_from(plain)


def _bounded(kind: str, text: str) -> tuple[str, float, float]:
    """``age=0:100`` as a column and its bounds."""
    column, equals, bounds = text.strip().rpartition("=")
    lower, colon, upper = bounds.partition(":")
    if not equals or not colon:
        raise ParameterError(f"a {kind} needs public bounds, as in '{kind} age=0:100'; got {text.strip()!r}")
    column = column.strip()
    return column, finite(f"the lower bound of {column!r}", lower), finite(f"the upper bound of {column!r}", upper)


def _column_and_levels(kind: str, text: str) -> tuple[str, list[str]]:
    """``site=a|b`` as a column and its levels."""
    column, equals, levels = text.strip().partition("=")
    if not equals:
        raise ParameterError(
            f"a {kind} needs a column and its levels, as in 'region=north|south'; got {text.strip()!r}"
        )
    return column.strip(), [level.strip() for level in levels.split("|")]


def _listed(path: str | None) -> list[Statistic]:
    """The statistics of a JSON file."""
    if path is None:
        return []
    from epsilens.release.statistics import statistic_from
    from epsilens.table.json_files import read_json

    example = '[{"kind": "mean", "column": "age", "lower": 0, "upper": 100}]'
    return [statistic_from(plain) for plain in read_json(path, "list of statistics", list, example)]


_EXCLUDED = {"drop": "exclude"}
"""The word of tables for what statistics call by the other one."""


def _missing(texts: tuple[str, ...]) -> Any:
    """``exclude``, or values by column; a column that is left to be excluded has none."""
    if not texts:
        return None
    if texts in (("exclude",), ("drop",), ("refuse",)):
        return _EXCLUDED.get(texts[0], texts[0])
    values = {}
    for text in texts:
        column, equals, value = text.partition("=")
        if not equals:
            raise ParameterError("must be 'exclude' or COL=VALUE", parameter="missing", got=text)
        values[column.strip()] = _EXCLUDED.get(value.strip(), value.strip())
    return values
