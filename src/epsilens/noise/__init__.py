"""Noise laws, one file each, and their calibration to a budget."""

from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.discrete_laplace import DiscreteLaplaceNoise
from epsilens.noise.gaussian import GaussianNoise
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.noise.mechanisms import MECHANISMS, Mechanism, calibrate

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
