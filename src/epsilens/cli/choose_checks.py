"""What ``epsilens choose`` was asked for, refused in one line before any data is read where it makes no sense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epsilens.checks import finite, one_of, positive, probability
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.choice.beside.profiles import RiskProfile

CHARTS = ("risk", "frontier", "iso-risk", "marginals", "trade-off", "levers")
HIERARCHY_CHARTS = ("risk", "iso-risk", "trade-off")
_OF_TABLES = {
    "qid": "--qid", "sensitive": "--sensitive", "bins": "--bins", "universe": "--universe", "unit": "--unit",
    "missing_value": "--missing-value", "with_levers": "--levers", "export": "--export", "attributes": "--attributes",
}  # fmt: skip
_OF_HIERARCHIES = ("by", "codes", "attack", "rare", "shares")


@dataclass(frozen=True)
class Request:
    """The numbers and names that were given, checked."""

    max_risk: float
    max_people: int | None
    max_error: float | None
    delta: float | None
    profile: RiskProfile | None
    chart: str
    script: str
    options: dict[str, Any]
    """Those of the measure."""


def checked(given: dict[str, Any]) -> Request:
    """Everything that can be refused without looking at the data."""
    from epsilens.choice.beside.profiles import parse_profile
    from epsilens.choice.choose.dial import ALL_MEASURES, POSTERIOR_MEASURES
    from epsilens.noise import MECHANISMS

    if given["max_risk"] is None:
        raise ParameterError("--max-risk is missing: say which risk is tolerable, such as --max-risk 0.3")
    one_of("--mechanism", given["mechanism"], MECHANISMS)
    one_of("--measure", given["measure"], ALL_MEASURES)
    posterior = given["measure"] in POSTERIOR_MEASURES
    max_risk = finite("--max-risk", given["max_risk"])
    summed = given["attributes"] == "sum"
    if given["measure"] != "posterior-ratio" and not 0 < max_risk <= (len(given["sensitive"]) if summed else 1):
        raise ParameterError(
            f"--max-risk must lie in (0, {len(given['sensitive'])}], got {max_risk:g}; it is a sum of probabilities"
            if summed
            else f"--max-risk must lie in (0, 1], got {max_risk:g}; it is a probability, 0.3 for 30 %"
        )
    _refuse_ignored(given, posterior)
    options = _options(given)
    return Request(
        max_risk,
        _whole("--max-people", given["max_people"], 0),
        None if given["max_error"] is None else positive("--max-error", given["max_error"]),
        _delta(given),
        None if given["profile"] is None else parse_profile(given["profile"]),
        one_of("--chart", given["chart"] or "risk", HIERARCHY_CHARTS if given["levels"] else CHARTS),
        given["script"] or "release_opendp.py",
        options,
    )


def _refuse_ignored(given: dict[str, Any], posterior: bool) -> None:
    """Options that would change nothing are refused: whoever gives one believes that it does something."""
    from epsilens.choice.aggregates import aggregate
    from epsilens.noise import MECHANISMS

    measure = given["measure"]
    if given["max_people"] is not None and given["aggregate"] is not None:
        raise ParameterError("--max-people is an aggregate of its own: leave out --aggregate, or --max-people")
    if given["aggregate"] is not None:
        aggregate(given["aggregate"])
    if given["prior"] is not None and not posterior:
        raise ParameterError(f"--prior is for posterior measures: the attacker of {measure!r} has none; leave it out")
    if given["against"] is not None and one_of("--against", given["against"], MECHANISMS) == given["mechanism"]:
        raise ParameterError(f"--against names the mechanism itself, {given['against']!r}; name another one")
    if given["with_levers"] and posterior:
        raise ParameterError(
            f"--levers change nothing for {measure!r}: a coarser table has the same risk; leave it out"
        )
    if given["export"] is not None:
        one_of("--export", given["export"], ("opendp",))
    else:
        for name in ("script", "round_down"):
            if given[name]:
                raise ParameterError(f"--{name.replace('_', '-')} needs --export opendp, which it belongs to")
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    elif given["chart"] is not None:
        one_of("--chart", given["chart"], CHARTS)
        raise ParameterError("--chart needs --plot FILE, where to draw it")
    if given["in_rho"] and given["profile"] is not None:
        raise ParameterError("--profile is stated in epsilon; leave out --rho, or the profile")
    _refuse_mixed_sources(given, posterior)


def _refuse_mixed_sources(given: dict[str, Any], posterior: bool) -> None:
    """A table has quasi-identifiers and a sensitive attribute, a hierarchy levels and characteristics."""
    if not given["levels"]:
        for name in _OF_HIERARCHIES:
            if given[name]:
                raise ParameterError(f"--{name} belongs to a hierarchy: name the columns of its groups with --levels")
        if given["attributes"] not in (None, "joint") and len(given["sensitive"]) < 2:
            one_of("--attributes", given["attributes"], ("joint", "max", "sum"))
            raise ParameterError(f"--attributes {given['attributes']} needs several --sensitive columns")
        return
    if not given["by"]:
        raise ParameterError("--levels needs --by: the characteristics that make people alike")
    if not posterior:
        raise ParameterError(
            f"--levels goes with a measure such as --measure posterior-ratio; {given['measure']!r} is one of tables"
        )
    for name, option in _OF_TABLES.items():
        if given[name]:
            raise ParameterError(
                f"{option} belongs to a table, and --levels says that SOURCE is a hierarchy; leave it out"
            )


def _delta(given: dict[str, Any]) -> float | None:
    """The delta, refused where no mechanism takes it or where one lacks it."""
    from epsilens.noise.mechanisms import refuse_needless_delta

    if given["delta"] is None:
        return None
    delta = probability("--delta", given["delta"])
    if given["in_rho"]:
        raise ParameterError("--delta belongs to epsilon; --rho needs none, so leave it out")
    refuse_needless_delta(name for name in (given["mechanism"], given["against"]) if name is not None)
    return delta


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """The options of the measure that were given."""
    taken = ("match", "size_model", "attributes", "attack")
    options: dict[str, Any] = {name: given[name] for name in taken if given[name] is not None}
    if given["alpha"] is not None:
        text = given["alpha"]
        options["alpha"] = text if text == "moments" else tuple(finite("--alpha", part) for part in text.split(","))
    if given["prior"] is not None:
        options["prior"] = probability("--prior", given["prior"])
    if given["rare"] is not None:
        options["rare"] = _whole("--rare", given["rare"], 1)
    if given["shares"]:
        options["shares"] = given["shares"]
        if len(given["shares"]) != len(given["levels"]):
            raise ParameterError(
                f"--shares needs one number per level ({len(given['levels'])}), got {len(given['shares'])}"
            )
    return options


def _whole(option: str, text: str | None, least: int) -> int | None:
    if text is None:
        return None
    number = finite(option, text)
    if number < least or number != int(number):
        raise ParameterError(f"{option} must be a whole number >= {least}, got {number:g}")
    return int(number)
