"""The homogeneity attack: everyone in a cell has the same sensitive value, so nobody needs to be identified."""

from epsilens.homogeneity.average import average
from epsilens.homogeneity.belief import Belief, belief
from epsilens.homogeneity.local import SCENARIOS, local, scenarios

__all__ = ["SCENARIOS", "Belief", "average", "belief", "local", "scenarios"]
