"""The homogeneity attack: everyone in a cell has the same sensitive value, so nobody needs to be identified."""

from epsilens.homogeneity import published, repeated
from epsilens.homogeneity.average import average
from epsilens.homogeneity.belief import Belief, belief
from epsilens.homogeneity.by_value import ShownValue, shown_by_value
from epsilens.homogeneity.empirical import EmpiricalRisk, Simulation, empirical, simulate
from epsilens.homogeneity.fit import Fit
from epsilens.homogeneity.local import SCENARIOS, local, scenario_shares, scenarios
from epsilens.homogeneity.models.dirichlet_fits import DirichletShares, fit_dirichlet
from epsilens.homogeneity.models.expected import expected, marginal, marginal_shrinkage, shrinkage
from epsilens.homogeneity.models.fits import fit_sizes
from epsilens.homogeneity.models.sizes import FixedSize, NegativeBinomialSize, PoissonSize, ZeroInflatedSize
from epsilens.homogeneity.published import hard as published_hard
from epsilens.homogeneity.published import soft as published_soft
from epsilens.homogeneity.repeated.attributes import at_least_one_attribute, attribute_risks, overall
from epsilens.homogeneity.repeated.pooling import pooled_noise
from epsilens.homogeneity.repeated.releases import Release, SizeRelease
from epsilens.homogeneity.thresholding import (
    guess_probabilities,
    hard,
    soft,
    threshold_belief,
)

__all__ = [
    "SCENARIOS",
    "Belief",
    "DirichletShares",
    "EmpiricalRisk",
    "Fit",
    "FixedSize",
    "NegativeBinomialSize",
    "PoissonSize",
    "Release",
    "ShownValue",
    "Simulation",
    "SizeRelease",
    "ZeroInflatedSize",
    "at_least_one_attribute",
    "attribute_risks",
    "average",
    "belief",
    "empirical",
    "expected",
    "fit_dirichlet",
    "fit_sizes",
    "guess_probabilities",
    "hard",
    "local",
    "marginal",
    "marginal_shrinkage",
    "overall",
    "pooled_noise",
    "published",
    "published_hard",
    "published_soft",
    "repeated",
    "scenario_shares",
    "scenarios",
    "shown_by_value",
    "shrinkage",
    "simulate",
    "soft",
    "threshold_belief",
]
