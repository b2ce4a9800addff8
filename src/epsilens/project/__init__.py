"""Projects: all that was declared and chosen about one table, in one file that every face reads and writes."""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
