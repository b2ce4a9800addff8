"""Figure 3: 24 panels of average risks against epsilon, with the sentence that all but eight are S-shaped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from epsilens.reproduce.claims import Claim, Finding, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p0.curves import (
    ADULT,
    AS_PRINTED,
    AVERAGES,
    BANKRUPTCY,
    PAIRS,
    SUBSET,
    TITLES,
    Curve,
    Experiment,
    Mechanism,
    curve,
    curves,
    s_shaped,
)
from epsilens.reproduce.p0.experiments import AS_PAIRS

P0 = partial(Place, "P0")
EXACT_OF_CELLS = "exact, by six attributes"


@dataclass(frozen=True)
class PanelOf:
    """One panel: an experiment as print computed it, averaged in one way, under one mechanism."""

    letter: str
    experiment: Experiment
    weighted: bool
    mechanism: Mechanism

    @property
    def what(self) -> str:
        """``Adult, over cells, Laplace``."""
        return f"{self.described.name}, over {AVERAGES[self.weighted]}, {TITLES[self.mechanism]}"

    @property
    def described(self) -> Experiment:
        """The experiment as print describes it: the Adult data by six quasi-identifiers."""
        return ADULT if self.experiment is PAIRS else self.experiment


def panels() -> Iterator[PanelOf]:
    """The 24 panels; those of (epsilon, delta)-DP are b, e, h, k, n, q, t and w, as in print, the rest in our order."""
    letters = iter("abcdefghijklmnopqrstuvwx")
    for experiment in AS_PRINTED:
        for weighted in AVERAGES:
            for mechanism in TITLES:
                yield PanelOf(next(letters), experiment, weighted, mechanism)


def every_curve(panel: PanelOf, data: Data, as_printed: bool = True) -> Finding:
    """Whether all curves of a panel are S-shaped; if not, one that is not."""
    seen = []
    experiment = panel.experiment if as_printed else panel.described
    for delta, found in curves(data, experiment, panel.mechanism, panel.weighted).items():
        finding = s_shaped(found)
        at = "" if delta is None else f"at delta = {delta:g} "
        if not finding.holds:
            return Finding(False, f"{at}{finding.seen}")
        seen.append(f"{at}{finding.seen}")
    return Finding(True, "; ".join(seen))


def _cut_off(panel: PanelOf, data: Data) -> Finding:
    """Whether a panel shows parts of curves only."""
    found = [s_shaped(each) for each in curves(data, panel.described, panel.mechanism, panel.weighted).values()]
    return Finding(not any(each.holds for each in found), found[0].seen)


def shape(panel: PanelOf) -> Statement:
    """What print says of the shape of a panel."""
    place = P0(f"Figure 3, panel ({panel.letter})", panel.what, "P0-8" if panel.described is ADULT else None)
    if panel.mechanism == "gaussian":
        place = P0(f"Figure 3, panel ({panel.letter})", panel.what)
        return Statement(place, "a part of a curve, not S-shaped", partial(_cut_off, panel))
    others = ((AS_PAIRS, partial(every_curve, panel)),) if panel.described is ADULT else ()
    if not panel.weighted:
        place = P0(f"Figure 3, panel ({panel.letter})", panel.what)
    return Statement(place, "S-shaped", partial(every_curve, panel, as_printed=False), others)


def _exact(experiment: Experiment, weighted: bool, data: Data) -> Finding:
    return s_shaped(curve(data, experiment, "laplace", None, weighted, exact=True))


def draw(data: Data) -> Drawing:
    """The 24 panels; those of Laplace noise with the exact risk beside the printed one."""
    drawn = [_panel(data, panel) for panel in panels()]
    whole = curve(data, PAIRS, "laplace", None, False).risks
    printed, exact = (curve(data, SUBSET, "laplace", None, True, exact).at(1.0) for exact in (False, True))
    by_qid = curve(data, ADULT, "laplace", None, True, exact=True)
    says = (
        f"Over cells the risk of the Adult data rises from {whole[0]:.2f} to {whole[-1]:.2f} as printed. By the six "
        f"quasi-identifiers it is {by_qid.at(1e-3):.3f} over people at epsilon = .001, {by_qid.risks.min():.3f} at its "
        f"lowest and {by_qid.at(100.0):.3f} at 100. In the subset, over people at epsilon = 1, the printed bound is "
        f"{printed:.3f} and the exact risk {exact:.3f}."
    )
    return Drawing("P0", "Figure 3", "average risk against epsilon", drawn, says, columns=3)


def _panel(data: Data, panel: PanelOf) -> Panel:
    lines = [
        _series("as printed" if delta is None else f"delta = {delta:g}", found)
        for delta, found in curves(data, panel.experiment, panel.mechanism, panel.weighted).items()
    ]
    of_pairs = panel.experiment is PAIRS
    if panel.mechanism == "laplace" and panel.experiment is not BANKRUPTCY:
        exact = curve(data, panel.described, "laplace", None, panel.weighted, exact=True)
        lines.append(_series(EXACT_OF_CELLS if of_pairs else "exact", exact))
    title = panel.what.replace("Adult", "Adult (pairs)") if of_pairs else panel.what
    return Panel(f"({panel.letter}) {title}", "epsilon", "average risk", lines, log_x=True)


def _series(name: str, found: Curve) -> Series:
    return Series(name, found.epsilons.tolist(), found.risks.tolist())


CLAIMS: tuple[Claim, ...] = (
    *map(shape, panels()),
    *(
        Statement(
            P0(
                f"section 5, observation 2, shape of the Adult data over {AVERAGES[weighted]}",
                "the risk of Definition 6 itself, which the formulas bound, by the six quasi-identifiers, Laplace",
                "P0-9" if weighted else None,
            ),
            "it follows an S shape against log epsilon",
            partial(_exact, ADULT, weighted),
        )
        for weighted in AVERAGES
    ),
    *(
        Statement(
            P0(
                f"section 5, observation 2, shape of the subset over {AVERAGES[weighted]}",
                "the risk of Definition 6 itself, Laplace",
            ),
            "it follows an S shape against log epsilon",
            partial(_exact, SUBSET, weighted),
        )
        for weighted in AVERAGES
    ),
)
FIGURES = (Figure("P0", "Figure 3", draw),)
