"""The homogeneity attack: everyone in a cell has the same sensitive value, so nobody needs to be identified."""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
