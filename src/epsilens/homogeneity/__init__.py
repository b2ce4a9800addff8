"""The homogeneity attack: everyone in a cell has the same sensitive value, so nobody needs to be identified."""

from epsilens.homogeneity import published
from epsilens.homogeneity.average import average
from epsilens.homogeneity.belief import Belief, belief
from epsilens.homogeneity.dirichlet_fits import DirichletShares, fit_dirichlet
from epsilens.homogeneity.expected import expected, marginal, marginal_shrinkage, shrinkage
from epsilens.homogeneity.fits import Fit, fit_sizes
from epsilens.homogeneity.local import SCENARIOS, local, scenarios
from epsilens.homogeneity.models import FixedSize, NegativeBinomialSize, PoissonSize, ZeroInflatedSize

__all__ = [
    "SCENARIOS",
    "Belief",
    "DirichletShares",
    "Fit",
    "FixedSize",
    "NegativeBinomialSize",
    "PoissonSize",
    "ZeroInflatedSize",
    "average",
    "belief",
    "expected",
    "fit_dirichlet",
    "fit_sizes",
    "local",
    "marginal",
    "marginal_shrinkage",
    "published",
    "scenarios",
    "shrinkage",
]
