"""The papers, and where the claims and figures of each are."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass

from epsilens.checks import one_of
from epsilens.reproduce.claims import Claim
from epsilens.reproduce.drawings import Figure

ALL = "all"


@dataclass(frozen=True)
class Paper:
    """A paper, whose claims and figures are imported when they are asked for."""

    name: str
    title: str
    subject: str
    """What it is about, in a few words: a heading."""
    modules: tuple[str, ...]
    """In the order of its pages; each has ``CLAIMS``, and ``FIGURES`` if there are any."""

    def claims(self) -> list[Claim]:
        """What it says, in its own order."""
        return [claim for module in self._imported() for claim in getattr(module, "CLAIMS", ())]

    def figures(self) -> list[Figure]:
        """What it draws, in its own order."""
        return [figure for module in self._imported() for figure in getattr(module, "FIGURES", ())]

    def _imported(self) -> list[object]:
        return [importlib.import_module(f"epsilens.reproduce.{self.name.lower()}.{name}") for name in self.modules]


PAPERS = {
    paper.name: paper
    for paper in (
        Paper("P0", "F. Liu, X. Zhao: Disclosure Risk from Homogeneity Attack in Differentially Privately Sanitized "
              "Frequency Distribution", "homogeneity attack", (
                  "mechanisms", "cells", "scenarios", "measures", "laplace_theorem", "takeaways", "homogeneous",
                  "gaussian_theorem", "repeated", "observations", "experiments", "figure_3", "asymptotes", "utility",
                  "discussion", "proofs", "empirical_bayes", "two_labels")),
        Paper("P1", "F. Liu, X. Zhao, G. Zhang: Disclosure Risk from Homogeneity Attack in Differentially Private "
              "Frequency Distribution", "homogeneity attack, earlier version", (
                  "preliminaries", "laplace", "gaussian", "applications", "curves", "figures", "discussion", "proofs")),
        Paper("P2", "K. Zhu, F. Fioretto, P. Van Hentenryck, S. Das, C. Task: Privacy and Bias Analysis of Disclosure "
              "Avoidance Systems", "disclosure avoidance systems",
              ("figure_1", "section_3", "privacy", "bias", "figures", "fairness", "tables", "digits", "comparisons",
               "classification", "behind_the_tables", "algorithms", "proofs")),
        Paper("P3", "F. Liu: Supplement to Statistical Properties of Sanitized Results from Differentially Private "
              "Laplace Mechanism with Univariate Bounding Constraints", "sensitivities",
              ("definitions", "means", "variances", "covariances", "covariance_cases", "pooled_variances",
               "pooled_covariances", "pooled_covariance_cases", "bounded")),
        Paper("P4", "Z. Kazan, J. P. Reiter: Assessing Statistical Disclosure Risk for Differentially Private, "
              "Hierarchical Count Data", "Bayesian adversary",
              ("budgets", "one_level", "hierarchy", "census_1940", "table4", "table5", "figure3", "tables7_8",
               "figure4", "figures5_6", "other_attacks", "sums", "priors", "composition", "postprocessing")),
    )
}  # fmt: skip


def papers(names: Sequence[str]) -> list[Paper]:
    """The papers of these names, in their own order; ``all`` and no name at all are every one."""
    for name in names:
        one_of("papers", name, (*PAPERS, ALL))
    wanted = set(PAPERS) if not names or ALL in names else set(names)
    return [paper for name, paper in PAPERS.items() if name in wanted]
