"""The version of Epsilens, where every room may ask for it."""

__version__ = "0.1.0"
