"""The same people in several releases: what all of them together show."""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
