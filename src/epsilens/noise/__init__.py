"""Noise laws, one file each, and their calibration to a budget."""

from epsilens.noise.calibration import MECHANISMS, Mechanism, calibrate
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.discrete_laplace import DiscreteLaplaceNoise
from epsilens.noise.gaussian import GaussianNoise
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.law import Noise

__all__ = [
    "MECHANISMS",
    "DiscreteGaussianNoise",
    "DiscreteLaplaceNoise",
    "GaussianNoise",
    "LaplaceNoise",
    "Mechanism",
    "Noise",
    "calibrate",
]
