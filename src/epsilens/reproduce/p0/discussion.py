"""Section 6, S5 and Figure S1: attackers who read cells with several labels too, and more accurate mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.homogeneity.local import local_risks
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.cases import HOMOGENEOUS, MORE_LABELS, TWO_LABELS, listed
from epsilens.reproduce.p0.curves import AVERAGES, BANKRUPTCY, EPSILONS, PAIRS, Curve, curve, s_shaped
from epsilens.reproduce.p0.enumeration import Cell
from epsilens.reproduce.p0.experiments import AS_PAIRS, TableOf
from epsilens.reproduce.printed import Printed

P0 = partial(Place, "P0")
Rule: TypeAlias = Literal["hard", "soft"]
RULES: tuple[Rule, Rule] = ("hard", "soft")
GEOMETRIC = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0)


def threshold_curve(data: Data, rule: Rule, table: TableOf, weighted: bool = False, exact: bool = False) -> Curve:
    """The average risk of thresholding, as printed or (``exact``) for a random member of a cell."""

    def found() -> Curve:
        ready = tables.ready(data, table(data), rule if exact else f"published-{rule}")
        risks = as_floats([ready.average(LaplaceNoise(1.0 / float(e)), weighted) for e in EPSILONS])
        return Curve(EPSILONS, risks)

    return data.once(("threshold", rule, table, weighted, exact), found)


def end(rule: Rule, table: TableOf, small: bool, exact: bool, data: Data) -> float:
    """The risk over cells at the smallest or at the largest epsilon of Figure S1."""
    return float(threshold_curve(data, rule, table, False, exact).risks[0 if small else -1])


def upper(paper: str, where: str, rule: Rule) -> Number:
    """The printed upper asymptote of a rule."""
    return Number(
        Place(
            paper,
            f"{where}, upper asymptote with {rule} thresholding",
            "the risk at epsilon = 100, Adult data over cells",
            "P0-8",
        ),
        Printed("100%"),
        partial(end, rule, tables.adult, False, False),
        exact=partial(end, rule, tables.adult, False, True),
        readings=(Reading(AS_PAIRS, partial(end, rule, tables.pairs, False, False)),),
    )


def lower(paper: str, where: str) -> list[Statement]:
    """The lower asymptotes of both rules, over cells and over people: print does not say which average it is."""
    return [
        Statement(
            Place(
                paper,
                f"{where}, lower asymptote with {rule} thresholding over {AVERAGES[weighted]}",
                "the risk as epsilon tends to 0, Adult data",
                "P0-8" if weighted else None,
            ),
            "above 1/4",
            partial(lower_shifts, rule, tables.adult, weighted),
            ((AS_PAIRS, partial(lower_shifts, rule, tables.pairs, weighted)),) if weighted else (),
        )
        for rule in RULES
        for weighted in AVERAGES
    ]


def lower_shifts(rule: Rule, table: TableOf, weighted: bool, data: Data) -> Finding:
    """Whether the risk at the smallest epsilon is above 1/4."""
    found = float(threshold_curve(data, rule, table, weighted).risks[0])
    return Finding(found > 0.25, f"it is {found:.4f} at epsilon = {EPSILONS[0]:g}")


def rises(rule: Rule, table: TableOf, data: Data) -> Finding:
    """Whether the curve of a rule is S-shaped."""
    return s_shaped(threshold_curve(data, rule, table))


def steepness(data: Data, weighted: bool) -> dict[str, float]:
    """The greatest slope of each rule's curve and of that of the homogeneity attack, on the pairs of the Adult data."""
    plain = curve(data, PAIRS, "laplace", None, weighted)
    return {"homogeneity alone": float(plain.slopes.max())} | {
        f"{rule} thresholding": float(threshold_curve(data, rule, tables.pairs, weighted).slopes.max())
        for rule in RULES
    }


def flatter(weighted: bool, data: Data) -> Finding:
    """Whether the curves of both rules are less steep than that of the homogeneity attack."""
    plain, *others = (slopes := steepness(data, weighted)).values()
    return Finding(max(others) < plain, _slopes_told(slopes))


def soft_is_flattest(weighted: bool, data: Data) -> Finding:
    """Whether soft thresholding has the least steep curve."""
    slopes = steepness(data, weighted)
    return Finding(slopes["soft thresholding"] < slopes["hard thresholding"], _slopes_told(slopes))


def _slopes_told(slopes: dict[str, float]) -> str:
    return "the greatest slopes per e-fold of epsilon are " + ", ".join(f"{v:.3f} ({k})" for k, v in slopes.items())


def absolute_error(noise: LaplaceNoise | DiscreteLaplaceNoise) -> float:
    """E|noise|, rounded to whole numbers as published counts are."""
    reach = np.arange(1.0, 4000.0)
    return float(2.0 * (reach @ noise.pmf(reach)))


def more_accurate_more_risk(cells: Sequence[Cell], _: Data) -> Finding:
    """Whether geometric noise, which is more accurate, leaves more risk than Laplace noise of the same epsilon."""
    worst, seen = 0.0, f"in all of {len(GEOMETRIC) * len(cells)} cells and epsilons"
    for epsilon in GEOMETRIC:
        laplace, geometric = LaplaceNoise(1.0 / epsilon), DiscreteLaplaceNoise(1.0 / epsilon)
        errors = absolute_error(geometric), absolute_error(laplace)
        if errors[0] >= errors[1]:
            return Finding(
                False, f"at epsilon = {epsilon:g} its error is {errors[0]:.4f}, and {errors[1]:.4f} of Laplace"
            )
        for cell in cells:
            ours, theirs = (float(local_risks(np.array([cell]), noise)[0]) for noise in (geometric, laplace))
            if ours - theirs < min(worst, -1e-12):
                worst = ours - theirs
                seen = (
                    f"at epsilon = {epsilon:g} the counts {listed(cell)} have a risk of {ours:.4f} under geometric "
                    f"noise (mean error {errors[0]:.3f}) and {theirs:.4f} under Laplace noise ({errors[1]:.3f})"
                )
    return Finding(worst == 0.0, seen)


def geometric_shape(data: Data) -> Finding:
    """Whether the risk of the Bankruptcy data is S-shaped under geometric noise too."""
    noises = [DiscreteLaplaceNoise(1.0 / float(epsilon)) for epsilon in EPSILONS]
    return s_shaped(Curve(EPSILONS, BANKRUPTCY.risks(data, noises, False, exact=True)))


def threshold_drawing(paper: str, place: str) -> Callable[[Data], Drawing]:
    """The figure of S5, which is P1's Figure 6 as well."""

    def draw(data: Data) -> Drawing:
        chosen = (
            ("Adult, pairs of a cell and an income (as printed)", tables.pairs, False),
            ("Adult, by its six quasi-identifiers (exact)", tables.adult, True),
        )
        panels = [
            Panel(
                title,
                "epsilon",
                "average risk, over cells",
                [_line(f"{rule} thresholding", threshold_curve(data, rule, table, exact=exact)) for rule in RULES],
                log_x=True,
            )
            for title, table, exact in chosen
        ]
        ends = [
            end(rule, table, small, exact, data)
            for _, table, exact in chosen
            for rule in RULES
            for small in (True, False)
        ]
        says = (
            f"As printed the risk rises from {ends[0]:.3f} to {ends[1]:.2f} with hard and from {ends[2]:.3f} to "
            f"{ends[3]:.2f} with soft thresholding. By the six quasi-identifiers it ends at {ends[5]:.3f} and "
            f"{ends[7]:.3f}, what the labels themselves give away."
        )
        return Drawing(paper, place, "thresholding of cells with several labels", panels, says)

    return draw


def _line(name: str, found: Curve) -> Series:
    return Series(name, _plain(found.epsilons), _plain(found.risks))


def _plain(values: FloatArray) -> list[float]:
    return [float(value) for value in values]


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P0("section 6, accuracy and homogeneous cells", "the risk of homogeneous cells under geometric noise"),
        "it is more accurate than Laplace noise of the same epsilon, and the risk is higher",
        partial(more_accurate_more_risk, HOMOGENEOUS),
    ),
    Statement(
        P0("section 6, accuracy and heterogeneous cells", "the risk of any cells under geometric noise", "P0-19"),
        "it is more accurate than Laplace noise of the same epsilon, and the risk is higher",
        partial(more_accurate_more_risk, (*TWO_LABELS, *MORE_LABELS)),
    ),
    Statement(
        P0("section 6, geometric mechanism", "the risk of the Bankruptcy data under geometric noise"),
        "S-shaped",
        geometric_shape,
    ),
    *(upper("P0", "section 6", rule) for rule in RULES),
    *lower("P0", "section 6"),
    *(
        Statement(
            P0(f"section 6, shape with {rule} thresholding", "the risk of the Adult data over cells"),
            "somewhat S-shaped",
            partial(rises, rule, tables.adult),
            ((AS_PAIRS, partial(rises, rule, tables.pairs)),),
        )
        for rule in RULES
    ),
    *(
        Statement(
            P0(
                f"section 6, flatter over {AVERAGES[weighted]}",
                "the steepness of the curves of thresholding, pairs of the Adult data",
            ),
            "flatter than that of the homogeneity attack",
            partial(flatter, weighted),
        )
        for weighted in AVERAGES
    ),
    Statement(
        P0("section 6, soft thresholding", "the steepness of both curves over cells, pairs of the Adult data", "P0-20"),
        "the soft one is the flatter",
        partial(soft_is_flattest, False),
        (("over people", partial(soft_is_flattest, True)),),
    ),
)
FIGURES = (Figure("P0", "Figure S1", threshold_drawing("P0", "Figure S1")),)
