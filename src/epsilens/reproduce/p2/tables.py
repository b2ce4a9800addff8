"""Tables 1 to 3: delta, the l1 norm of the bias and alpha of five systems at four budgets on three extracts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from epsilens.avoidance import published
from epsilens.avoidance.anonymity import DPKAnonymity
from epsilens.reproduce.claims import Claim, Number, Place, Reading
from epsilens.reproduce.p2.extracts import EXTRACTS, Extract
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.section_3 import K
from epsilens.reproduce.p2.table_values import (
    Column,
    Way,
    estimated,
    exactly,
    least_bound,
    of_samples,
    on_average,
    suppression_delta,
    system_of,
)
from epsilens.reproduce.printed import Printed

TITLES = {
    "laplace": "Laplace",
    "discrete-gaussian": "discrete Gaussian",
    "dp-suppression": "DP suppression",
    "dp-swapping": "DP swapping",
    "dp-k-anonymity": "DP k-anonymity",
}
STATED: dict[str, Way] = {
    "laplace": "laplace, not rounded",
    "discrete-gaussian": "gaussian of the text",
    "dp-suppression": "suppression",
    "dp-swapping": "swapping",
}
"""What the text says that each system does."""
BEHIND: dict[str, tuple[Way, str]] = {
    "laplace": ("laplace", "with noisy counts rounded to whole people"),
    "discrete-gaussian": ("gaussian", "with noise of variance 20 / epsilon (the text has 4 / epsilon^2)"),
}
"""What the numbers show that it did, where that is something else."""
SPREAD = "as the spread of the mean errors of 200 releases, not of the biases"
OPEN = "which columns Mondrian cuts, into what, and against which table errors are taken"
COLUMNS: tuple[Column, Column] = ("l1", "alpha")
_DEPARTS = {
    ("laplace", "l1"): "P2-1",
    ("discrete-gaussian", "l1"): "P2-2",
    ("dp-suppression", "l1"): "P2-1",
    ("laplace", "alpha"): "P2-7",
    ("discrete-gaussian", "alpha"): "P2-7",
}
_WHAT = {"l1": "l1 norm of the empirical bias", "alpha": "alpha, the spread of the biases"}


def told(number: float, name: str = "", column: Column | None = None) -> str:
    """A number of the tables as it is printed: biases of DP k-anonymity have one decimal, also where it is 0."""
    if (name, column) == ("dp-k-anonymity", "l1"):
        return f"{number:.1f}"
    return f"{number:.0E}".replace("E-0", "E-") if 0.0 < number < 1e-3 else f"{number:.10g}"


@dataclass(frozen=True)
class Line:
    """A line of a table: three numbers of a system at a budget."""

    table: str
    """As ``avoidance.published`` names it: ``P2 Table 1``."""
    name: str
    epsilon: float
    printed: tuple[float, float, float]

    @property
    def extract(self) -> Extract:
        """The data of the table."""
        return EXTRACTS[self.table]

    def place(self, what: str, departs: str | None) -> Place:
        """Where one of its numbers stands."""
        where = f"{self.table.removeprefix('P2 ')}, epsilon = {self.epsilon:g}, {TITLES[self.name]}"
        return Place("P2", where, what, departs)

    def claims(self) -> Iterator[Claim]:
        """Its three numbers."""
        yield _delta(self)
        for column, number in zip(COLUMNS, self.printed[1:], strict=True):
            printed = Printed(told(number, self.name, column))
            yield (_anonymous if self.name == "dp-k-anonymity" else _of_law)(self, column, printed)


def stated_delta(line: Line) -> float:
    """What print's formulas say; they do not depend on the largest count once that is about 30."""
    match line.name:
        case "laplace":
            return system_of("laplace", line.epsilon).published_delta() or 0.0
        case "discrete-gaussian":
            return published.discrete_gaussian_text_delta(line.epsilon)
        case "dp-suppression":
            return suppression_delta(line.table, line.epsilon)
        case "dp-swapping":
            return published.swapping_delta(line.epsilon, LEVELS)
        case _:
            return published.k_anonymity_delta(line.epsilon, least_bound(line.table))


def exact_delta(line: Line) -> float:
    """What they bound."""
    system = {
        "laplace": system_of("laplace", line.epsilon),
        "discrete-gaussian": system_of("gaussian", line.epsilon),
        "dp-suppression": system_of("suppression", line.epsilon),
        "dp-swapping": system_of("swapping", line.epsilon),
        "dp-k-anonymity": DPKAnonymity(K, line.epsilon),
    }[line.name]
    return system.delta(bound=least_bound(line.table)) or 0.0


def _delta(line: Line) -> Number:
    of_tables = Reading(BEHIND["discrete-gaussian"][1], lambda _: published.discrete_gaussian_delta(line.epsilon))
    return Number(
        line.place("delta", {"discrete-gaussian": "P2-2", "dp-swapping": "P2-3"}.get(line.name)),
        Printed(told(line.printed[0])),
        lambda _: stated_delta(line),
        lambda _: exact_delta(line),
        readings=(of_tables,) if line.name == "discrete-gaussian" else (),
        bounds=True,
    )


def _of_law(line: Line, column: Column, printed: Printed) -> Number:
    """A number of a system whose law is known: what print's estimate of it is on average.

    Of noise it is next to nothing but chance in alpha, which print does not say: what is stated there is the spread of
    the biases themselves.
    """
    stated = STATED[line.name]
    behind, how = BEHIND.get(line.name, (stated, ""))

    def average(way: Way) -> Reading:
        name = ", and ".join(
            part for part in (SPREAD if column == "alpha" else "", how if way == behind else "") if part
        )
        return Reading(name, lambda data: on_average(data, line.extract, way, line.epsilon, column))

    by_chance = column == "alpha" and line.name in BEHIND
    ways = dict.fromkeys((stated, behind))
    readings = tuple(average(way) for way in ways if by_chance or way != stated)
    as_stated = exactly if by_chance else on_average
    return Number(
        line.place(_WHAT[column], _DEPARTS.get((line.name, column))),
        printed,
        lambda data: as_stated(data, line.extract, stated, line.epsilon, column),
        lambda data: exactly(data, line.extract, behind, line.epsilon, column),
        lambda data: estimated(data, line.extract, behind, line.epsilon)[column].standard_error,
        readings,
    )


def _anonymous(line: Line, column: Column, printed: Printed) -> Number:
    readings = (
        Reading("against the sample", lambda data: of_samples(data, line.extract, line.epsilon, column, "sample")),
        Reading(
            "against the sample by single years of age",
            lambda data: of_samples(data, line.extract, line.epsilon, column, "sample", "years"),
        ),
    )
    return Number(
        line.place(_WHAT[column], "P2-8"),
        printed,
        lambda data: of_samples(data, line.extract, line.epsilon, column, "table"),
        readings=readings,
        leaves_open=OPEN,
    )


LINES = tuple(
    Line(table, name, epsilon, numbers)
    for table, (_, printed) in published.PUBLISHED_TABLES.items()
    for epsilon in next(iter(printed.values()))
    for name, by_epsilon in printed.items()
    for numbers in (by_epsilon[epsilon],)
)
CLAIMS: list[Claim] = [claim for line in LINES for claim in line.claims()]
