"""Section 5 and appendix E with Figure 6: thresholding, and what the formulas capture."""

from __future__ import annotations

from functools import partial

from epsilens.reproduce.claims import Claim, Place, Statement
from epsilens.reproduce.drawings import Figure
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.discussion import RULES, lower, rises, threshold_drawing, upper
from epsilens.reproduce.p0.experiments import AS_PAIRS
from epsilens.reproduce.p1.curves import ADULT_ONLY, matches, sentence

P1 = partial(Place, "P1")

CLAIMS: tuple[Claim, ...] = (
    *(
        sentence(
            name,
            "section 5, what is captured",
            "the analytical risk beside simulated releases, Laplace noise",
            "captured perfectly, without Monte-Carlo error",
            partial(matches, "laplace"),
            ADULT_ONLY,
        )
        for name in ("Adult", "Bankruptcy")
    ),
    *(upper("P1", "section 5", rule) for rule in RULES),
    *lower("P1", "section 5"),
    *(
        Statement(
            P1(f"section 5, shape with {rule} thresholding", "the risk of the Adult data over cells"),
            "S-shaped",
            partial(rises, rule, tables.adult),
            ((AS_PAIRS, partial(rises, rule, tables.pairs)),),
        )
        for rule in RULES
    ),
)
FIGURES = (Figure("P1", "Figure 6", threshold_drawing("P1", "Figure 6")),)
