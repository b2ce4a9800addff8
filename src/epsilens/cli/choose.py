"""``epsilens choose``: a tolerable risk in, a budget out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.options import schema_from, source_options, table_from

if TYPE_CHECKING:
    from epsilens.choice.choose import BudgetChoice
    from epsilens.choice.profiles import RiskProfile
    from epsilens.table import FrequencyTable

CHARTS = ("risk", "frontier", "iso-risk", "marginals", "trade-off", "levers")


@click.command("choose")
@source_options
@click.option("--max-risk", metavar="R", help="The ceiling, a probability in (0, 1].  [required]")
@click.option("--max-people", metavar="M", help="At most M people may be above the ceiling, instead of the average.")
@click.option("--max-error", metavar="E", help="Also a ceiling on the expected absolute error of a count.")
@click.option(
    "--profile",
    metavar="P",
    help="Also a risk profile: '3', 'max(0.25/p,3)' or 'max(0.25/(pq),3)' (posterior / prior).",
)
@click.option(
    "--mechanism",
    default="laplace",
    show_default=True,
    metavar="M",
    help="laplace, discrete-laplace, gaussian, gaussian-probabilistic, gaussian-analytic or discrete-gaussian.",
)
@click.option("--delta", metavar="D", help="Delta, for the Gaussian mechanisms.")
@click.option("--rho", "in_rho", is_flag=True, help="Choose rho (zCDP) instead of epsilon.")
@click.option(
    "--measure",
    default="local",
    show_default=True,
    metavar="M",
    help="A measure of `epsilens assess`, or posterior, posterior-ratio, posterior-decision.",
)
@click.option(
    "--aggregate",
    default="mean",
    show_default=True,
    metavar="A",
    help="mean (over people), cell-mean, max, or a quantile such as q95 or cell-q95.",
)
@click.option("--match", metavar="any|share", help="As in `epsilens assess`.")
@click.option("--size-model", metavar="LAW", help="As in `epsilens assess`.")
@click.option("--alpha", metavar="A,..", help="As in `epsilens assess`.")
@click.option("--prior", metavar="P", help="The adversary's prior, for the posterior measures.  [default: 0.5]")
@click.option("--neighbours", default="add-remove", show_default=True, metavar="N", help="add-remove or substitute.")
@click.option(
    "--round-down", is_flag=True, help="Use the public grid 1, 2, 5, 10, ... for the budget that is exported."
)
@click.option("--against", metavar="M", help="Compare errors with another mechanism at the same risk.")
@click.option("--levers", "with_levers", is_flag=True, help="Also what coarser or fewer quasi-identifiers would do.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="Draw a chart: .svg, .png or .html.")
@click.option("--chart", default="risk", show_default=True, metavar="KIND", help=f"What to draw: {', '.join(CHARTS)}.")
@click.option("--export", metavar="opendp", help="Write a Python script that releases the table with OpenDP.")
@click.option("--script", default="release_opendp.py", show_default=True, metavar="FILE", help="Where to write it.")
def command(**given: Any) -> None:
    """Which budget keeps the risk at or below a ceiling, and at which price.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens choose adult.csv --qid age,sex,race --sensitive income --bins age=5 --max-risk 0.3
      epsilens choose adult.csv --qid age,sex --sensitive income --max-risk 0.5 --max-people 10
      epsilens choose adult.csv --qid age,sex --sensitive income --max-risk 0.3 --profile 'max(0.25/p,3)'
      epsilens choose adult.csv --qid age,sex --sensitive income --max-risk 0.3 --export opendp

    The result is computed from true data: it is internal, not for publication.
    """
    profile, numbers = _checked(given)
    schema = schema_from(given)
    if given["export"] is not None:
        from epsilens.choice.opendp_script import check_exportable, check_script_path

        check_exportable(given["source"], schema)
        check_script_path(given["script"])
    table = table_from(given)
    choice = _chosen(table, given, numbers)
    answer = _answer(choice, profile, given, numbers)
    if given["plot"] is not None:
        _draw(choice, given, numbers)
    if given["export"] is not None:
        _export(choice, answer, given)
    _show(answer, given)


def _checked(given: dict[str, Any]) -> tuple[RiskProfile | None, dict[str, float]]:
    """The profile and the numbers, all refused before any data is read."""
    from epsilens.choice.aggregates import PeopleAbove, aggregate
    from epsilens.choice.profiles import parse_profile
    from epsilens.choice.risk_dial import ALL_MEASURES
    from epsilens.errors import ParameterError, finite, one_of
    from epsilens.noise import MECHANISMS

    if given["max_risk"] is None:
        raise ParameterError("--max-risk is missing: say which risk is tolerable, such as --max-risk 0.3")
    names = ("max_risk", "max_people", "max_error", "delta", "prior")
    numbers = {name: finite(f"--{name.replace('_', '-')}", given[name]) for name in names if given[name] is not None}
    one_of("mechanism", given["mechanism"], MECHANISMS)
    one_of("measure", given["measure"], ALL_MEASURES)
    one_of("chart", given["chart"], CHARTS)
    aggregate(given["aggregate"])
    if "max_people" in numbers:
        PeopleAbove(numbers["max_people"])  # type: ignore[arg-type]
    if given["measure"] != "posterior-ratio" and not 0 < numbers["max_risk"] <= 1:
        raise ParameterError(
            f"--max-risk must lie in (0, 1], got {numbers['max_risk']:g}; it is a probability, 0.3 for 30 %"
        )
    if given["against"] is not None:
        one_of("mechanism", given["against"], MECHANISMS)
    if given["export"] is not None:
        one_of("--export", given["export"], ("opendp",))
    if given["plot"] is not None:
        from epsilens.report.charts import check_chart_path

        check_chart_path(given["plot"])
    if given["in_rho"] and given["profile"] is not None:
        raise ParameterError("--profile is stated in epsilon; leave out --rho, or the profile")
    return (None if given["profile"] is None else parse_profile(given["profile"])), numbers


def _options(given: dict[str, Any], numbers: dict[str, float]) -> dict[str, Any]:
    """The options of the measure that were given."""
    from epsilens.errors import finite

    options: dict[str, Any] = {name: given[name] for name in ("match", "size_model") if given[name] is not None}
    if given["alpha"] is not None:
        text = given["alpha"]
        options["alpha"] = text if text == "moments" else tuple(finite("alpha", part) for part in text.split(","))
    if "prior" in numbers:
        options["prior"] = numbers["prior"]
    return options


def _chosen(table: FrequencyTable, given: dict[str, Any], numbers: dict[str, float]) -> BudgetChoice:
    from epsilens.choice.choose import choose_budget
    from epsilens.cli.terminal import working
    from epsilens.errors import ParameterError

    people = numbers.get("max_people")
    with working("Scanning budgets") as progress:
        try:
            return choose_budget(
                table,
                given["mechanism"],
                numbers["max_risk"],
                given["measure"],
                given["aggregate"],
                None if people is None else int(people),
                numbers.get("max_error"),
                numbers.get("delta"),
                given["neighbours"],
                "rho" if given["in_rho"] else "epsilon",
                progress=progress,
                **_options(given, numbers),
            )
        except TypeError as problem:
            if "unexpected keyword argument" not in str(problem):
                raise
            option = str(problem).rsplit("'", 2)[-2].replace("_", "-")
            raise ParameterError(f"measure {given['measure']!r} has no option --{option}; leave it out") from None


def _answer(
    choice: BudgetChoice, profile: RiskProfile | None, given: dict[str, Any], numbers: dict[str, float]
) -> dict[str, Any]:
    """The JSON of the answer, with its companions and its words."""
    from epsilens.choice.frontier import at_matched_risk, lever_effects
    from epsilens.choice.profiles import profile_budget
    from epsilens.choice.risk_dial import risk_dial
    from epsilens.choice.worst_case import worst_case_of
    from epsilens.report.choice import choice_sentences

    dial = choice.dial
    answer = choice.to_dict() | {"aggregate_words": dial.aggregate.words}
    if profile is not None:
        allowed = profile_budget(profile, dial.neighbours)
        answer |= {"profile": allowed.to_dict(), "combined_budget": choice.capped(allowed.epsilon)}
        answer["public_budget"] = choice.public_budget_within(allowed.epsilon)
    if choice.noise is not None and dial.table.max_rows_per_unit == 1:  # its law is that of one row per person
        answer["worst_case"] = worst_case_of(choice.noise, dial.neighbours, numbers.get("prior", 0.5)).to_dict()
    if given["against"] is not None:
        other = risk_dial(
            dial.table, given["against"], dial.aggregate, dial.measure, numbers.get("delta"), dial.neighbours,
            dial.parameter, **_options(given, numbers),
        )  # fmt: skip
        found = at_matched_risk(dial, other, choice.max_risk)
        answer["matched_risk"] = None if found is None else found.to_dict()
    if given["with_levers"] and choice.noise is not None and choice.budget is not None:
        effects = lever_effects(
            dial.table, choice.budget, dial.mechanism, dial.delta, dial.measure, dial.aggregate, dial.neighbours,
            dial.parameter, **_options(given, numbers),
        )  # fmt: skip
        answer["levers"] = [effect.to_dict() for effect in effects]
    answer["sentences"] = choice_sentences(answer)
    return answer


def _export(choice: BudgetChoice, answer: dict[str, Any], given: dict[str, Any]) -> None:
    from epsilens.choice.opendp_script import opendp_script, write_script
    from epsilens.errors import ParameterError

    budget = answer["combined_budget"] if "combined_budget" in answer else answer["budget"]
    if given["round_down"]:
        budget = answer["public_budget"]
    if budget is None:
        raise ParameterError(f"there is no budget to export: {answer['sentences'][0]}")
    script = opendp_script(choice.dial, float(budget), given["source"], schema_from(given), given["count"])
    write_script(script, given["script"])


def _draw(choice: BudgetChoice, given: dict[str, Any], numbers: dict[str, float]) -> None:
    from epsilens.cli.terminal import working
    from epsilens.report import choice_charts
    from epsilens.report.charts import save_chart

    with working("Drawing"):
        drawn = choice_charts.draw(given["chart"], choice, given["against"], _options(given, numbers))
        save_chart(drawn, given["plot"])


def _show(answer: dict[str, Any], given: dict[str, Any]) -> None:
    from epsilens.cli.terminal import console, print_json
    from epsilens.report.words import INTERNAL

    if given["as_json"]:
        print_json(answer)
        return
    from rich.markup import escape

    out = console()
    out.print(f"[bold]Epsilens[/bold]  [dim]{INTERNAL}[/dim]\n")
    out.print(escape(" ".join(answer["sentences"])))
    if given["plot"] is not None:
        out.print(f"\nChart written to {escape(given['plot'])} (internal).")
    if given["export"] is not None:
        out.print(
            f"\nScript written to {escape(given['script'])}; it holds no counts. Read its first lines before use."
        )
