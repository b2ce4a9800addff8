"""Every sensitivity by name, with what its docstring says about it: for the command line and for the checker.

The docstring of a function is the one home of its formula, source and assumptions. Python drops docstrings under
``-OO``; they are then read from the source, so that no answer loses what it rests on.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from epsilens.budget import NEIGHBOURS
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError
from epsilens.notebook import brief, facts_html
from epsilens.sensitivity import counts, moments, pooled, published, ranges

STATISTICS: dict[str, Callable[..., float]] = {
    "count": counts.count,
    "histogram": counts.histogram,
    "histogram_tree": counts.histogram_tree,
    "proportion": counts.proportion,
    "proportions": counts.proportions,
    "mean": moments.mean,
    "variance": moments.variance,
    "covariance": moments.covariance,
    "pooled_variance": pooled.pooled_variance,
    "pooled_covariance": pooled.pooled_covariance,
}
PUBLISHED: dict[str, Callable[..., float]] = {
    "proportions": published.proportions,
    "pooled_variance": published.pooled_variance,
    "pooled_covariance": published.pooled_covariance,
}
RANGES: dict[str, Callable[..., tuple[float, float]]] = {
    "proportion": ranges.proportion_range,
    "proportions": ranges.proportion_range,
    "mean": ranges.mean_range,
    "variance": ranges.variance_range,
    "covariance": ranges.covariance_range,
    "pooled_variance": ranges.pooled_variance_range,
    "pooled_covariance": ranges.pooled_covariance_range,
}
"""Between which values a statistic lies; counts have no upper end."""
CASES: dict[Callable[..., float], Callable[..., int]] = {
    pooled.pooled_variance: pooled.variance_case,
    pooled.pooled_covariance: pooled.covariance_case,
}
"""Formulas of several cases, and which of them applies."""

_LABELS = ("Source", "Assumes", "Departs from print")
_PRIVATE_N = "n is private under add-remove: pass a public n or a public lower bound of it, never the count of the data"
_PRIVATE_SIZES = (
    "group sizes are private here: whatever sizes enter a noise scale are published; "
    "where they are hidden, all it takes is the number of groups and a public n, or a public lower bound of it"
)


@dataclass(frozen=True)
class Description:
    """A sensitivity and what it rests on."""

    statistic: str
    neighbours: str
    value: float
    formula: str
    details: str
    source: str
    assumes: str
    departures: tuple[str, ...]
    cautions: tuple[str, ...]

    __repr__ = brief
    _repr_html_ = facts_html


def describe(statistic: str, neighbours: str = "add-remove", **arguments: Any) -> Description:
    """The sensitivity of ``statistic`` with its formula, source, assumptions and departures from print.

    ``arguments`` are those of the function of the same name: ``describe("variance", n=100, lower=0, upper=1)``.
    """
    function = named(statistic)
    value = evaluated(function, neighbours, arguments)
    text = labelled_parts(function)
    return Description(
        statistic,
        neighbours,
        value,
        " ".join([*text["summary"], *_case(function, text["details"], neighbours, arguments)]),
        "\n".join(text["details"]).strip(),
        " ".join(text["Source"]),
        " ".join(text["Assumes"]),
        tuple(text["Departs from print"]),
        _cautions(neighbours, arguments),
    )


def named(statistic: str, published: bool = False) -> Callable[..., float]:
    """The function that gives the sensitivity of ``statistic``; hyphens may stand for underscores."""
    name = str(statistic).replace("-", "_")
    if published:
        if name in STATISTICS and name not in PUBLISHED:
            raise ParameterError(f"P3 prints the right value for {name}; published versions: {', '.join(PUBLISHED)}")
        return PUBLISHED[one_of("statistic", name, PUBLISHED)]
    return STATISTICS[one_of("statistic", name, STATISTICS)]


def summary(statistic: str) -> str:
    """What the sensitivity of ``statistic`` is of, without its formula: "How far a sample mean can move"."""
    return " ".join(labelled_parts(named(statistic))["summary"]).partition(":")[0]


def evaluated(function: Callable[..., float], neighbours: str, arguments: dict[str, Any]) -> float:
    """``function`` at ``arguments``; unknown and missing ones are named in the error."""
    one_of("neighbours", neighbours, NEIGHBOURS)
    parameters, called = inspect.signature(function).parameters, function.__name__.replace("_", " ")
    for name in arguments:
        if name not in parameters:
            taken = ", ".join(f"`{parameter}`" for parameter in parameters)
            raise ParameterError(
                f"the sensitivity of {called} takes {taken}; got `{name}`{did_you_mean(name, parameters)}"
            )
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty and arguments.get(name) is None
    ]
    if missing:
        needed = ", ".join(f"`{name}`" for name in missing)
        raise ParameterError(f"the sensitivity of {called} needs {needed}, not given")
    return function(neighbours=neighbours, **arguments)


def labelled_parts(function: Callable[..., float]) -> dict[str, list[str]]:
    """The docstring of ``function`` by part: summary, details (line by line), source, assumptions and departures.

    A labelled part ends at a blank line or at the next label. The docstring is the one home of these sentences.
    """
    parts: dict[str, list[str]] = {"summary": [], "details": [], **{label: [] for label in _LABELS}}
    current = "summary"
    for line in (inspect.getdoc(function) or _docstring_in_source(function)).splitlines():
        label = next((candidate for candidate in _LABELS if line.startswith(candidate)), None)
        if label is not None:
            current = label
            text = line.removeprefix(label).removeprefix(":")
            parts[current].append(text.strip())
        elif not line.strip() and current == "summary":
            current = "details"
        elif current == "details":
            parts[current].append(line)
        elif line.strip():
            parts[current][-1:] = [" ".join([*parts[current][-1:], line.strip()])]
    return parts


def _case(
    function: Callable[..., float], details: list[str], neighbours: str, arguments: dict[str, Any]
) -> tuple[str, ...]:
    """The case of the formula that applies here, where the docstring lists several."""
    if function not in CASES:
        return ()
    cases: list[str] = []
    for line in details:
        if line.startswith("* "):
            cases.append(line.removeprefix("* "))
        elif line.startswith("  "):
            cases[-1] += f" {line.strip()}"
    told = {name: arguments[name] for name in ("may_change_group", "reveal_largest") if name in arguments}
    return (f"Here: {cases[CASES[function](neighbours, len(arguments['sizes']), **told)]}",)


def _docstring_in_source(function: Callable[..., float]) -> str:
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    return (ast.get_docstring(definition) if isinstance(definition, ast.FunctionDef) else None) or ""


def _cautions(neighbours: str, arguments: dict[str, Any]) -> tuple[str, ...]:
    cautions = []
    if neighbours == "add-remove" and "n" in arguments:
        cautions.append(_PRIVATE_N)
    sizes_move = neighbours == "add-remove" or arguments.get("may_change_group", False)
    if "sizes" in arguments and sizes_move and arguments.get("reveal_largest", True):
        cautions.append(_PRIVATE_SIZES)
    return tuple(cautions)
