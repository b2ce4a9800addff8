"""Charts and words about results. The only room that draws."""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
